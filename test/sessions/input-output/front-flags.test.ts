// Smaller promises of the front door: the debug log, all messages as one array, an empty prompt beside a stream, the
// name of the application, and a summary of the context that costs no request.

import { expect, test } from "bun:test";
import { existsSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { CHAT, control, kindOf, prompt, resultOf, STREAM } from "../front-door.ts";

const bash = (command: string) => ({ calls: [{ name: "Bash", input: { command } }] });
/** The categories of a log, each once, in order. */
const categoriesIn = (log: string) => [...new Set([...log.matchAll(/^\S+Z \[(\w+)\]/gm)].map((match) => match[1]!))];

test("--debug-file logs every category to a file of the user's own, without contents and credentials", async () => {
  using home = temporaryHome();
  home.write("CLAUDE.md", "instruction-content");
  home.settings({
    hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "echo hook-content >&2; exit 0" }] }] },
  });
  await using model = await startMockModel([
    bash("touch command-content"),
    { status: 529, message: "Overloaded, said test-key-abcdef" },
    { text: "reply-content" },
  ]);
  const log = join(home.root, "debug.log");
  const { code, stderr } = await runKeelson(
    ["-p", "prompt-content", "--allowedTools", "Bash(touch *)", "--debug-file", log],
    { home, url: model.url, env: { ANTHROPIC_API_KEY: "test-key-abcdef" } },
  );

  const retried = "warning: the model server replied with HTTP status 529 (overloaded); retrying up to 10 times\n";
  expect([code, stderr]).toEqual([0, retried]);
  expect((statSync(log).mode & 0o777).toString(8)).toBe("600");
  const text = readFileSync(log, "utf8");
  expect(categoriesIn(text).sort()).toEqual([
    "api",
    "config",
    "hooks",
    "instructions",
    "permissions",
    "session",
    "tools",
  ]);
  expect(text).toContain("[permissions] Bash (call_1_1): allow, decided by rule");
  expect(text).toContain("[hooks] PreToolUse:Bash: command hook from userSettings, success, exit 0");
  expect(text).toContain("[tools] Result of call_1_1: ok");
  expect(text).toMatch(/\[api\] Retry 1 of \d+ in \d+ ms: 529/);
  for (const secret of ["-content", "test-key"]) expect(text).not.toContain(secret);
});

test("--debug-file does not write through a link, and the session continues", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "done" }]);
  symlinkSync(join(home.root, "target.log"), join(home.root, "link.log"));
  const flags = ["-p", "go", "--debug-file", join(home.root, "link.log")];
  const { code, stdout, stderr } = await runKeelson(flags, { home, url: model.url });
  expect({ code, stdout }).toEqual({ code: 0, stdout: "done\n" });
  expect(stderr).toContain("cannot write the debug log");
  expect(existsSync(join(home.root, "target.log"))).toBe(false);
});

test("the debug log has the calls of subagents, too", async () => {
  using home = temporaryHome();
  home.write("a.txt", "alpha\n");
  await using model = await startMockModel([
    { calls: [{ name: "Agent", input: { description: "look", prompt: "look", subagent_type: "Explore" } }] },
    { calls: [{ name: "Read", input: { file_path: "a.txt" } }] },
    { text: "found" },
    { text: "done" },
  ]);
  const { stderr } = await runKeelson(["-p", "go", "--debug=tools,permissions"], { home, url: model.url });
  expect(stderr).toMatch(/\[tools\] Call \S+: Read \(agent a[0-9a-f]{16}\)/);
  expect(stderr).toMatch(/\[permissions\] Read \(\S+\): allow, decided by/);
});

test("--debug takes categories, and a prompt behind it is a prompt", async () => {
  using home = temporaryHome();
  await using model = await startMockModel(() => ({ text: "Done" }));
  const of = async (...args: string[]) =>
    categoriesIn((await runKeelson(["-p", ...args], { home, url: model.url })).stderr);

  expect(await of("--debug", "api,session", "Hello")).toEqual(["session", "api"]);
  expect(await of("--debug=!hooks,!api", "Hello")).toEqual(["config", "session", "instructions"]);
  expect(await of("--debug", "Say hello")).toContain("api");
  expect(await of("Hello")).toEqual([]);
  expect(JSON.stringify(model.requests[2]!.body.messages)).toContain("Say hello");
});

test("CLAUDE_CODE_DEBUG_LOGS_DIR names the file of a log that was asked for, and asks for none by itself", async () => {
  using home = temporaryHome();
  await using model = await startMockModel(() => ({ text: "Done" }));
  const file = join(home.root, "named.log");
  const env = { CLAUDE_CODE_DEBUG_LOGS_DIR: file };
  await runKeelson(["-p", "Hello"], { home, url: model.url, env });
  expect(existsSync(file)).toBe(false);
  const { stderr } = await runKeelson(["-p", "--debug", "api", "Hello"], { home, url: model.url, env });
  expect([stderr, categoriesIn(readFileSync(file, "utf8"))]).toEqual(["", ["api"]]);
});

test("json with --verbose prints the messages of the stream as one array, also when the run fails", async () => {
  using home = temporaryHome();
  const replies = () => [bash("echo hi"), { text: "Said hi" }];
  await using streamed = await startMockModel(replies());
  await using model = await startMockModel([...replies(), { status: 400, message: "no" }]);
  const args = ["-p", "Say hi", "--allowedTools", "Bash(echo *)"];
  const stream = await runKeelson([...args, ...STREAM], { home, url: streamed.url });
  const array = await runKeelson([...args, "--output-format", "json", "--verbose"], { home, url: model.url });
  const failed = await runKeelson([...args, "--output-format", "json", "--verbose"], { home, url: model.url });

  expect([stream.code, array.code, failed.code]).toEqual([0, 0, 1]);
  const messages = JSON.parse(array.stdout);
  expect(messages.map(kindOf)).toEqual(stream.messages.map(kindOf));
  expect(messages.at(-1)).toMatchObject({ type: "result", subtype: "success", result: "Said hi" });
  expect(array.stdout.trimEnd()).not.toContain("\n");
  expect(JSON.parse(failed.stdout).at(-1)).toMatchObject({ type: "result", is_error: true });
});

test.each(["", "  "])("the prompt %j beside stream-json input is none: the input is what counts", async (empty) => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "Hello back" }]);
  const ended = await runKeelson(["-p", empty, ...CHAT], { home, url: model.url, stdin: [prompt("Hello")] });
  expect([ended.code, resultOf(ended).result, model.requests.length]).toEqual([0, "Hello back", 1]);
  const nothing = await runKeelson(["-p", empty, ...CHAT], { home, url: model.url, stdin: "" });
  expect([nothing.code, nothing.stdout, model.requests.length]).toEqual([0, "", 1]);
});

test("an application that names itself is named in the user agent of its requests", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "Done" }]);
  const env = { CLAUDE_AGENT_SDK_CLIENT_APP: "my-app/1.0", CLAUDE_CODE_ENTRYPOINT: "sdk-ts" };
  await runKeelson(["-p", "Hello"], { home, url: model.url, env });
  expect(model.requests[0]!.headers["user-agent"]).toMatch(
    /^keelson\/\S+ \(external, sdk-ts, client-app\/my-app\/1\.0\)$/,
  );
});

test("a summary of the context is estimated; only the full account asks the provider to count", async () => {
  using home = temporaryHome();
  let counted = 0;
  await using model = await startMockModel([{ text: "Done" }], { countTokens: () => (counted++, 1_000) });
  await using program = startKeelson([...CHAT], { home, url: model.url, stdin: "open" });
  program.send(prompt("Hello"));
  await program.waitForLine(({ type }) => type === "result");
  const ask = async (id: string, request: object) => {
    program.send(control(id, { subtype: "get_context_usage", ...request }));
    const { text } = await program.waitForLine(({ response }) => response?.request_id === id);
    return JSON.parse(text).response.response;
  };

  const summary = await ask("one", { detail: "summary" });
  expect([counted, summary.totalTokens > 100, summary.categories[0].id]).toEqual([0, true, "system_prompt"]);
  await ask("two", { detail: "full" });
  expect(counted).toBeGreaterThan(0);
  program.closeStdin();
  await program.done;
});

test("a word in --tools that names no tool is reported; names of tools that other sessions have are not", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "ok" }]);
  const { code, stderr } = await runKeelson(["-p", "hi", "--tools", "Raed,Bash,AskUserQuestion,Task,nothing_like_it"], {
    home,
    url: model.url,
  });
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr:
      'warning: --tools: there is no tool "Raed"; did you mean "Read"?\n' +
      'warning: --tools: there is no tool "nothing_like_it"\n',
  });
  expect(model.requests[0]!.body.tools!.map(({ name }: any) => name)).toEqual(["Agent", "Bash"]);
});
