// Going on with a conversation: by being the last one, by id, by name, in a copy, from an earlier point; and the files
// that make it possible, ours and the reference's own.

import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { basename } from "node:path";
import {
  chainProblems,
  readTranscript,
  runKeelson,
  startMockModel,
  temporaryHome,
  transcriptFiles,
  type RecordedRequest,
  type TemporaryHome,
} from "@keelson/testkit";
import { CHAT, messagesOf, prompt, resultOf, spoken, STREAM } from "../front-door.ts";

const ONE = "11111111-1111-4111-8111-111111111111";
const TWO = "22222222-2222-4222-8222-222222222222";
const NOBODY = "99999999-9999-4999-8999-999999999999";

const said = (body: any): [string, string][] =>
  spoken({ body } as RecordedRequest).flatMap(({ role, content }: any) =>
    content.map((block: any) => [role, block.text ?? block.content ?? block.name]),
  );

test("-c goes on with the last session of this folder", async () => {
  using home = temporaryHome();
  home.write("a.txt", "apples");
  await using model = await startMockModel([
    { thinking: "hm", calls: [{ name: "Read", input: { file_path: "a.txt" } }] },
    { text: "There are apples." },
    { text: "Two, I think." },
  ]);

  const first = await runKeelson(["-p", "what is there?", ...STREAM], { home, url: model.url });
  const second = await runKeelson(["-p", "how many?", "-c", ...STREAM], { home, url: model.url });

  expect(resultOf(second).session_id).toBe(resultOf(first).session_id);
  // What was sent before is sent again, word for word, with the new prompt behind it.
  const unmarked = (messages: unknown) =>
    JSON.parse(JSON.stringify(messages, (key, value) => (key === "cache_control" ? undefined : value)));
  const [before, after] = [model.requests[1]!.body, model.requests[2]!.body];
  expect(unmarked(after.messages.slice(0, 3))).toEqual(unmarked(before.messages));
  expect(unmarked(after.messages.slice(3))).toEqual([
    { role: "assistant", content: [{ type: "text", text: "There are apples." }] },
    { role: "user", content: [{ type: "text", text: "how many?" }] },
  ]);
  expect(after.system).toEqual(before.system);
  expect(after.tools).toEqual(before.tools);
  expect(transcriptFiles(home)).toHaveLength(1);
  expect(chainProblems(readTranscript(home))).toEqual([]);
});

test("-c with nothing to go on with starts afresh", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "hello" }]);
  const { code, stdout } = await runKeelson(["-p", "hi", "-c"], { home, url: model.url });
  expect({ code, stdout }).toEqual({ code: 0, stdout: "hello\n" });
});

test("-c takes the newest session, and only of this folder", async () => {
  using home = temporaryHome();
  home.write("elsewhere/keep.txt", "");
  await using model = await startMockModel(({ messages }: any) => ({ text: `${messages.length}` }));
  const run = (args: string[], cwd?: string) =>
    runKeelson(["-p", ...args], { home, url: model.url, ...(cwd ? { cwd } : {}) });
  await run(["one", "--session-id", ONE]);
  await run(["two", "--session-id", TWO]);
  await run(["three"], `${home.project}/elsewhere`);

  await run(["again", "-c"]);

  expect(said(model.requests[3]!.body)).toEqual([
    ["user", "two"],
    ["assistant", "1"],
    ["user", "again"],
  ]);
});

test("-r goes on by id, and by the name a session was given", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "1" }, { text: "2" }, { text: "3" }, { text: "4" }]);
  const run = (...args: string[]) => runKeelson(["-p", ...args, ...STREAM], { home, url: model.url });

  await run("one", "--session-id", ONE, "-n", "Fix the parser");
  await run("two", "--session-id", TWO);
  const byId = await run("by id", "-r", ONE);
  const byName = await run("by name", "--resume", "fix the parser");

  expect([resultOf(byId).session_id, resultOf(byName).session_id]).toEqual([ONE, ONE]);
  expect(said(model.requests[3]!.body).map(([, text]) => text)).toEqual(["one", "1", "by id", "3", "by name"]);
  expect(chainProblems(readTranscript(home, ONE))).toEqual([]);
  // The name stays at the end of the file, where listings look for it.
  const titles = readTranscript(home, ONE).filter(({ type }) => type === "custom-title");
  expect(titles.at(-1)).toEqual({ type: "custom-title", customTitle: "Fix the parser", sessionId: ONE } as any);
});

test("a name that several sessions have is an error that lists them", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "1" }, { text: "2" }]);
  for (const id of [ONE, TWO]) {
    await runKeelson(["-p", "hi", "--session-id", id, "-n", "same"], { home, url: model.url });
  }
  const { code, stdout, stderr } = await runKeelson(["-p", "go", "-r", "same"], { home, url: model.url });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain(ONE);
  expect(stderr).toContain(TWO);
});

test("a session nobody knows: said on stderr, and as a result to whoever reads the stream", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([]);
  const text = `No conversation found with session ID: ${NOBODY}`;

  const plain = await runKeelson(["-p", "go", "-r", NOBODY], { home, url: model.url });
  expect(plain).toMatchObject({ code: 1, stdout: "", stderr: `${text}\n` });

  const stream = await runKeelson([...CHAT, "--resume", NOBODY], { home, url: model.url, stdin: [prompt("go")] });
  expect(stream).toMatchObject({ code: 1, stderr: `${text}\n` });
  expect(stream.messages).toHaveLength(1);
  expect(resultOf(stream)).toMatchObject({
    subtype: "error_during_execution",
    is_error: true,
    errors: [text],
    session_id: NOBODY,
    num_turns: 0,
    total_cost_usd: 0,
  });
  expect(model.requests).toEqual([]);
});

test("--fork-session goes on in a copy and leaves the first as it is", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "1" }, { text: "2" }, { text: "3" }]);
  const run = (...args: string[]) => runKeelson(["-p", ...args, ...STREAM], { home, url: model.url });
  await run("one", "--session-id", ONE);
  const original = readTranscript(home, ONE);

  const chosen = await run("two", "-r", ONE, "--fork-session", "--session-id", TWO);
  const free = await run("three", "-r", ONE, "--fork-session");

  expect(resultOf(chosen).session_id).toBe(TWO);
  expect([ONE, TWO]).not.toContain(resultOf(free).session_id);
  expect(readTranscript(home, ONE)).toEqual(original);
  const copy = readTranscript(home, TWO) as readonly any[];
  expect(chainProblems(copy)).toEqual([]);
  const uuids = (entries: readonly any[]) => entries.flatMap(({ uuid }) => (uuid ? [uuid] : []));
  expect(uuids(copy).slice(0, uuids(original).length)).toEqual(uuids(original));
  expect(new Set(copy.map(({ sessionId }) => sessionId))).toEqual(new Set([TWO]));
  for (const request of model.requests.slice(1)) {
    expect(said(request.body).slice(0, 2)).toEqual([
      ["user", "one"],
      ["assistant", "1"],
    ]);
  }
});

test("--session-id names a new session, once", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "1" }]);
  const first = await runKeelson(["-p", "one", "--session-id", ONE, ...STREAM], { home, url: model.url });
  expect(resultOf(first).session_id).toBe(ONE);
  expect(transcriptFiles(home).map((path) => basename(path))).toEqual([`${ONE}.jsonl`]);
  expect(model.requests[0]!.headers["x-claude-code-session-id"]).toBe(ONE);

  const again = await runKeelson(["-p", "two", "--session-id", ONE], { home, url: model.url });
  expect(again).toMatchObject({ code: 1, stdout: "", stderr: `Session ID ${ONE} is already in use.\n` });
});

test("session flags that make no sense are refused before anything is asked", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([]);
  const refusal = async (...args: string[]) => {
    const { code, stderr } = await runKeelson(["-p", "go", ...args], { home, url: model.url });
    return [code, stderr.trim()];
  };
  expect(await refusal("--session-id", "not-a-uuid")).toEqual([
    1,
    'error: invalid session ID "not-a-uuid"; it must be a UUID',
  ]);
  expect(await refusal("--session-id", ONE, "-c")).toEqual([
    1,
    "error: --session-id with --continue or --resume requires --fork-session",
  ]);
  expect(await refusal("--resume")).toEqual([1, expect.stringContaining("--resume requires a session ID or name")]);
  expect(await refusal("--resume-session-at", ONE)).toEqual([1, expect.stringContaining("requires --resume")]);
});

test("--resume-session-at goes on after an earlier message, in the same file", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "1" }, { text: "2" }, { text: "3" }]);
  const run = (...args: string[]) => runKeelson(["-p", ...args, ...STREAM], { home, url: model.url });
  const first = await run("one", "--session-id", ONE);
  await run("two", "-r", ONE);
  const { uuid } = messagesOf(first, "assistant")[0];

  await run("other", "-r", ONE, "--resume-session-at", uuid);

  expect(said(model.requests[2]!.body).map(([, text]) => text)).toEqual(["one", "1", "other"]);
  const entries = readTranscript(home, ONE) as readonly any[];
  expect(chainProblems(entries)).toEqual([]);
  expect(entries.find(({ message }) => message?.content === "other").parentUuid).toBe(uuid);
  // What was said the first time is still there.
  expect(entries.find(({ message }) => message?.content === "two")).toBeDefined();

  const nowhere = await run("x", "-r", ONE, "--resume-session-at", NOBODY);
  expect(nowhere.code).toBe(1);
  expect(nowhere.stderr).toContain(NOBODY);
});

test("--no-session-persistence writes nothing, and such a session cannot be resumed", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "1" }, { text: "2" }]);
  const args = ["-p", "one", "--session-id", ONE, "-n", "gone", "--no-session-persistence"];
  expect((await runKeelson(args, { home, url: model.url })).stdout).toBe("1\n");
  expect(everythingIn(home)).toEqual([]);
  const { stderr } = await runKeelson(["-p", "two", "-r", ONE], { home, url: model.url });
  expect(stderr).toContain("No conversation found");
});

test("--no-session-persistence reads an earlier session and leaves it as it is", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "1" }, { text: "2" }]);
  await runKeelson(["-p", "one", "--session-id", ONE], { home, url: model.url });
  const before = readTranscript(home, ONE);
  await runKeelson(["-p", "two", "-r", ONE, "--no-session-persistence"], { home, url: model.url });
  expect(said(model.requests[1]!.body).map(([, text]) => text)).toEqual(["one", "1", "two"]);
  expect(readTranscript(home, ONE)).toEqual(before);
});

test("a session that is never asked anything leaves no file", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([]);
  await runKeelson([...CHAT, "-n", "nothing yet"], { home, url: model.url });
  expect(everythingIn(home)).toEqual([]);
});

test("what it cost so far is carried on", async () => {
  using home = temporaryHome();
  const usage = { input_tokens: 100_000, output_tokens: 0 };
  await using model = await startMockModel([
    { text: "1", usage },
    { text: "2", usage },
    { text: "3", usage },
  ]);
  const cost = async (...args: string[]) => {
    const ended = await runKeelson(["-p", "go", "--model", "claude-sonnet-4-6", ...args, ...STREAM], {
      home,
      url: model.url,
    });
    const { total_cost_usd, usage, modelUsage } = resultOf(ended);
    return [total_cost_usd.toFixed(9), usage.input_tokens, modelUsage["claude-sonnet-4-6"].inputTokens];
  };
  expect(await cost("--session-id", ONE)).toEqual(["0.300000000", 100_000, 100_000]);
  // The total continues; `usage` is this run's own.
  expect(await cost("-r", ONE)).toEqual(["0.600000000", 100_000, 200_000]);
  expect(await cost("-r", ONE, "--fork-session")).toEqual(["0.900000000", 100_000, 300_000]);
});

test("the transcript has the fields other programs read", async () => {
  using home = temporaryHome({ git: true });
  home.write("a.txt", "apples");
  await using model = await startMockModel([
    { text: "Looking.", calls: [{ name: "Read", input: { file_path: "a.txt" } }] },
    { text: "Apples." },
  ]);
  await runKeelson(["-p", "what is there?", "--session-id", ONE], { home, url: model.url });

  const entries = readTranscript(home, ONE) as readonly any[];
  const [skills, listing, ...chain] = entries.filter(({ uuid }) => uuid);
  expect(skills).toMatchObject({ type: "attachment", attachment: { type: "skill_listing", isInitial: true } });
  expect(listing).toMatchObject({ type: "attachment", attachment: { type: "agent_listing_delta", isInitial: true } });
  expect(chain.map(({ type }) => type)).toEqual(["user", "assistant", "assistant", "user", "assistant"]);
  for (const entry of chain) {
    expect(entry).toMatchObject({
      isSidechain: false,
      userType: "external",
      entrypoint: "sdk-cli",
      cwd: home.project,
      sessionId: ONE,
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      gitBranch: "main",
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  }
  const [typed, looking, call, result, answer] = chain;
  expect([skills.parentUuid, listing.parentUuid]).toEqual([null, skills.uuid]);
  expect(typed).toMatchObject({ parentUuid: listing.uuid, message: { role: "user", content: "what is there?" } });
  expect(typed.permissionMode).toBe("default");
  expect(looking).toMatchObject({ parentUuid: typed.uuid });
  // Unlike on the wire, the last entry of a reply has the stop reason and the usage of all of it.
  expect(call).toMatchObject({
    parentUuid: looking.uuid,
    message: { stop_reason: "tool_use", usage: { output_tokens: 20 } },
  });
  expect(result).toMatchObject({
    parentUuid: call.uuid,
    sourceToolAssistantUUID: call.uuid,
    promptId: typed.promptId,
    toolUseResult: { type: "text", file: { filePath: `${home.project}/a.txt` } },
  });
  expect(answer).toMatchObject({ parentUuid: result.uuid, message: { stop_reason: "end_turn" } });
  const beside = entries.filter(({ uuid }) => !uuid);
  const isSeal = ({ type }: { type: string }) => type === "keelson-seal";
  // The proof comes while the model takes its time, or at the end.
  expect(beside.filter(isSeal)).toHaveLength(1);
  expect(beside.filter((entry) => !isSeal(entry)).map(({ type, operation }) => operation ?? type)).toEqual([
    "enqueue",
    "dequeue",
    "last-prompt",
    "cost-state",
  ]);
  expect(beside.find(({ type }) => type === "last-prompt")).toEqual({
    type: "last-prompt",
    lastPrompt: "what is there?",
    leafUuid: answer.uuid,
    sessionId: ONE,
  });
});

test("a transcript as the reference writes it can be gone on with", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "Twice." }]);
  const common = {
    isSidechain: false,
    timestamp: "2026-11-15T06:57:32.416Z",
    userType: "external",
    entrypoint: "sdk-ts",
    cwd: home.project,
    sessionId: ONE,
    version: "2.1.325",
    gitBranch: "master",
  };
  const usage = { input_tokens: 100, output_tokens: 20, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const reply = (uuid: string, parentUuid: string, id: string, block: object, more: object = {}) => ({
    parentUuid,
    message: {
      id,
      type: "message",
      role: "assistant",
      model: "claude-opus-4-8",
      content: [block],
      stop_reason: "tool_use",
      stop_sequence: null,
      usage,
      stop_details: null,
    },
    requestedModel: "claude-opus-4-8",
    effort: "medium",
    madeBy: "model",
    type: "assistant",
    uuid,
    ...common,
    ...more,
  });
  const bash = (id: string, command: string) => ({ type: "tool_use", id, name: "Bash", input: { command } });
  const outcome = (uuid: string, parentUuid: string, tool_use_id: string, content: string) => ({
    parentUuid,
    promptId: "p1",
    type: "user",
    message: { role: "user", content: [{ tool_use_id, type: "tool_result", content, is_error: false }] },
    uuid,
    toolUseResult: { stdout: content, stderr: "", interrupted: false, isImage: false, noOutputExpected: false },
    sandboxed: false,
    sourceToolAssistantUUID: parentUuid,
    permissionDecision: { decision: "accept", source: "user_temporary", grantScope: "once", reasonCode: "unknown" },
    ...common,
  });
  const thought = { type: "thinking", thinking: "Both at once.", signature: "c2ln" };
  const lines = [
    { type: "queue-operation", operation: "enqueue", timestamp: common.timestamp, sessionId: ONE, content: "say hi" },
    { type: "queue-operation", operation: "dequeue", timestamp: common.timestamp, sessionId: ONE },
    { type: "file-history-snapshot", messageId: "u1", snapshot: { messageId: "u1", trackedFileBackups: {} } },
    {
      parentUuid: null,
      promptId: "p1",
      type: "user",
      message: { role: "user", content: "say hi twice" },
      uuid: "u1",
      permissionMode: "default",
      promptSource: "sdk",
      turnOrigin: "sdk",
      turnPosition: { promptIndex: 0, turnIndex: 1 },
      ...common,
    },
    // Context the harness adds is part of the chain.
    {
      parentUuid: "u1",
      type: "attachment",
      attachment: { type: "environment" },
      rendered: [{ content: "The date is …" }],
      renderedRole: "system",
      uuid: "at1",
      ...common,
    },
    { type: "api-request", id: "r1", sessionId: ONE },
    reply("a1", "at1", "msg_1", thought),
    reply("a2", "a1", "msg_1", bash("toolu_1", "echo hi"), { apiBlockIndex: 1 }),
    reply("a3", "a2", "msg_1", bash("toolu_2", "echo hi"), { apiBlockIndex: 2 }),
    // Parallel calls branch: each result hangs on its own call.
    outcome("r1", "a2", "toolu_1", "hi"),
    outcome("r2", "a3", "toolu_2", "hi"),
    reply("a4", "r2", "msg_2", { type: "text", text: "hi, hi" }),
    { type: "a-type-of-tomorrow", sessionId: ONE, anything: [1] },
    { type: "last-prompt", lastPrompt: "say hi twice", leafUuid: "a4", sessionId: ONE },
    { type: "custom-title", customTitle: "greetings", sessionId: ONE },
    {
      type: "cost-state",
      sessionId: ONE,
      totalCostUSD: 0.5,
      totalAPIDuration: 44,
      totalAPIDurationWithoutRetries: 41,
      totalToolDuration: 0,
      totalLinesAdded: 0,
      totalLinesRemoved: 0,
      totalDuration: 622,
      startTime: 1794725851929,
      modelUsage: {
        "claude-opus-4-8": {
          inputTokens: 100,
          outputTokens: 20,
          cacheReadInputTokens: 0,
          cacheCreationInputTokens: 0,
          webSearchRequests: 0,
          costUSD: 0.5,
          contextWindow: 1000000,
          maxOutputTokens: 128000,
        },
      },
      hasUnknownModelCost: false,
    },
  ];
  const key = home.project.replace(/[^a-zA-Z0-9]/g, "-");
  const written = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  home.write(`~/.claude/projects/${key}/${ONE}.jsonl`, written);

  const ended = await runKeelson(["-p", "how often?", "-r", "greetings", "--model", "claude-opus-4-8", ...STREAM], {
    home,
    url: model.url,
  });

  expect(spoken(model.requests[0]!)).toEqual([
    { role: "user", content: [{ type: "text", text: "say hi twice" }] },
    {
      role: "assistant",
      content: [thought, bash("toolu_1", "echo hi"), bash("toolu_2", "echo hi")],
    },
    {
      role: "user",
      content: [
        { tool_use_id: "toolu_1", type: "tool_result", content: "hi", is_error: false },
        { tool_use_id: "toolu_2", type: "tool_result", content: "hi", is_error: false },
      ],
    },
    { role: "assistant", content: [{ type: "text", text: "hi, hi" }] },
    { role: "user", content: [{ type: "text", text: "how often?", cache_control: { type: "ephemeral" } }] },
  ]);
  expect(resultOf(ended)).toMatchObject({ session_id: ONE, result: "Twice." });
  expect(resultOf(ended).total_cost_usd).toBeCloseTo(0.501, 9);
  // Appended to, never rewritten.
  const now = home.read(`~/.claude/projects/${key}/${ONE}.jsonl`);
  expect(now).toStartWith(written);
  expect(chainProblems(readTranscript(home, ONE))).toEqual([]);
  const all = readTranscript(home, ONE) as readonly any[];
  const added = all.find((entry) => entry.message?.content === "how often?");
  const listing = (type: string) => all.find((entry) => entry.attachment?.type === type);
  const [skills, agents] = [listing("skill_listing"), listing("agent_listing_delta")];
  expect([added.parentUuid, agents.parentUuid, skills.parentUuid]).toEqual([agents.uuid, skills.uuid, "a4"]);
});

test("a damaged transcript gives what can be read of it", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "1" }, { text: "2" }]);
  await runKeelson(["-p", "one", "--session-id", ONE], { home, url: model.url });
  const [file] = transcriptFiles(home);
  // Cut in the middle of a line, as a crash would leave it.
  home.write(file!, `${home.read(file!)}{"parentUuid":"x","type":"user","mess`);

  const { code } = await runKeelson(["-p", "two", "-r", ONE], { home, url: model.url });

  expect(code).toBe(0);
  expect(said(model.requests[1]!.body).map(([, text]) => text)).toEqual(["one", "1", "two"]);
  expect(chainProblems(readTranscript(home, ONE, { tolerant: true }))).toEqual([]);
});

test("a call that never got its answer is answered when its session goes on", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "ok" }]);
  const key = home.project.replace(/[^a-zA-Z0-9]/g, "-");
  const common = { isSidechain: false, timestamp: "2026-11-15T06:57:32.416Z", cwd: home.project, sessionId: ONE };
  const call = { type: "tool_use", id: "toolu_1", name: "Bash", input: { command: "sleep 100" } };
  const entries = [
    { parentUuid: null, type: "user", message: { role: "user", content: "wait" }, uuid: "u1", ...common },
    {
      parentUuid: "u1",
      type: "assistant",
      message: {
        id: "m1",
        type: "message",
        role: "assistant",
        model: "m",
        content: [call],
        stop_reason: null,
        usage: {},
      },
      uuid: "a1",
      ...common,
    },
  ];
  home.write(`~/.claude/projects/${key}/${ONE}.jsonl`, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));

  await runKeelson(["-p", "and now?", "-r", ONE], { home, url: model.url });

  const { messages } = model.requests[0]!.body;
  expect(messages[1].content).toEqual([call]);
  expect(messages[2].content[0]).toMatchObject({ type: "tool_result", tool_use_id: "toolu_1", is_error: true });
  expect(messages[2].content.at(-1)).toMatchObject({ type: "text", text: "and now?" });
});

/** Files below the configuration folder. */
function everythingIn({ configDir }: TemporaryHome): string[] {
  if (!existsSync(configDir)) return [];
  return readdirSync(configDir, { recursive: true, withFileTypes: true }).flatMap((file) =>
    file.isFile() ? [`${file.parentPath}/${file.name}`] : [],
  );
}

test("a continued session keeps its model, unless a flag or a variable names another; settings are for new ones", async () => {
  using home = temporaryHome();
  await using model = await startMockModel(() => ({ text: "ok" }));
  const run = async (env: Record<string, string>, ...flags: readonly string[]) => {
    const { stderr } = await runKeelson(["-p", "hi", ...flags], { home, url: model.url, env });
    return [stderr, model.requests.at(-1)!.body.model];
  };
  const [, usual] = await run({});
  const [, haiku] = await run({}, "--model", "haiku");
  expect(haiku).not.toBe(usual);
  expect(await run({}, "-c")).toEqual(["", haiku]);
  expect(await run({}, "-c", "--fork-session")).toEqual(["", haiku]);
  home.settings({ model: "opus" });
  expect(await run({}, "-c")).toEqual(["", haiku]);
  expect(await run({ ANTHROPIC_MODEL: "claude-own-1" }, "-c")).toEqual(["", "claude-own-1"]);
  expect(await run({}, "-c", "--model", "sonnet")).toEqual(["", usual]);
  expect(await run({}, "-c")).toEqual(["", usual]);
});
