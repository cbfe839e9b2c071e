// Slash commands as somebody types them: on the command line, in a pipe, and in a conversation that goes on.

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import {
  chainProblems,
  readTranscript,
  runKeelson,
  startKeelson,
  startMockModel,
  temporaryHome,
  transcriptFiles,
  type LoggedLine,
} from "@keelson/testkit";
import { CHAT, control, messagesOf, prompt, resultOf, spoken, STREAM } from "../front-door.ts";

test("text output is the answer of the command and nothing else", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "ok" }]);
  const { stdout, stderr, code } = await runKeelson(["-p", "/rename Fix the parser"], { home, url: model.url });
  expect({ stdout, stderr, code }).toEqual({
    stdout: 'Renamed this session to "Fix the parser"\n',
    stderr: "",
    code: 0,
  });
  expect(model.requests).toEqual([]);
});

test("a command may come through a pipe, and needs no model at all", async () => {
  using home = temporaryHome();
  const { stdout, code } = await runKeelson(["-p", "--output-format", "json"], { home, stdin: "/usage\n" });
  expect(JSON.parse(stdout)).toMatchObject({ subtype: "success", local_command: "usage", num_turns: 0 });
  expect(code).toBe(0);
});

test.each([
  ["/contxt", "Unknown command: /contxt. Did you mean /context?"],
  ["/deploi now", "Unknown command: /deploi. Did you mean /deploy?"],
  ["/zzzzzzzz", "Unknown command: /zzzzzzzz"],
  ["/fork", "Start Keelson with --resume <session> --fork-session to continue in a copy of a session"],
  ["/tasks", "/tasks needs an interactive session"],
  ["/workflows", "/workflows is not supported"],
])("%s is answered with %j", async (typed, answer) => {
  using home = temporaryHome();
  home.write(".claude/commands/deploy.md", "Ship it\n");
  await using model = await startMockModel([{ text: "ok" }]);
  const { stdout, code } = await runKeelson(["-p", typed], { home, url: model.url });
  expect([stdout, code, model.requests.length]).toEqual([`${answer}\n`, 0, 0]);
});

test.each(["/etc/hosts is odd", "/tmp is full", "/ what", "//x"])("%s is a prompt", async (typed) => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "ok" }]);
  const { stdout } = await runKeelson(["-p", typed], { home, url: model.url });
  expect(stdout).toBe("ok\n");
  expect(JSON.stringify(model.requests[0]!.body.messages)).toContain(typed);
});

test("with the flag, nothing is a command", async () => {
  using home = temporaryHome();
  home.write(".claude/commands/deploy.md", "Ship it\n");
  await using model = await startMockModel([{ text: "ok" }]);
  const run = await runKeelson(["-p", "/usage", "--disable-slash-commands", ...STREAM], { home, url: model.url });
  expect(resultOf(run).result).toBe("ok");
  expect(messagesOf(run, "system/init")[0]).toMatchObject({ slash_commands: [], skills: [] });
  expect(JSON.stringify(model.requests[0]!.body.messages)).toContain("/usage");
});

test("a command file of a project replaces the built-in command, if the folder is trusted", async () => {
  using home = temporaryHome();
  home.write(".claude/commands/status.md", "Tell me the state of the release\n");
  await using model = await startMockModel([{ text: "soon" }]);
  const untrusted = await runKeelson(["-p", "/status"], { home, url: model.url });
  expect(untrusted.stdout).toContain("Model: ");
  home.write("~/.claude.json", { projects: { [home.project]: { hasTrustDialogAccepted: true } } });
  const run = await runKeelson(["-p", "/status", ...STREAM], { home, url: model.url });
  expect(resultOf(run).result).toBe("soon");
  expect(JSON.stringify(model.requests[0]!.body.messages)).toContain("state of the release");
  const listed = messagesOf(run, "system/init")[0].slash_commands;
  expect(listed.filter((name: string) => name === "status").length).toBe(1);
});

test("a command file of an untrusted folder that replaces a bundled skill is named when it is typed", async () => {
  using home = temporaryHome();
  home.write(".claude/commands/review.md", "All is well\n");
  await using model = await startMockModel([{ text: "ok" }, { text: "ok" }]);
  const { stderr } = await runKeelson(["-p", "/review"], { home, url: model.url });
  expect(stderr).toBe(
    "warning: /review is not the built-in skill but .claude/commands/review.md of this folder, which is not trusted\n",
  );
  home.write("~/.claude.json", { projects: { [home.project]: { hasTrustDialogAccepted: true } } });
  expect((await runKeelson(["-p", "/review"], { home, url: model.url })).stderr).toBe("");
});

test("/context adds up to what the latest reply reported, also in a resumed session", async () => {
  using home = temporaryHome();
  const usage = { input_tokens: 30_000, cache_read_input_tokens: 1_000, output_tokens: 500 };
  // Like many gateways, this one does not count tokens.
  await using model = await startMockModel([{ text: "hello", usage }], { countTokens: () => Number.NaN });
  const flags = ["--model", "claude-sonnet-4-6"];
  await runKeelson(["-p", "hi", ...flags], { home, url: model.url });
  const { stdout } = await runKeelson(["-p", "/context", "--continue", ...flags], { home, url: model.url });
  expect(stdout).toContain("**Tokens:** 31.5k / 200k (16%)");
  const numbers = [...stdout.matchAll(/^\| [A-Z][a-z ]+ \| ([\d.]+)(k?) \| [\d.]+% \|$/gm)];
  const sum = numbers.reduce((all, [, number, k]) => all + Number(number) * (k === "k" ? 1_000 : 1), 0);
  // Each row is rounded.
  expect(Math.abs(sum - 200_000)).toBeLessThan(50 * numbers.length);
});

test("a session that began with a command can be continued", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "one" }, { text: "two" }]);
  await runKeelson(["-p", "/context"], { home, url: model.url });
  const later = await runKeelson(["-p", "hi", "--continue"], { home, url: model.url });
  expect(later.stdout).toBe("one\n");
  expect(JSON.stringify(spoken(model.requests[0]!))).not.toMatch(/context usage|local-command|command-name/i);
  expect(chainProblems(readTranscript(home))).toEqual([]);
});

test("an export obeys the rules and hooks of Write", async () => {
  using home = temporaryHome();
  home.settings({
    permissions: { allow: ["Edit(out/**)"], deny: ["Edit(out/secret/**)"] },
    hooks: {
      PreToolUse: [{ matcher: "Write", hooks: [{ type: "command", command: `cat >> ${home.root}/seen.jsonl` }] }],
    },
  });
  await using model = await startMockModel([{ text: "hello" }]);
  const lines = ["hi", "/export out/a.md", "/export b.md", "/export out/secret/c.md"].map((each) => prompt(each));
  const run = await runKeelson([...CHAT], { home, url: model.url, stdin: lines });
  const [, written, asked, denied] = messagesOf(run, "result").map(({ result }) => result);
  expect(written).toBe(`Exported the conversation to ${join(home.project, "out/a.md")}`);
  expect(readFileSync(join(home.project, "out/a.md"), "utf8")).toBe("## User\n\nhi\n\n## Assistant\n\nhello\n");
  // In words for people: none of it tells a model how to go on.
  expect(asked).toMatch(/not granted.* To allow it, use .*--permission-mode acceptEdits/);
  expect(denied).toContain("denied");
  expect(asked + denied).not.toMatch(/retry|say at the end|another way/);
  expect(["b.md", "out/secret/c.md"].map((path) => existsSync(join(home.project, path)))).toEqual([false, false]);
  const calls = readFileSync(join(home.root, "seen.jsonl"), "utf8").match(/"hook_event_name":"PreToolUse"/g);
  expect(calls?.length).toBe(3);
  expect(chainProblems(readTranscript(home))).toEqual([]);
});

test("a command runs no prompt hooks", async () => {
  using home = temporaryHome();
  const hook = (event: string) => [{ hooks: [{ type: "command", command: `touch ${home.root}/${event}` }] }];
  home.settings({
    hooks: { UserPromptSubmit: hook("submit"), UserPromptExpansion: hook("expansion"), Stop: hook("stop") },
  });
  await runKeelson(["-p", "/usage"], { home });
  expect(["submit", "expansion", "stop"].filter((name) => existsSync(join(home.root, name)))).toEqual([]);
});

test("an added directory can be used at once", async () => {
  using home = temporaryHome();
  home.write("../other/a.txt", "alpha\n");
  const path = join(home.root, "other", "a.txt");
  await using model = await startMockModel([{ calls: [{ name: "Read", input: { file_path: path } }] }, { text: "ok" }]);
  const lines = [prompt("/add-dir ../other"), prompt("read it")];
  const run = await runKeelson([...CHAT], { home, url: model.url, stdin: lines });
  expect(messagesOf(run, "result")[0].result).toBe(
    `Added ${join(home.root, "other")} as a working directory for this session`,
  );
  expect(JSON.stringify(model.requests[0]!.body.messages)).toContain("The user added working directories");
  expect(JSON.stringify(model.requests[1]!.body.messages)).toContain("alpha");
});

test("/clear leaves two transcripts that are both sound, and each can be continued", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "one" }, { text: "two" }, { text: "three" }, { text: "four" }]);
  const lines = [prompt("first"), prompt("/clear"), prompt("second")];
  const run = await runKeelson([...CHAT, "--name", "Old work", "--session-mirror"], {
    home,
    url: model.url,
    stdin: lines,
  });
  const [before, , after] = messagesOf(run, "result").map(({ session_id }) => session_id as string);
  expect(before).not.toBe(after);
  expect(transcriptFiles(home).length).toBe(2);
  const mirrored = messagesOf(run, "transcript_mirror").map(({ filePath }) => basename(filePath, ".jsonl"));
  expect([...new Set(mirrored)]).toEqual([before!, after!]);

  const [old, fresh] = [readTranscript(home, before) as any[], readTranscript(home, after) as any[]];
  expect([chainProblems(old), chainProblems(fresh)]).toEqual([[], []]);
  expect(old.filter(({ type }) => type === "custom-title").at(-1).customTitle).toBe("Old work");
  expect(old.findLast(({ type }) => type !== "keelson-seal")).toMatchObject({ type: "cost-state", sessionId: before });
  expect(fresh.slice(0, 4).map(({ type, subtype }) => subtype ?? type)).toEqual([
    "mode",
    "user",
    "user",
    "local_command",
  ]);
  expect(new Set(fresh.map(({ sessionId }) => sessionId))).toEqual(new Set([after]));
  expect(fresh[1]).toMatchObject({ parentUuid: null, isMeta: true });

  await runKeelson(["-p", "more", "--resume", before!], { home, url: model.url });
  await runKeelson(["-p", "more", "--resume", after!], { home, url: model.url });
  const said = (at: number) => JSON.stringify(spoken(model.requests[at]!));
  expect([said(2).includes("first"), said(2).includes("second")]).toEqual([true, false]);
  expect([said(3).includes("first"), said(3).includes("second")]).toEqual([false, true]);
});

test("after /clear, requests name the new session, and large results are kept in its folder and can be read", async () => {
  using home = temporaryHome();
  let saved = "";
  await using model = await startMockModel((body: any) => {
    const [result] = body.messages.at(-1).content.filter(({ type }: any) => type === "tool_result");
    const text = JSON.stringify(result?.content ?? "");
    if (body.messages.length === 1 && !JSON.stringify(body.messages).includes("second")) return { text: "one" };
    if (result === undefined) return { calls: [{ name: "Bash", input: { command: "seq 1 20000" } }] };
    const path = /[^\s"<>]*\/tool-results\/[^\s"<>\\]+/.exec(text)?.[0];
    if (path === undefined) return { text: "done" };
    saved = path;
    return { calls: [{ name: "Read", input: { file_path: path, limit: 3 } }] };
  });
  const lines = [prompt("first"), prompt("/clear"), prompt("second")];
  const run = await runKeelson([...CHAT, "--allowedTools", "Bash(seq *)"], { home, url: model.url, stdin: lines });
  const [before, , after] = messagesOf(run, "result").map(({ session_id }) => session_id as string);
  const named = model.requests.map(({ body, headers }) => [
    JSON.parse(body.metadata.user_id).session_id,
    headers["x-claude-code-session-id"],
  ]);
  expect(named).toEqual([before, after, after, after].map((id) => [id, id]));
  expect(saved).toContain(`/${after}/tool-results/`);
  const [read] = model.requests.at(-1)!.body.messages.at(-1).content;
  expect(read).toMatchObject({ type: "tool_result", content: expect.stringContaining("1\t1\n") });
});

test("hooks of a new conversation get its id and its transcript, and what they say reaches the model", async () => {
  using home = temporaryHome();
  const log = join(home.root, "hooks.jsonl");
  const keep = [{ hooks: [{ type: "command", command: `cat >> ${log}; echo >> ${log}` }] }];
  const context = { hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: "remember the milk" } };
  home.settings({
    hooks: {
      SessionEnd: keep,
      UserPromptSubmit: keep,
      SessionStart: [
        ...keep,
        { matcher: "clear", hooks: [{ type: "command", command: `echo '${JSON.stringify(context)}'` }] },
      ],
    },
  });
  await using model = await startMockModel([{ text: "one" }]);
  const run = await runKeelson([...CHAT], { home, url: model.url, stdin: [prompt("/new"), prompt("hi")] });
  const [, after] = messagesOf(run, "result").map(({ session_id }) => session_id as string);

  const events = readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
  expect(
    events.map(({ hook_event_name: event, source, reason, session_id: id, transcript_path: path }) => [
      event,
      source ?? reason,
      id === after,
      path.endsWith(`${after}.jsonl`),
    ]),
  ).toEqual([
    ["SessionStart", "startup", false, false],
    ["SessionEnd", "clear", false, false],
    ["SessionStart", "clear", true, true],
    ["UserPromptSubmit", undefined, true, true],
    ["SessionEnd", "other", true, true],
  ]);
  expect(JSON.stringify(model.requests[0]!.body.messages)).toContain("remember the milk");
});

test("files are rewound to a prompt of the new conversation, also after it was resumed", async () => {
  using home = temporaryHome();
  const path = home.write("a.txt", "old");
  const write = (content: string) => ({ calls: [{ name: "Write", input: { file_path: path, content } }] });
  await using model = await startMockModel([
    { calls: [{ name: "Read", input: { file_path: path } }] },
    write("before"),
    { text: "one" },
    { calls: [{ name: "Read", input: { file_path: path } }] },
    write("after"),
    { text: "two" },
  ]);
  const flags = [...CHAT, "--permission-mode", "acceptEdits"];
  const env = { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "true" };
  const uuid = "33333333-3333-4333-8333-333333333333";
  const lines = [prompt("first"), prompt("/clear"), prompt("second", { uuid })];
  const run = await runKeelson(flags, { home, url: model.url, env, stdin: lines });
  const { session_id: id } = messagesOf(run, "result").at(-1);
  expect(readFileSync(path, "utf8")).toBe("after");

  const rewind = control("r", { subtype: "rewind_files", user_message_id: uuid });
  const later = await runKeelson([...flags, "--resume", id], { home, url: model.url, env, stdin: [rewind] });
  expect(messagesOf(later, "control_response")[0].response).toMatchObject({ subtype: "success" });
  expect(readFileSync(path, "utf8")).toBe("before");
});

test("/config shows settings without secrets, and sets only preferences", async () => {
  using home = temporaryHome();
  home.settings({ env: { MY_TOKEN: "hunter2", PLAIN: "x" }, language: "french" });
  const lines = ["/config", "/config env.MY_TOKEN", "/config language", "/config theme dark", "/config model opus"];
  const run = await runKeelson([...CHAT], { home, stdin: lines.map((each) => prompt(each)) });
  const [all, secret, language, set, refused] = messagesOf(run, "result").map(({ result }) => result);
  expect(JSON.parse(all)).toMatchObject({ env: { MY_TOKEN: "(hidden)", PLAIN: "x" }, language: "french" });
  expect([secret, language]).toEqual(['env.MY_TOKEN = "(hidden)"', 'language = "french"']);
  expect(set).toBe('Set theme to "dark" in the user settings');
  expect(refused).toBe('"model" cannot be set here; use `keelson config set`');
  const saved = JSON.parse(readFileSync(join(home.configDir, "settings.json"), "utf8"));
  expect([saved.theme, saved.model]).toEqual(["dark", undefined]);
  expect(JSON.stringify(readTranscript(home))).not.toContain("hunter2");
});

test("/cd moves to a folder, adds one from outside, and tells the model and hooks", async () => {
  using home = temporaryHome();
  using other = temporaryHome();
  home.write("sub/deep/here.txt", "");
  other.write("there.txt", "");
  const log = join(home.project, "moves.log");
  home.settings({
    hooks: { CwdChanged: [{ hooks: [{ type: "command", command: `printf '%s\\n' "$(cat)" >>'${log}'` }] }] },
  });
  await using model = await startMockModel([
    { calls: [{ name: "Bash", input: { command: "ls" } }] },
    { text: "one" },
    { calls: [{ name: "Bash", input: { command: "ls" } }] },
    { text: "two" },
  ]);
  await using program = startKeelson(["-p", ...CHAT, "--allowedTools", "Bash"], {
    home,
    url: model.url,
    stdin: "open",
  });
  let last: LoggedLine | undefined;
  const say = async (text: string): Promise<string> => {
    program.send(prompt(text));
    last = await program.waitForLine(({ type }) => type === "result", last ? { after: last } : {});
    return last.json.result;
  };
  const deep = join(home.project, "sub/deep");
  expect(await say("/cd")).toBe(`The working directory is ${home.project}`);
  expect(await say("/cd sub/nowhere")).toContain('"sub/nowhere" is not a directory');
  expect(await say("/cd sub")).toBe(`The working directory is now ${join(home.project, "sub")}`);
  expect(await say("/cd deep")).toBe(`The working directory is now ${deep}`);
  await say("list it");
  expect(await say(`/cd ${other.project}`)).toBe(
    `The working directory is now ${other.project}, which was added to this session`,
  );
  await say("list that");
  program.closeStdin();
  await program.done;
  const [first, afterFirst, , afterSecond] = model.requests.map(({ body }) => JSON.stringify(body.messages));
  expect(first).toContain(`The user changed the working directory to ${deep}`);
  expect(afterFirst).toContain("here.txt");
  expect(afterSecond).toContain("there.txt");
  const moves = readFileSync(log, "utf8").trim().split("\n").filter(Boolean);
  // Two moves in a row do not wait for each other's hooks.
  expect(new Set(moves.map((line) => JSON.parse(line).new_cwd))).toEqual(
    new Set([join(home.project, "sub"), deep, other.project]),
  );
});
