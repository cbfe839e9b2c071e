// What is shown when a session is loaded, next to what was shown while it ran: random conversations through the real
// program. KEELSON_CONVERSATIONS for more, KEELSON_SEED for others.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import {
  readTranscript,
  runKeelson,
  seeded,
  startKeelson,
  startMockModel,
  temporaryHome,
  type ScriptedReply,
  type TemporaryHome,
} from "@keelson/testkit";
import { SESSION, writeSession } from "../web-page/support/written-session.ts";
import { startEditor, type Editor } from "./editor.ts";
import { shownIn, type ShownItem } from "./shown.ts";

const CONVERSATIONS = Number(process.env["KEELSON_CONVERSATIONS"] ?? 6);
const SEED = Number(process.env["KEELSON_SEED"] ?? 20_261_119);

type Call = NonNullable<ScriptedReply["calls"]>[number];
type Random = () => number;

const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)]!;

/** Calls of every kind that a session shows in its own way: done, failed, denied, of the wrong type, unknown. */
const CALLS: readonly (readonly [name: string, input: Call["input"]])[] = [
  ["Read", { file_path: "notes.txt" }],
  ["Read", { file_path: "missing.txt" }],
  ["Read", { file_path: "picture.png" }],
  ["Read", { file_path: 7 }],
  ["Write", { file_path: "new.txt", content: "one\ntwo\n" }],
  ["Edit", { file_path: "notes.txt", old_string: "line 3\n", new_string: "line three\nline 3\n" }],
  ["Edit", { file_path: "notes.txt", old_string: "not there", new_string: "x" }],
  ["Bash", { command: "echo hello; printf '```\\nfenced\\n```\\n'" }],
  ["Bash", { command: "echo oops >&2; exit 3", description: "Fail" }],
  ["Bash", { command: "seq 1 40000" }],
  ["Bash", { command: "echo later", run_in_background: true }],
  ["Glob", { pattern: "*.txt" }],
  ["Grep", { pattern: "line", output_mode: "content" }],
  ["TodoWrite", { todos: [{ content: "Look", activeForm: "Looking", status: "in_progress" }] }],
  ["TodoWrite", { todos: "all of it" }],
  ["TaskCreate", { subject: "Write it", description: "All of it" }],
  ["Agent", { description: "Look", prompt: "Look around", subagent_type: "general-purpose" }],
  ["WebFetch", { url: "http://127.0.0.1:9/", prompt: "What is it?" }],
  ["EnterPlanMode", {}],
  ["ExitPlanMode", { plan: "# Plan\n\n1. Go" }],
  [
    "AskUserQuestion",
    {
      questions: [
        {
          question: "Which?",
          header: "Which",
          multiSelect: false,
          options: [
            { label: "A", description: "a" },
            { label: "B", description: "b" },
          ],
        },
      ],
    },
  ],
  ["NoSuchTool", { x: 1 }],
];

const BROKEN = 0.05;

/** What a subagent does: some of it has to be approved. */
const INNER_CALLS: readonly (readonly [name: string, input: Call["input"]])[] = [
  ["Glob", { pattern: "*" }],
  ["Bash", { command: "touch inner; echo done" }],
  ["Edit", { file_path: "notes.txt", old_string: "line 5\n", new_string: "line 5\nmore\n" }],
  ["Write", { file_path: "inner.txt", content: "by the agent\n" }],
];

function replyOf(random: Random, number: number): ScriptedReply {
  const calls = Array.from({ length: Math.floor(random() * 4) }, (_, at): Call => {
    const [name, input] = pick(random, CALLS);
    return { id: `call_${number}_${at}_${crypto.randomUUID().slice(0, 8)}`, name, input };
  });
  // It breaks off somewhere, and is asked for again, which gives another one.
  const breaks = random() < BROKEN ? { cutAfter: 1 + Math.floor(random() * 12) } : {};
  return {
    ...breaks,
    ...(random() < 0.4 ? { thinking: `Hm ${number}.` } : {}),
    ...(random() < 0.7 || calls.length === 0 ? { text: `Answer ${number}: some more words.`, deltas: 3 } : {}),
    ...(random() < 0.8 ? { calls } : calls.length > 0 ? { calls: calls.slice(0, 1) } : {}),
  };
}

const PROMPT_TEXTS = [
  "Go on",
  "/context",
  "!echo typed",
  "Look at @notes.txt",
  "/compact",
  "/nothing-of-the-kind",
  "Stop",
];

/** Says yes, no, or no and stop, or nothing at all: then the prompt is cancelled. */
function answerOf(random: Random, { method, params }: any): object | Error {
  if (method !== "session/request_permission") return { action: pick(random, ["accept", "decline", "cancel"]) };
  const { optionId } = pick<any>(random, params.options);
  return { outcome: { outcome: "selected", optionId } };
}

test.each(Array.from({ length: CONVERSATIONS }, (_, at) => SEED + at))(
  "conversation %i is loaded as it was shown",
  async (seed) => {
    using home = temporaryHome();
    const random = seeded(seed);
    const form = random() < 0.5 ? { form: {} } : {};
    const session = random() < 0.5 ? { compaction: {}, notices: {} } : {};
    await compare(home, random, { prompts: 8, capabilities: { elicitation: form, session } });
  },
);

test("so is a long one, with compactions and subagents, and a copy of it that went on by itself", async () => {
  using home = temporaryHome();
  const capabilities = { session: { compaction: {} } };
  const { sessionId, replay } = await compare(home, seeded(SEED), { prompts: 150, capabilities });
  expect(readTranscript(home, sessionId).length).toBeGreaterThan(2_000);
  await using model = await startMockModel(() => ({ text: "In the copy." }));
  const fork = ["--resume", sessionId, "--fork-session", "--output-format", "json"];
  const { messages } = await runKeelson(["-p", "Go on", ...fork], { home, url: model.url });
  const copy = await loaded(home, messages.at(-1).session_id, { home, url: model.url, capabilities });
  // It begins with what the last compaction left.
  expect(copy.slice(-2)).toMatchObject([{ text: "Go on" }, { text: "In the copy." }]);
  expect(copy.some(({ kind }) => kind === "compaction_update")).toBe(true);
  for (const item of copy.slice(0, -2)) expect(replay).toContainEqual(item);
});

test("what a load costs grows no faster than the conversation, and its memory more slowly", async () => {
  const costs: { ms: number; mb: number }[] = [];
  for (const runs of [500, 4_000]) {
    using home = temporaryHome();
    writeSession(home, { id: SESSION, runs });
    await using program = startKeelson(["acp", "--model", "offline"], { home, stdin: "open" });
    const used = () => {
      const facts = readFileSync(`/proc/${program.pid}/status`, "utf8");
      const stat = readFileSync(`/proc/${program.pid}/stat`, "utf8").split(" ");
      return { ticks: Number(stat[13]) + Number(stat[14]), mb: Number(/VmHWM:\s+(\d+)/.exec(facts)![1]) / 1024 };
    };
    const ask = async (id: number, method: string, params: object) => {
      program.send({ jsonrpc: "2.0", id, method, params });
      return program.waitForLine((message: any) => message.id === id && message.result !== undefined);
    };
    await ask(1, "initialize", { protocolVersion: 1 });
    const { ticks } = used();
    await ask(2, "session/load", { sessionId: SESSION, cwd: home.project, mcpServers: [] });
    const { mb, ticks: after } = used();
    costs.push({ ms: 10 * (after - ticks), mb });
  }
  const [small, large] = costs;
  // Eight times as much.
  expect(large!.ms).toBeLessThan(20 * Math.max(small!.ms, 100));
  expect(large!.mb).toBeLessThan(4 * small!.mb);
});

interface Conversation {
  readonly prompts: number;
  readonly capabilities: object;
}

/** Has a conversation, loads it in another process, and compares. */
async function compare(home: TemporaryHome, random: Random, { prompts, capabilities }: Conversation) {
  home.write("notes.txt", Array.from({ length: 12 }, (_, at) => `line ${at}\n`).join(""));
  home.write("picture.png", Buffer.from(PIXEL, "base64"));
  let number = 0;
  await using model = await startMockModel(({ messages }: any): ScriptedReply => {
    number++;
    const said = JSON.stringify(messages.at(-1));
    if (said.includes("<summary>")) return { text: "<summary>All that was.</summary>" };
    if (!JSON.stringify(messages[0]).includes("Look around")) return replyOf(random, number);
    if (said.includes("tool_result")) return { text: "Seen it all.\nIt is fine." };
    const inner = [pick(random, INNER_CALLS), pick(random, INNER_CALLS)];
    return { text: "I look.", calls: inner.map(([name, input], at) => ({ id: `inner_${number}_${at}`, name, input })) };
  });
  const options = { home, url: model.url, env: { CLAUDE_CODE_ENABLE_TODO_TOOLS: "1" }, capabilities };
  await using editor = await startEditor({
    ...options,
    args: ["--max-turns", "6", "--allowedTools", "Read,Glob,Bash(echo *),Bash(seq *)"],
    answer: (request) => answerOf(random, request),
  });
  const { sessionId } = await editor.open();
  const typed: string[] = [];
  while (typed.length < prompts) typed.push(await say(editor, sessionId, random));
  await editor.end();
  const live = shownIn(editor.updates(sessionId));
  const replay = await loaded(home, sessionId, options);
  expect(replay.filter(isPrompt).map(({ text }) => text)).toEqual(typed);
  expect(replay.filter((item) => !isPrompt(item))).toEqual([...live]);
  return { sessionId, replay };
}

const isPrompt = ({ kind }: ShownItem) => kind === "user_message_chunk";

async function say(editor: Editor, sessionId: string, random: Random): Promise<string> {
  const from = editor.messages.length;
  const text = pick(random, PROMPT_TEXTS);
  const reply = editor.prompt(sessionId, text);
  if (text === "Stop") {
    const enough = Math.floor(random() * 12);
    await Promise.race([reply, editor.until(() => editor.messages.length > from + enough)]);
    editor.notify("session/cancel", { sessionId });
  }
  await reply;
  return text;
}

async function loaded(home: TemporaryHome, sessionId: string, options: Parameters<typeof startEditor>[0]) {
  await using editor = await startEditor(options);
  const { id } = await editor.request("session/load", { sessionId, cwd: home.project, mcpServers: [] });
  const end = editor.messages.findIndex((message) => message.id === id && message.method === undefined);
  return shownIn(
    editor.messages.slice(0, end).flatMap(({ method, params }) => (method === "session/update" ? [params.update] : [])),
  );
}

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
