// Sessions of an editor: opened, listed, loaded, shared with other programs, closed and deleted.

import { expect, test } from "bun:test";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startKeelson, startMockModel, temporaryHome, transcriptFiles } from "@keelson/testkit";
import { startOfficial } from "../servers/official.ts";
import { saidIn, startEditor } from "./editor.ts";

const MISSING = "11111111-2222-4333-8444-555555555555";

test("nothing is told of a new session before its reply, and its commands follow", async () => {
  using home = temporaryHome();
  await using editor = await startEditor({ home });
  const reply = await editor.request("session/new", { cwd: home.project, mcpServers: [] });
  const { sessionId, modes, configOptions } = reply.result;
  expect(modes.currentModeId).toBe("default");
  expect(modes.availableModes.map(({ id }: any) => id)).toEqual(["default", "acceptEdits", "plan", "auto", "dontAsk"]);
  expect(configOptions.map(({ id, category }: any) => [id, category])).toEqual([
    ["mode", "mode"],
    ["model", "model"],
  ]);
  await editor.until(({ params }) => params?.update?.sessionUpdate === "available_commands_update");
  const at = editor.messages.findIndex(({ id, method }) => id === reply.id && method === undefined);
  const told = editor.messages.findIndex(({ params }) => params?.sessionId === sessionId);
  expect([at >= 0, told > at]).toEqual([true, true]);
  const [{ availableCommands }] = editor.updates(sessionId, "available_commands_update");
  expect(availableCommands).toContainEqual(expect.objectContaining({ name: "compact" }));
});

test("a session that is loaded shows what was shown, in another process and a second time", async () => {
  using home = temporaryHome();
  home.write("notes.txt", "remember the milk");
  await using model = await startMockModel([
    { text: "Reading.", calls: [{ name: "Read", input: { file_path: join(home.project, "notes.txt") } }] },
    { text: "Milk." },
    { text: "Still here." },
  ]);
  let sessionId = "";
  const shown = (updates: any[]) => ({
    said: saidIn(updates),
    calls: [...new Set(updates.flatMap(({ toolCallId }) => toolCallId ?? []))].map((id) => {
      const call = Object.assign({}, ...updates.filter(({ toolCallId }) => toolCallId === id));
      return { ...call, sessionUpdate: undefined, _meta: undefined };
    }),
  });
  let live;
  {
    await using editor = await startEditor({ home, url: model.url });
    ({ sessionId } = await editor.open());
    await editor.prompt(sessionId, "What is in my notes?");
    live = shown(editor.updates(sessionId));
    await editor.end();
  }
  await using editor = await startEditor({ home, url: model.url });
  const load = () => editor.request("session/load", { sessionId, cwd: home.project, mcpServers: [] });
  for (const _ of [1, 2]) {
    const before = editor.updates(sessionId).length;
    const { id, result } = await load();
    expect(result.modes.currentModeId).toBe("default");
    const end = editor.messages.findIndex((message) => message.id === id && message.method === undefined);
    const told = editor.messages
      .slice(0, end)
      .filter(({ method }) => method === "session/update")
      .slice(before)
      .map(({ params }) => params.update);
    expect(shown(told)).toEqual(live);
    expect(
      told.filter(({ sessionUpdate }) => sessionUpdate === "user_message_chunk").map(({ content }) => content.text),
    ).toEqual(["What is in my notes?"]);
    await editor.request("session/list", { cwd: home.project });
  }
  const before = editor.updates(sessionId).length;
  expect((await editor.prompt(sessionId, "Still there?")).result).toEqual({ stopReason: "end_turn" });
  // One attachment, so everything once.
  expect(saidIn(editor.updates(sessionId).slice(before))).toBe("Still here.");
  expect(editor.updates(sessionId, "usage_update").length).toBeGreaterThanOrEqual(2);
  // Otherwise one session would have two names in one editor.
  const upper = { sessionId: sessionId.toUpperCase(), cwd: home.project, mcpServers: [] };
  expect((await editor.request("session/load", upper)).error.code).toBe(-32002);
});

test("what is no session is not found, and never becomes one", async () => {
  using home = temporaryHome();
  await using editor = await startEditor({ home });
  for (const sessionId of [MISSING, "", "../../etc/passwd", "/etc/passwd", "a title", "x".repeat(10_000)]) {
    for (const method of ["session/load", "session/resume"]) {
      const { error } = await editor.request(method, { sessionId, cwd: home.project, mcpServers: [] });
      expect([sessionId.slice(0, 20), method, error.code]).toEqual([sessionId.slice(0, 20), method, -32002]);
    }
    for (const method of ["session/prompt", "session/close"]) {
      const { error } = await editor.request(method, { sessionId, prompt: [{ type: "text", text: "hi" }] });
      expect(error.code).toBe(-32002);
    }
    expect((await editor.request("session/delete", { sessionId })).result).toEqual({});
  }
  expect(transcriptFiles(home)).toEqual([]);
});

test("sessions are listed newest first, page by page, and a deleted one is gone", async () => {
  using home = temporaryHome();
  const folder = join(home.configDir, "projects", home.project.replace(/[^a-zA-Z0-9]/g, "-"));
  mkdirSync(folder, { recursive: true });
  const ids = Array.from({ length: 120 }, () => crypto.randomUUID());
  for (const [index, sessionId] of ids.entries()) {
    const message = { role: "user", content: `Prompt ${index}` };
    const entry = { type: "user", uuid: crypto.randomUUID(), parentUuid: null, sessionId, cwd: home.project, message };
    home.write(
      join(folder, `${sessionId}.jsonl`),
      `${JSON.stringify({ ...entry, timestamp: new Date().toISOString() })}\n`,
    );
  }
  await using editor = await startEditor({ home });
  const pages: any[] = [];
  for (let cursor: string | undefined; ;) {
    const { result } = await editor.request("session/list", { cwd: home.project, ...(cursor ? { cursor } : {}) });
    pages.push(result.sessions);
    cursor = result.nextCursor;
    if (cursor === undefined) break;
  }
  expect(pages.map((page) => page.length)).toEqual([50, 50, 20]);
  const listed = pages.flat();
  expect(listed.map(({ sessionId }) => sessionId).toSorted()).toEqual(ids.toSorted());
  const times = listed.map(({ updatedAt }) => updatedAt);
  expect(times).toEqual(times.toSorted().toReversed());
  expect(listed[0]).toMatchObject({ cwd: home.project, title: expect.stringMatching(/^Prompt \d+$/) });
  expect((await editor.request("session/list", { cursor: "made up" })).error.code).toBe(-32602);
  expect((await editor.request("session/list", { cwd: "relative" })).error.code).toBe(-32602);

  const [{ sessionId }] = listed;
  expect((await editor.request("session/delete", { sessionId })).result).toEqual({});
  const again = await editor.request("session/list", {});
  expect(again.result.sessions.map((each: any) => each.sessionId)).not.toContain(sessionId);
  expect(transcriptFiles(home)).toHaveLength(119);
});

test("the sessions of a folder that is gone are listed", async () => {
  using home = temporaryHome();
  const cwd = join(home.home, "gone");
  mkdirSync(cwd);
  await using model = await startMockModel([{ text: "Hello." }]);
  await using editor = await startEditor({ home, url: model.url });
  const { sessionId } = await editor.open({ cwd });
  await editor.prompt(sessionId, "Begin");
  await editor.request("session/close", { sessionId });
  rmSync(cwd, { recursive: true });
  const { sessions } = (await editor.request("session/list", { cwd })).result;
  expect(sessions).toMatchObject([{ sessionId, cwd, title: "Begin" }]);
  expect((await editor.request("session/list", { cwd: join(home.home, "never") })).result).toEqual({ sessions: [] });
});

test("many sessions of one process are apart, and a closed one is over while its history stays", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    { text: "To the first." },
    { text: "To the second." },
    { text: "Resumed." },
  ]);
  await using editor = await startEditor({ home, url: model.url });
  const other = join(home.project, "other");
  mkdirSync(other);
  const one = (await editor.open()).sessionId;
  const two = (await editor.open({ cwd: other })).sessionId;
  await editor.prompt(one, "First");
  await editor.prompt(two, "Second");
  expect([saidIn(editor.updates(one)), saidIn(editor.updates(two))]).toEqual(["To the first.", "To the second."]);
  expect((await editor.request("session/close", { sessionId: one })).result).toEqual({});
  expect((await editor.prompt(one, "More")).error.code).toBe(-32002);
  const resumed = await editor.request("session/resume", { sessionId: one, cwd: home.project });
  expect(resumed.result.modes.currentModeId).toBe("default");
  expect(editor.updates(one, "user_message_chunk")).toEqual([]);
  expect((await editor.prompt(one, "More")).result).toEqual({ stopReason: "end_turn" });
  expect(JSON.stringify(model.requests[2]!.body)).toContain("To the first.");
});

test("mode, model and effort are chosen both ways, and what is not offered is an error", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "Yes." }]);
  await using editor = await startEditor({ home, url: model.url });
  const { sessionId, configOptions } = await editor.open();
  const values = (options: any[]) => Object.fromEntries(options.map(({ id, currentValue }) => [id, currentValue]));
  expect(Object.keys(values(configOptions))).toEqual(["mode", "model", "effort"]);
  const set = async (configId: string, value: unknown) =>
    editor.request("session/set_config_option", { sessionId, configId, value });
  expect(values((await set("mode", "plan")).result.configOptions)).toMatchObject({ mode: "plan" });
  await editor.until(({ params }) => params?.update?.currentModeId === "plan");
  expect((await editor.request("session/set_mode", { sessionId, modeId: "acceptEdits" })).result).toEqual({});
  await editor.until(({ params }) => params?.update?.configOptions?.[0].currentValue === "acceptEdits");
  expect(values((await set("model", "haiku")).result.configOptions)).toMatchObject({ model: "haiku" });
  expect(values((await set("model", "sonnet")).result.configOptions)).toMatchObject({ model: "sonnet" });
  expect(values((await set("effort", "low")).result.configOptions)).toMatchObject({ effort: "low" });
  for (const [id, value] of [
    ["mode", "bypassPermissions"],
    ["mode", "made-up"],
    ["model", 3],
    ["none", "x"],
  ] as const) {
    expect((await set(id, value)).error.code).toBe(-32602);
  }
  expect((await editor.request("session/set_mode", { sessionId, modeId: "none" })).error.code).toBe(-32602);
  await editor.prompt(sessionId, "Go");
  expect(model.requests[0]!.body.model).toContain("sonnet");
});

test.each([
  ["--allow-dangerously-skip-permissions", {}, ["auto", "dontAsk", "bypassPermissions"]],
  ["--permission-mode=bypassPermissions", {}, ["auto", "dontAsk", "bypassPermissions"]],
  ["--allow-dangerously-skip-permissions", { disableBypassPermissionsMode: "disable" }, ["auto", "dontAsk"]],
  ["--permission-mode=default", { disableAutoMode: "disable" }, ["dontAsk"]],
])(
  "%s with the permissions %o: the modes that are offered can be chosen, from each other",
  async (flag, permissions, last) => {
    using home = temporaryHome();
    home.write("~/.claude/settings.json", { permissions });
    await using model = await startMockModel([]);
    await using editor = await startEditor({ home, url: model.url, args: [flag], env: { IS_SANDBOX: "1" } });
    const { sessionId, modes, configOptions } = await editor.open();
    const offered = modes.availableModes.map(({ id }: any) => id);
    expect(offered).toEqual(["default", "acceptEdits", "plan", ...last]);
    expect(configOptions[0].options.map(({ value }: any) => value)).toEqual(offered);
    for (const modeId of [...offered, ...offered.toReversed()])
      expect((await editor.request("session/set_mode", { sessionId, modeId })).error).toBeUndefined();
  },
);

test.each(["http", "sse"] as const)(
  "a server of the editor over %s gets its headers, and its tools are called",
  async (kind) => {
    using home = temporaryHome();
    await using server = await startOfficial[kind]({ requires: { "x-written": "a" } });
    await using model = await startMockModel([
      { calls: [{ name: "mcp__calc__add", input: { a: 1, b: 2 } }] },
      { text: "Three." },
    ]);
    await using editor = await startEditor({ home, url: model.url, args: ["--allowedTools", "mcp__calc"] });
    const entry = { ...server.entry, name: "calc", headers: [{ name: "X-Written", value: "a" }] };
    const { sessionId } = await editor.open({ mcpServers: [entry] });
    await editor.prompt(sessionId, "Add them");
    const [last] = editor.updates(sessionId, "tool_call_update").toReversed();
    expect(last).toMatchObject({ status: "completed", content: [{ content: { text: "```\n3\n```" } }] });
  },
);

test("a session that another program has open is joined, and both see what is said", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "One." }, { text: "Two." }]);
  const stream = ["-p", "--output-format", "stream-json", "--verbose", "--input-format", "stream-json"];
  await using owner = startKeelson([...stream, "--session-id", MISSING], { home, url: model.url, stdin: "open" });
  owner.send({ type: "user", message: { role: "user", content: "First" } });
  await owner.waitForLine(({ type }) => type === "result");
  await using editor = await startEditor({ home, url: model.url });
  const { result } = await editor.request("session/load", { sessionId: MISSING, cwd: home.project, mcpServers: [] });
  expect(result.modes.currentModeId).toBe("default");
  expect(saidIn(editor.updates(MISSING))).toContain("One.");
  expect((await editor.request("session/delete", { sessionId: MISSING })).error.message).toContain("is open in");
  const again = await editor.request("session/load", { sessionId: MISSING, cwd: home.project, mcpServers: [] });
  expect(again.error).toBeUndefined();
  expect((await editor.prompt(MISSING, "Second")).result).toEqual({ stopReason: "end_turn" });
  await owner.waitForLine(({ type, result: said }) => type === "result" && said === "Two.");
  await editor.end();
  owner.closeStdin();
  expect((await owner.done).code).toBe(0);
});

test("an untrusted folder keeps its hooks and servers off, and says so", async () => {
  using home = temporaryHome();
  const hook = { hooks: [{ type: "command", command: `touch ${join(home.root, "ran")}` }] };
  home.write(".claude/settings.json", { hooks: { SessionStart: [hook] }, permissions: { allow: ["Bash(*)"] } });
  home.write(".mcp.json", { mcpServers: { local: { command: "touch", args: [join(home.root, "served")] } } });
  await using editor = await startEditor({ home });
  const { sessionId } = await editor.open();
  await editor.until(({ params }) => params?.update?.sessionUpdate === "agent_message_chunk");
  expect(saidIn(editor.updates(sessionId))).toContain(`run: keelson trust ${home.project}`);
  await editor.end();
  expect(await Array.fromAsync(new Bun.Glob("{ran,served}").scan({ cwd: home.root }))).toEqual([]);
  expect((await runKeelson(["trust", home.project], { home })).code).toBe(0);
  await using trusted = await startEditor({ home });
  await trusted.open();
  await trusted.end();
  expect(await Array.fromAsync(new Bun.Glob("ran").scan({ cwd: home.root }))).toEqual(["ran"]);
});

test("what was added to a trusted folder, or is in one inside it, is off until it is accepted, and the session says so", async () => {
  using home = temporaryHome();
  expect((await runKeelson(["trust", home.project], { home })).code).toBe(0);
  const inside = join(home.project, "inside");
  for (const folder of ["", "inside/"])
    home.write(`${folder}.claude/settings.json`, { permissions: { allow: ["Bash(*)"] } });
  await using editor = await startEditor({ home });
  for (const cwd of [home.project, inside]) {
    const { sessionId } = await editor.open({ cwd });
    await editor.until(
      ({ params }) => params?.sessionId === sessionId && params.update.sessionUpdate === "agent_message_chunk",
    );
    const said = saidIn(editor.updates(sessionId));
    expect(said).toContain(`${join(cwd, ".claude/settings.json")}: permissions.allow "Bash(*)" ignored: `);
    expect(said).toContain(`run: keelson trust ${cwd}`);
  }
  await editor.end();
  const { stdout } = await runKeelson(["acp", "--check"], { home });
  expect(stdout).toContain(`${home.project} (trusted, except for what you have not been asked about)`);
});

test("what the user accepts from now on in an untrusted folder is not asked again in the next session, and nothing else applies", async () => {
  using home = temporaryHome();
  const calls = (...commands: string[]) =>
    commands.map((command) => ({ calls: [{ name: "Bash", input: { command } }] }));
  await using model = await startMockModel([
    ...calls("npm ls one"),
    { text: "One." },
    ...calls("npm ls two", "cargo tree"),
    { text: "Two." },
  ]);
  const asked: string[] = [];
  const answer = ({ method, params }: any) => {
    if (method !== "session/request_permission") return undefined;
    asked.push(params.toolCall.rawInput.command);
    const { optionId } = params.options.find(({ kind }: any) => kind === "allow_always");
    return { outcome: { outcome: "selected", optionId } };
  };
  const run = async () => {
    await using editor = await startEditor({ home, url: model.url, answer });
    const { sessionId } = await editor.open();
    expect((await editor.prompt(sessionId, "Go")).result).toEqual({ stopReason: "end_turn" });
    await editor.end();
  };
  await run();
  const file = join(home.project, ".claude/settings.local.json");
  const { permissions } = await Bun.file(file).json();
  expect(permissions.allow).toEqual(["Bash(npm ls *)"]);
  // Someone else adds to it.
  await Bun.write(file, JSON.stringify({ permissions: { allow: [...permissions.allow, "Bash(cargo *)"] } }));
  await run();
  expect(asked).toEqual(["npm ls one", "cargo tree"]);
});

test("further folders of the editor are working directories, also of a session that is open", async () => {
  using home = temporaryHome();
  const [one, two] = ["one", "two"].map((name) => {
    const folder = join(home.root, name);
    mkdirSync(folder);
    return folder;
  }) as [string, string];
  const write = (folder: string) => [
    { calls: [{ name: "Write", input: { file_path: join(folder, "made.txt"), content: "x" } }] },
    { text: "Done." },
  ];
  await using model = await startMockModel([...write(one), ...write(two)]);
  await using editor = await startEditor({ home, url: model.url, args: ["--permission-mode", "acceptEdits"] });
  const { sessionId } = await editor.open({ additionalDirectories: [one] });
  await editor.prompt(sessionId, "Write into one");
  const place = { sessionId, cwd: home.project, mcpServers: [] };
  expect((await editor.request("session/load", { ...place, additionalDirectories: [one, two] })).error).toBeUndefined();
  await editor.prompt(sessionId, "Write into two");
  expect([one, two].map((folder) => existsSync(join(folder, "made.txt")))).toEqual([true, true]);
  expect(editor.messages.filter(({ method }) => method === "session/request_permission")).toEqual([]);
});

test("a question that another client answers first is withdrawn from the editor", async () => {
  using home = temporaryHome();
  const file = join(home.project, "made.txt");
  const write = { calls: [{ name: "Write", input: { file_path: file, content: "x" } }] };
  await using model = await startMockModel([{ text: "One." }, write, { text: "Made." }]);
  const stream = ["-p", "--output-format", "stream-json", "--verbose", "--input-format", "stream-json"];
  const asking = [...stream, "--permission-prompt-tool", "stdio", "--session-id", MISSING];
  await using owner = startKeelson(asking, { home, url: model.url, stdin: "open" });
  owner.send({ type: "user", message: { role: "user", content: "First" } });
  await owner.waitForLine(({ type }) => type === "result");
  await using editor = await startEditor({ home, url: model.url });
  await editor.request("session/load", { sessionId: MISSING, cwd: home.project, mcpServers: [] });
  const reply = editor.prompt(MISSING, "Write");
  const question = await editor.until(({ method }) => method === "session/request_permission");
  const { json } = await owner.waitForLine(({ request }) => request?.subtype === "can_use_tool");
  const response = { behavior: "allow", updatedInput: (json as any).request.input };
  owner.send({
    type: "control_response",
    response: { subtype: "success", request_id: (json as any).request_id, response },
  });
  const withdrawn = await editor.until(({ method }) => method === "$/cancel_request");
  expect(withdrawn.params).toEqual({ requestId: question.id });
  expect((await reply).result).toEqual({ stopReason: "end_turn" });
  expect(existsSync(file)).toBe(true);
});

test("prompts of the editor's servers are commands before anything is typed", async () => {
  using home = temporaryHome();
  const server = home.write(
    "~/server.ts",
    `for await (const line of console) {
       const { id, method } = JSON.parse(line);
       if (id === undefined) continue;
       const result = method === "initialize"
         ? { protocolVersion: "2025-06-18", capabilities: { prompts: {} }, serverInfo: { name: "mine", version: "1" } }
         : method === "prompts/list" ? { prompts: [{ name: "review", description: "Review it" }] } : {};
       console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
     }`,
  );
  await using model = await startMockModel([]);
  await using editor = await startEditor({ home, url: model.url });
  await editor.open({ mcpServers: [{ name: "mine", command: process.execPath, args: [server], env: [] }] });
  const isListed = ({ name }: any) => name === "mcp__mine__review";
  await editor.until(({ params }) => params?.update?.availableCommands?.some(isListed));
});

test("loaded again in the middle of an answer or a question, a session goes on with everything once", async () => {
  using home = temporaryHome();
  const gate = Promise.withResolvers<void>();
  await using model = await startMockModel([
    { text: "First." },
    { text: ["One ", "two ", "three"], hold: gate.promise, holdAfter: 4 },
    { calls: [{ name: "Bash", input: { command: "touch one" } }] },
    { text: "Touched." },
  ]);
  await using editor = await startEditor({ home, url: model.url });
  const { sessionId } = await editor.open();
  await editor.prompt(sessionId, "Begin");
  const load = () => editor.request("session/load", { sessionId, cwd: home.project, mcpServers: [] });
  const said = (from: number) => saidIn(editor.updates(sessionId).slice(from));

  const answered = editor.prompt(sessionId, "Count");
  await editor.until(({ params }) => params?.update?.content?.text?.includes("One"));
  const first = editor.updates(sessionId).length;
  expect((await load()).error).toBeUndefined();
  gate.resolve();
  expect((await answered).result).toEqual({ stopReason: "end_turn" });
  expect(said(first)).toBe("First.One two three");

  const isQuestion = ({ method }: any) => method === "session/request_permission";
  const touched = editor.prompt(sessionId, "Touch");
  const before = await editor.until(isQuestion);
  const second = editor.updates(sessionId).length;
  expect((await load()).error).toBeUndefined();
  const after = await editor.until((message) => isQuestion(message) && message.id !== before.id);
  expect(editor.messages).toContainEqual({
    jsonrpc: "2.0",
    method: "$/cancel_request",
    params: { requestId: before.id },
  });
  const answer = (id: number, kind: string) => {
    const { optionId } = after.params.options.find((option: any) => option.kind === kind);
    editor.program.send({ jsonrpc: "2.0", id, result: { outcome: { outcome: "selected", optionId } } });
  };
  answer(before.id, "reject_once");
  answer(after.id, "allow_once");
  expect((await touched).result).toEqual({ stopReason: "end_turn" });
  expect(existsSync(join(home.project, "one"))).toBe(true);
  expect(said(second)).toBe("First.One two threeTouched.");
});
