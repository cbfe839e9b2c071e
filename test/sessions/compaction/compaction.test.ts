// A conversation that fills the context window: compacted by itself, by /compact, or honestly refused.

import { expect, test } from "bun:test";
import { chainProblems, readTranscript, runKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { CHAT, kindOf, messagesOf, prompt, resultOf, STREAM } from "../front-door.ts";

const SUMMARY = "<analysis>thinking aloud</analysis>\n<summary>\n1. Task: count apples\n</summary>";
const FULL = { input_tokens: 167_000, output_tokens: 10 };
const NEARLY = { input_tokens: 166_000, output_tokens: 10 };
const MODEL = ["--model", "claude-sonnet-4-6"];

const textsOf = ({ body }: any): string => JSON.stringify(body.messages);

test("a conversation is compacted before the request that follows a full window", async () => {
  using home = temporaryHome();
  home.write("a.txt", "apples");
  home.write("CLAUDE.md", "Always count twice.");
  await using model = await startMockModel([
    { calls: [{ name: "Read", input: { file_path: "a.txt" } }] },
    {
      calls: [
        { name: "TodoWrite", input: { todos: [{ content: "Count", status: "pending", activeForm: "Counting" }] } },
      ],
    },
    { text: "Half way", calls: [{ name: "Bash", input: { command: "echo kept" } }], usage: FULL },
    { text: SUMMARY },
    { text: "done" },
  ]);
  const ended = await runKeelson(["-p", "count apples", ...STREAM, ...MODEL], { home, url: model.url });

  expect(resultOf(ended)).toMatchObject({ result: "done", is_error: false });
  const [, , before, summary, after] = model.requests;
  // The same beginning, so the provider's cache is read.
  expect(summary!.body.system).toEqual(before!.body.system);
  expect(summary!.body.tools).toEqual(before!.body.tools);
  expect(textsOf(summary)).not.toContain("Half way");
  expect(summary!.body.messages.at(-1).content.at(-1).text).toContain("<summary>");
  const [first, reply, result] = after!.body.messages;
  expect(first.content[0].text).toContain("Always count twice.");
  expect(first.content[1].text).toContain("Summary:\n1. Task: count apples");
  expect(first.content[1].text).not.toContain("thinking aloud");
  expect(reply.content).toMatchObject([{ text: "Half way" }, { name: "Bash" }]);
  expect(result.content[0]).toMatchObject({ type: "tool_result", content: "kept" });
  // What a summary cannot replace is there again.
  expect(textsOf(after)).toContain("1\\tapples");
  expect(textsOf(after)).toContain("[pending] Count");
  expect(textsOf(after)).toContain("The following skills");

  const kinds = ended.messages.map(kindOf);
  expect(messagesOf(ended, "system/status")).toMatchObject([
    { status: "compacting" },
    { status: null, compact_result: "success" },
  ]);
  // Of a client of the reference.
  expect(JSON.stringify(ended.messages)).not.toContain("compact_boundary_uuid");
  const at = kinds.indexOf("system/compact_boundary");
  expect(ended.messages[at]).toMatchObject({
    compact_metadata: { trigger: "auto" },
  });
  expect((ended.messages[at] as any).compact_metadata.pre_tokens).toBeGreaterThanOrEqual(167_010);
  expect(ended.messages[at + 1]).toMatchObject({ type: "user", isSynthetic: true });

  // Nothing is gone from the file, and a resumed session reads what the last request had.
  const entries = readTranscript(home);
  expect(chainProblems(entries)).toEqual([]);
  const results = entries.filter(({ type }: any) => type === "user").map((entry) => JSON.stringify(entry));
  expect(results.some((entry) => entry.includes(String.raw`"content":"1\tapples"`))).toBe(true);
  await using later = await startMockModel([{ text: "resumed" }]);
  await runKeelson(["-p", "go on", "-c", ...MODEL], { home, url: later.url });
  const resumed = later.requests[0]!.body.messages;
  expect(later.requests).toHaveLength(1);
  expect(resumed[0].content[1]).toEqual(first.content[1]);
  expect(resumed[1]).toEqual(reply);
  expect(JSON.stringify(resumed.at(-1))).toContain("go on");
});

test("just below the threshold nothing happens", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    { text: "one", calls: [{ name: "Bash", input: { command: "echo a" } }] },
    { text: "two", calls: [{ name: "Bash", input: { command: "echo a" } }], usage: NEARLY },
    { text: "done" },
  ]);
  const ended = await runKeelson(["-p", "go", ...STREAM, ...MODEL], { home, url: model.url });
  expect(resultOf(ended).result).toBe("done");
  expect(messagesOf(ended, "system/compact_boundary")).toEqual([]);
});

test("/compact summarizes with the user's words, and says so", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "one" }, { text: "two" }, { text: SUMMARY }, { text: "three" }]);
  const input = ["first", "second", "/compact keep the apples", "third"].map((text) => prompt(text));
  const ended = await runKeelson(["-p", ...CHAT, ...MODEL], { home, url: model.url, stdin: input });
  expect(textsOf(model.requests[2])).toContain("keep the apples");
  expect(messagesOf(ended, "result")).toMatchObject([
    { result: "one" },
    { result: "two" },
    { local_command: "compact" },
    { result: "three" },
  ]);
  const kinds = ended.messages.map(kindOf);
  const from = kinds.indexOf("system/status");
  expect(kinds.slice(from, from + 7)).toEqual([
    "system/status",
    "system/status",
    "system/init",
    "system/compact_boundary",
    "user",
    "user",
    "result",
  ]);
  expect(ended.messages[from + 5]).toMatchObject({
    isReplay: true,
    message: { content: "<local-command-stdout>Compacted</local-command-stdout>" },
  });
  const [summary, reply, last] = model.requests[3]!.body.messages;
  expect(JSON.stringify(summary)).toContain("count apples");
  expect(reply.content).toMatchObject([{ text: "two" }]);
  expect(JSON.stringify(last)).toContain("third");
});

test("/compact refuses a conversation with a single exchange", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "one" }]);
  const input = ["first", "/compact"].map((text) => prompt(text));
  const ended = await runKeelson(["-p", ...CHAT, ...MODEL], { home, url: model.url, stdin: input });
  expect(messagesOf(ended, "system/status").at(-1)).toMatchObject({
    status: null,
    compact_result: "failed",
    compact_error: "Not enough messages to compact.",
  });
  expect(messagesOf(ended, "result").at(-1)).toMatchObject({ result: "Not enough messages to compact." });
});

test("a request that the server finds too long is sent once more after a compaction", async () => {
  using home = temporaryHome();
  const call = { calls: [{ name: "Bash", input: { command: "echo a" } }] };
  const tooLong = { status: 400, type: "invalid_request_error", message: "prompt is too long: 210000 tokens" };
  await using model = await startMockModel([call, call, tooLong, { text: SUMMARY }, { text: "done" }]);
  const ended = await runKeelson(["-p", "go", ...STREAM, ...MODEL], { home, url: model.url });
  expect(resultOf(ended)).toMatchObject({ result: "done" });
  expect(messagesOf(ended, "system/compact_boundary")).toHaveLength(1);
});

test("a request that is too long twice in a row ends the run", async () => {
  using home = temporaryHome();
  const call = { calls: [{ name: "Bash", input: { command: "echo a" } }] };
  const tooLong = { status: 413, message: "too large" };
  await using model = await startMockModel([call, call, tooLong, { text: SUMMARY }, tooLong]);
  const ended = await runKeelson(["-p", "go", ...STREAM, ...MODEL], { home, url: model.url });
  expect(ended.code).toBe(1);
  expect(resultOf(ended)).toMatchObject({ is_error: true, terminal_reason: "prompt_too_long" });
});

test("a conversation that is full again right after each compaction ends the run", async () => {
  using home = temporaryHome();
  const call = { text: "more", calls: [{ name: "Bash", input: { command: "echo a" } }], usage: FULL };
  const script = (body: any) =>
    JSON.stringify(body.messages.at(-1)).includes("about to be shortened") ? { text: SUMMARY } : call;
  await using model = await startMockModel(script);
  const ended = await runKeelson(["-p", "go", ...STREAM, ...MODEL], { home, url: model.url });
  expect(ended.code).toBe(1);
  expect(resultOf(ended)).toMatchObject({ is_error: true, terminal_reason: "rapid_refill_breaker" });
  expect(messagesOf(ended, "system/compact_boundary")).toHaveLength(3);
});

test.each([
  ["DISABLE_AUTO_COMPACT", { DISABLE_AUTO_COMPACT: "1" }],
  ["DISABLE_COMPACT", { DISABLE_COMPACT: "1" }],
])("with %s a full window is refused", async (_name, env) => {
  using home = temporaryHome();
  const call = { calls: [{ name: "Bash", input: { command: "echo a" } }], usage: { ...FULL, input_tokens: 190_000 } };
  await using model = await startMockModel([call, call]);
  const ended = await runKeelson(["-p", "go", ...STREAM, ...MODEL], { home, url: model.url, env });
  expect(ended.code).toBe(1);
  expect(resultOf(ended)).toMatchObject({ result: "Prompt is too long", terminal_reason: "blocking_limit" });
  expect(model.requests).toHaveLength(1);
});

test("hooks see a compaction, may forbid it, and add words to its request", async () => {
  using home = temporaryHome();
  const log = `${home.project}/log`;
  const hook = (event: string, more = "") => ({
    [event]: [{ hooks: [{ type: "command", command: `cat >> ${log}; echo >> ${log}; ${more}` }] }],
  });
  const hooks = {
    ...hook("PreCompact", "echo mind the pears"),
    ...hook("PostCompact"),
    ...hook("SessionStart"),
    ...hook("SubagentStop", "exit 2"),
  };
  home.settings({ hooks });
  await using model = await startMockModel([{ text: "one" }, { text: "two" }, { text: SUMMARY }]);
  const input = ["first", "second", "/compact"].map((text) => prompt(text));
  await runKeelson(["-p", ...CHAT, ...MODEL], { home, url: model.url, stdin: input });
  expect(textsOf(model.requests[2])).toContain("mind the pears");
  const fired = home
    .read("log")
    .trim()
    .split("\n")
    .filter((line: string) => line !== "")
    .map((line: string) => JSON.parse(line));
  expect(fired).toMatchObject([
    { hook_event_name: "SessionStart", source: "startup" },
    { hook_event_name: "PreCompact", trigger: "manual", custom_instructions: null },
    { hook_event_name: "SubagentStop", agent_type: "", stop_hook_active: false, last_assistant_message: SUMMARY },
    { hook_event_name: "SessionStart", source: "compact" },
    { hook_event_name: "PostCompact", trigger: "manual", compact_summary: SUMMARY },
  ]);
});

test("going back to a message before the compaction undoes it", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "one" }, { text: "two" }, { text: SUMMARY }, { text: "three" }]);
  const stdin = ["first", "second", "/compact", "third"].map((text) => prompt(text));
  const ended = await runKeelson(["-p", ...CHAT, ...MODEL], { home, url: model.url, stdin });
  const { session_id: id } = messagesOf(ended, "result")[0];
  const reply = messagesOf(ended, "assistant").find(({ message }) => message.content[0].text === "two");
  await using later = await startMockModel([{ text: "back" }]);
  const back = ["--resume", id, "--resume-session-at", reply.uuid];
  await runKeelson(["-p", "again", ...back, ...MODEL], { home, url: later.url });
  const said = textsOf(later.requests[0]);
  expect(["first", "one", "second", "two", "again"].filter((word) => !said.includes(word))).toEqual([]);
  expect(said).not.toContain("count apples");
});

test("old tool results make room first, and stay removed when the session is resumed", async () => {
  using home = temporaryHome();
  const words = (n: number) => `part ${n}\n${"many words about apples\n".repeat(900)}`;
  for (let n = 0; n < 9; n++) home.write(`${n}.txt`, words(n));
  const read = (n: number) => ({ calls: [{ name: "Read", input: { file_path: `${n}.txt` } }] });
  const script = [0, 1, 2, 3, 4, 5, 6, 7].map(read);
  const full = { ...read(8), usage: { input_tokens: 42_000, output_tokens: 10 } };
  await using model = await startMockModel([...script, full, { text: "done" }]);
  const env = { CLAUDE_CODE_MAX_CONTEXT_TOKENS: "50000" };
  const ended = await runKeelson(["-p", "read", ...STREAM, ...MODEL], { home, url: model.url, env });
  expect(resultOf(ended).result).toBe("done");
  expect(messagesOf(ended, "system/compact_boundary")).toEqual([]);
  const results = ({ body }: any): string[] =>
    body.messages.flatMap(({ content }: any) =>
      content.filter(({ type }: any) => type === "tool_result").map((block: any) => block.content.slice(0, 12)),
    );
  expect(results(model.requests[9])).toEqual([
    ...Array.from({ length: 6 }, () => "[This old to"),
    ...[6, 7, 8].map((n) => `1\tpart ${n}\n2\tm`),
  ]);
  await using later = await startMockModel([{ text: "resumed" }]);
  await runKeelson(["-p", "go on", "-c", ...MODEL], { home, url: later.url, env });
  expect(results(later.requests[0])).toEqual(results(model.requests[9]));
  expect(JSON.stringify(readTranscript(home))).toContain("part 0");
});

test("a subagent's conversation is compacted in its own transcript", async () => {
  using home = temporaryHome();
  const call = (command: string) => ({ calls: [{ name: "Bash", input: { command } }] });
  await using model = await startMockModel([
    {
      calls: [{ name: "Agent", input: { description: "count", prompt: "count the apples", subagent_type: "claude" } }],
    },
    call("echo a"),
    { ...call("echo b"), usage: FULL },
    { text: SUMMARY },
    { text: "seven" },
    { text: "The agent says seven" },
  ]);
  const ended = await runKeelson(["-p", "ask an agent", ...STREAM, ...MODEL], { home, url: model.url });
  expect(resultOf(ended).result).toBe("The agent says seven");
  expect(textsOf(model.requests[4])).toContain("Summary:\\n1. Task: count apples");
  expect(textsOf(model.requests[5])).not.toContain("Summary:");
  expect(messagesOf(ended, "system/compact_boundary")).toEqual([]);
});

test("an agent can have a smaller window of its own", async () => {
  using home = temporaryHome();
  const call = (command: string) => ({ calls: [{ name: "Bash", input: { command } }] });
  const counter = { description: "counts", prompt: "Count.", autoCompactWindow: 100_000 };
  await using model = await startMockModel([
    { calls: [{ name: "Agent", input: { description: "count", prompt: "count", subagent_type: "counter" } }] },
    call("echo a"),
    { ...call("echo b"), usage: { input_tokens: 90_000, output_tokens: 1 } },
    { text: SUMMARY },
    { text: "seven" },
    { text: "done" },
  ]);
  const flags = ["--agents", JSON.stringify({ counter }), ...STREAM, ...MODEL];
  const ended = await runKeelson(["-p", "ask", ...flags], { home, url: model.url });
  expect(resultOf(ended).result).toBe("done");
  expect(textsOf(model.requests[4])).toContain("Summary:");
});

test("skills that were invoked before the session was resumed still apply after a compaction", async () => {
  using home = temporaryHome();
  for (const name of ["typed", "called"])
    home.write(`.claude/skills/${name}/SKILL.md`, `---\ndescription: d\n---\nAlways obey the ${name} rules.\n`);
  await using model = await startMockModel([
    { text: "one" },
    { calls: [{ name: "Skill", input: { skill: "called" } }] },
    { text: "two" },
    { text: SUMMARY },
    { text: "three" },
    { text: SUMMARY },
    { text: "four" },
  ]);
  const run = (words: string, ...more: string[]) =>
    runKeelson(["-p", words, ...MODEL, ...more], { home, url: model.url });
  await run("/typed");
  await run("go on", "--continue");
  // Twice: the second compaction finds the texts where the first one put them.
  for (const at of [4, 6]) {
    expect((await run("/compact", "--continue")).stderr).toBe("");
    await run("and now?", "--continue");
    const sent = textsOf(model.requests[at]);
    for (const name of ["typed", "called"]) expect(sent.split(`Always obey the ${name} rules.`)).toHaveLength(2);
  }
});
