// What the official TypeScript SDK was seen to do, done again by hand: the lines it writes, when it writes them, and when it
// closes the input. It was pointed at the program from outside this repository; nothing of it is here.

import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { readTranscript, startKeelson, startMockModel, temporaryHome, type Running } from "@keelson/testkit";
import { answer, CHAT, control, kindOf, prompt, told } from "../front-door.ts";

/** In the environment of every program it starts. */
const ENV = {
  CLAUDE_CODE_ENTRYPOINT: "sdk-ts",
  CLAUDE_AGENT_SDK_VERSION: "0.3.325",
  CLAUDE_CODE_SDK_READS_SESSION_STATE: undefined,
};

const bash = (command: string) => ({ calls: [{ name: "Bash", input: { command } }] });
const isResult = ({ type }: any) => type === "result";
const replyTo = (id: string) => (line: any) => line.type === "control_response" && line.response.request_id === id;
const responseTo = async (program: Running, id: string) => (await program.waitForLine(replyTo(id))).json as any;

/** Asks the program; what it answered. */
async function ask(program: Running, id: string, request: object): Promise<any> {
  program.send(control(id, request));
  return (await responseTo(program, id)).response;
}

test("a text prompt: initialize, the prompt, and the input is closed when the result is there", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "hello" }]);
  await using program = startKeelson(CHAT, { home, url: model.url, env: ENV, stdin: "open" });
  program.send({ ...control("k1", { subtype: "initialize", systemPrompt: [""] }) });
  program.send({ ...prompt([{ type: "text", text: "hi" }]), session_id: "" });
  await program.waitForLine(isResult);
  program.closeStdin();

  const { code, stderr, messages } = await program.done;
  expect({ code, stderr, kinds: messages.map(kindOf) }).toEqual({
    code: 0,
    stderr: "",
    kinds: ["control_response", "system/init", "assistant", "result"],
  });
});

test("with callbacks for every event: the result is the last word, although the client no longer answers", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([bash("echo hi"), { text: "done" }]);
  await using program = startKeelson([...CHAT, "--allowedTools", "Bash"], {
    home,
    url: model.url,
    env: ENV,
    stdin: "open",
  });
  const events = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"];
  const hooks = Object.fromEntries(events.map((event, i) => [event, [{ hookCallbackIds: [`hook_${i}`] }]]));
  program.send(control("k1", { subtype: "initialize", systemPrompt: [""], hooks }));
  program.send(prompt("go"));
  const seen: string[] = [];
  for (let line = undefined as any; ;) {
    const isNext = ({ type }: any) => type === "control_request" || type === "result";
    line = await program.waitForLine(isNext, line ? { after: line } : {});
    if (line.json.type === "result") break;
    seen.push(line.json.request.input.hook_event_name);
    program.send(answer(line.json.request_id, {}));
  }
  program.closeStdin();

  const { code, stderr, messages } = await program.done;
  // The session had started before anyone could register a callback, and ends when no one listens any more.
  expect(seen).toEqual(["UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"]);
  expect({ code, stderr, last: kindOf(messages.at(-1)) }).toEqual({ code: 0, stderr: "", last: "result" });
});

test("a permission callback that throws is an error to the question, and the model is told", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([bash("touch a"), { text: "done" }]);
  const args = [...CHAT, "--permission-prompt-tool", "stdio"];
  await using program = startKeelson(args, { home, url: model.url, env: ENV, stdin: "open" });
  program.send(control("k1", { subtype: "initialize", systemPrompt: [""] }));
  program.send(prompt("go"));
  const asked = (await program.waitForLine(({ type }) => type === "control_request")).json as any;
  program.send({
    type: "control_response",
    response: { subtype: "error", request_id: asked.request_id, error: "boom" },
  });
  const { result, permission_denials } = (await program.waitForLine(isResult)).json as any;
  expect({ result, denied: permission_denials.length }).toEqual({ result: "done", denied: 1 });
  expect(told(model.requests[1]!)[0].content).toBe("Tool permission request failed: boom");
});

test("an application that asks everything between two prompts gets an answer to each", async () => {
  using home = temporaryHome();
  home.write("f.txt", "abc");
  await using model = await startMockModel([{ text: "one" }, { text: "two" }]);
  await using program = startKeelson(CHAT, { home, url: model.url, env: ENV, stdin: "open" });
  const facts = await ask(program, "k1", { subtype: "initialize", systemPrompt: [""] });
  expect(Object.keys(facts.response)).toEqual(
    expect.arrayContaining(["commands", "agents", "models", "account", "output_style", "available_output_styles"]),
  );
  program.send(prompt("first"));
  const first = await program.waitForLine(isResult);

  const status = await ask(program, "k2", { subtype: "mcp_status" });
  const usage = await ask(program, "k3", { subtype: "get_context_usage" });
  const model1 = await ask(program, "k4", { subtype: "set_model", model: "claude-opus-4-5" });
  const mode = await ask(program, "k5", { subtype: "set_permission_mode", mode: "acceptEdits" });
  const thinking = await ask(program, "k6", { subtype: "set_max_thinking_tokens", max_thinking_tokens: 2000 });
  const file = await ask(program, "k7", { subtype: "read_file", path: "f.txt" });
  const wrong = await ask(program, "k8", { subtype: "set_permission_mode", mode: "bypassPermissions" });
  expect(status.response).toEqual({ mcpServers: [] });
  expect(usage.response.categories.map(({ name }: any) => name)).toContain("Messages");
  expect([model1, mode, thinking].map(({ subtype }) => subtype)).toEqual(["success", "success", "success"]);
  expect(file.response.contents).toBe("abc");
  expect(wrong).toMatchObject({ subtype: "error", error_code: "bypass_not_launched" });

  program.send(prompt("second"));
  await program.waitForLine(isResult, { after: first });
  const { model: name, thinking: budget } = model.requests[1]!.body;
  expect({ name, budget }).toEqual({ name: "claude-opus-4-5", budget: { type: "enabled", budget_tokens: 2000 } });
});

const PARKED = [...CHAT, "--await-claim"];
const MARKS = { ...ENV, CLAUDE_CODE_SDK_READS_STARTUP_MARKS: "1" };

test("a spare process: initialize is answered before the claim, which brings folder, mode and the facts of the session", async () => {
  using home = temporaryHome();
  const folder = join(home.root, "elsewhere");
  mkdirSync(folder);
  await using model = await startMockModel([bash("pwd; echo $MARK $KEPT"), { text: "done" }]);
  const env = { ...MARKS, KEPT: "kept" };
  await using program = startKeelson([...PARKED, "--allowedTools", "Bash"], {
    home,
    url: model.url,
    env,
    stdin: "open",
  });
  expect(await ask(program, "k1", { subtype: "initialize", systemPrompt: ["Be quick"] })).toMatchObject({
    subtype: "success",
    response: { commands: [], agents: [] },
  });
  expect(readdirSync(home.project)).toEqual([]);
  program.send(
    control("k2", {
      subtype: "claim_session",
      cwd: folder,
      permission_mode: "plan",
      env: { MARK: "claimed" },
      additional_directories: [home.project],
      sdk_mcp_servers: [],
      include_initialize: true,
    }),
  );
  // Neither waits for the reply to the claim.
  program.send(control("k3", { subtype: "set_model", model: "claude-opus-4-5" }));
  program.send(prompt("where are you?"));
  const claimed = (await responseTo(program, "k2")).response.response;
  const result = (await program.waitForLine(isResult)).json as any;
  program.closeStdin();
  const { code, stderr, messages } = await program.done;

  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(claimed).toMatchObject({
    cwd: realpathSync(folder),
    session_id: result.session_id,
    parked_ms: expect.any(Number),
    sdk_mcp_settled: true,
    initialize: { current_permission_mode: "plan", models: expect.any(Array) },
  });
  expect(messages.filter(replyTo("k1")).length).toBe(1);
  expect(messages.filter(replyTo("k3")).length).toBe(1);
  const { model: name, system } = model.requests[0]!.body;
  expect({ name, prompt: JSON.stringify(system).includes("Be quick") }).toEqual({
    name: "claude-opus-4-5",
    prompt: true,
  });
  expect(told(model.requests[1]!)[0].content).toContain(`${realpathSync(folder)}\nclaimed kept`);
});

test("what is asked of a spare before its claim is answered by the session behind it", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "done" }]);
  await using program = startKeelson(PARKED, { home, url: model.url, env: MARKS, stdin: "open" });
  await ask(program, "k1", { subtype: "initialize", systemPrompt: [""] });
  program.send(control("k2", { subtype: "apply_flag_settings", settings: { model: "claude-haiku-4-5" } }));
  program.send(control("k3", { subtype: "claim_session", cwd: home.project }));
  expect((await responseTo(program, "k3")).response.response).not.toHaveProperty("initialize");
  expect((await responseTo(program, "k2")).response.subtype).toBe("success");
  program.send(prompt("hi"));
  await program.waitForLine(isResult);
  expect(model.requests[0]!.body.model).toContain("haiku-4-5");
});

test("a spare that cannot be what is claimed says so and ends", async () => {
  using home = temporaryHome();
  const nowhere = join(home.root, "nowhere");
  for (const [wrong, text] of [
    [{ cwd: nowhere }, nowhere],
    [{ cwd: "relative" }, "absolute cwd"],
    [{ cwd: home.project, permission_mode: "nonsense" }, "nonsense"],
  ] as const) {
    await using program = startKeelson(PARKED, { home, env: MARKS, stdin: "open" });
    await ask(program, "k1", { subtype: "initialize", systemPrompt: [""] });
    const refused = await ask(program, "k2", { subtype: "claim_session", ...wrong });
    expect(refused).toMatchObject({ subtype: "error", error: expect.stringContaining(text) });
    expect((await program.done).code).toBe(1);
  }
});

test("a spare nobody claims has touched nothing: no file, no setting, no model", async () => {
  using home = temporaryHome();
  // Would show if it were read: a hook that leaves a mark, and settings that are none.
  home.write(".claude/settings.json", {
    hooks: { SessionStart: [{ hooks: [{ type: "command", command: "touch marked" }] }] },
  });
  home.write("CLAUDE.md", "remember this");
  await using model = await startMockModel([]);
  // Run from source, Bun keeps what it has compiled there.
  const files = () =>
    readdirSync(home.root, { recursive: true, encoding: "utf8" }).filter((path) => !/\.bun|^empty\.toml$/.test(path));
  const before = files().toSorted();
  await using program = startKeelson(PARKED, { home, url: model.url, env: MARKS, stdin: "open" });
  await program.waitForLine(({ startup_mark }) => startup_mark === "parked");
  program.closeStdin();
  const { code, stdout, stderr } = await program.done;
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout: '{"type":"keep_alive","startup_mark":"parked"}\n',
    stderr: "",
  });
  expect(files().toSorted()).toEqual(before);
  expect([...model.requests, ...model.others]).toEqual([]);
});

test("its session functions find in our transcripts what they look for", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "one" }]);
  await using program = startKeelson(CHAT, { home, url: model.url, env: ENV, stdin: "open" });
  program.send(prompt("first prompt"));
  const { session_id } = (await program.waitForLine(isResult)).json as any;
  program.closeStdin();
  await program.done;
  // They read the head and the tail of a file named after the session, and search both for these keys as text.
  const entries = readTranscript(home) as any[];
  expect(entries.every(({ sessionId }) => sessionId === undefined || sessionId === session_id)).toBe(true);
  const user = entries.find(({ type }) => type === "user");
  expect(user).toMatchObject({ isSidechain: false, cwd: realpathSync(home.project), timestamp: expect.any(String) });
  expect(entries.find(({ type }) => type === "last-prompt")?.lastPrompt).toBe("first prompt");
  const file = readdirSync(home.home, { recursive: true, encoding: "utf8" }).find((path) =>
    path.endsWith(`${session_id}.jsonl`),
  );
  expect(readFileSync(join(home.home, file!), "utf8")).toContain(`"cwd":${JSON.stringify(realpathSync(home.project))}`);
});
