// The items that a conversation has after some messages, and what a front end is told on the way.

import { expect, test } from "bun:test";
import type { JsonObject, Outbound } from "@keelson/protocol";
import { ConversationReader } from "./conversation.ts";
import type { ConversationItem } from "./item.ts";
import { TextParts } from "./text.ts";

/** Keeps items as a front end would, and writes down what it is told. */
function reader(options: { readonly keeps?: boolean } = {}) {
  let items: ConversationItem<TextParts>[] = [];
  const told: string[] = [];
  const nameOf = (item: ConversationItem<TextParts>) => (item.kind === "call" ? `${item.id} ${item.state}` : item.kind);
  const conversation = new ConversationReader<TextParts>({
    cwd: "/p",
    newText: () => new TextParts(),
    add(item) {
      items.push(item);
      told.push(`+ ${nameOf(item)}`);
    },
    change: (item, delta) => void told.push(`~ ${nameOf(item)}${delta ? ` ${JSON.stringify(delta)}` : ""}`),
    remove(item) {
      told.push(`- ${nameOf(item)}`);
      if (options.keeps) return false;
      items = items.filter((each) => each !== item);
      return true;
    },
    settled: () => void told.push("settled"),
    clear() {
      items = [];
      told.push("clear");
    },
  });
  const take = (messages: readonly object[], now = 1_000) => {
    for (const message of messages) conversation.take(message as Outbound, now);
  };
  return { conversation, take, told, items: () => items.map(plain) };
}

/** What a reader sees of an item. */
function plain(item: ConversationItem<TextParts>): object | string {
  switch (item.kind) {
    case "answer":
      return `${item.done ? "answer" : "answer…"} ${item.text.whole()}`;
    case "thinking":
      return `${item.done ? "thinking" : "thinking…"} ${item.text}`;
    case "call":
      return `${item.label.name} ${item.label.title ?? "?"}: ${item.state}${item.result ? ` ${item.result.text}` : ""}`;
    case "prompt":
      return `${item.as} ${item.text}`;
    case "output":
      return `output ${item.text}`;
    case "note":
      return `${item.level} ${item.text}`;
    case "end":
      return `end ${item.result.subtype}`;
    default:
      return item;
  }
}

const reply = (block: object, more: object = {}) => ({
  type: "assistant",
  message: { id: "m1", role: "assistant", model: "m", content: [block] },
  parent_tool_use_id: null,
  ...more,
});
const text = (words: string) => reply({ type: "text", text: words });
const call = (id: string, name: string, input: JsonObject = {}, more: object = {}) =>
  reply({ type: "tool_use", id, name, input }, more);
const result = (id: string, content: string, more: object = {}) => ({
  type: "user",
  message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] },
  parent_tool_use_id: null,
  ...more,
});
const failure = (id: string, content: string, more: object = {}) => ({
  ...result(id, content),
  message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content, is_error: true }] },
  ...more,
});
const user = (content: string, more: object = {}) => ({
  type: "user",
  uuid: "u1",
  message: { role: "user", content },
  parent_tool_use_id: null,
  ...more,
});
const event = (fields: object, more: object = {}) => ({
  type: "stream_event",
  event: fields,
  parent_tool_use_id: null,
  ...more,
});
const start = (id = "m1") => event({ type: "message_start", message: { id } });
const open = (index: number, block: object, more: object = {}) =>
  event({ type: "content_block_start", index, content_block: block }, more);
const delta = (index: number, fields: object) => event({ type: "content_block_delta", index, delta: fields });
const system = (subtype: string, fields: object = {}) => ({ type: "system", subtype, ...fields });
const end = (fields: object = {}) => ({ type: "result", subtype: "success", ...fields });
const rejected = (source: string) => ({
  tool_result_meta: [{ id: "a", permission_decision: { decision: "reject", source } }],
});
const STOPPED = "The user doesn't want to proceed with this tool use. It did not run, because the run was stopped.";
const bash = call("a", "Bash", { command: "ls" });

test.each<[string, readonly object[], readonly (string | object)[]]>([
  ["a prompt and its answer", [user("hi"), text("Hello"), end()], ["prompt hi", "answer Hello", "end success"]],
  ["a call and its result", [bash, result("a", "ok")], ["Bash ls: done ok"]],
  ["a call that failed", [bash, failure("a", "bad")], ["Bash ls: failed bad"]],
  [
    "a call that a person denied",
    [bash, failure("a", "Not now", rejected("user_reject"))],
    ["Bash ls: denied Not now"],
  ],
  ["a call that a rule denied", [bash, failure("a", "Rule", rejected("config"))], ["Bash ls: denied Rule"]],
  [
    "a call that was denied without a question",
    [bash, system("permission_denied", { tool_use_id: "a", message: "m" }), failure("a", "m")],
    ["Bash ls: denied m"],
  ],
  ["a call that was stopped", [bash, failure("a", STOPPED)], [`Bash ls: interrupted ${STOPPED}`]],
  [
    "a call that was stopped, by its meta alone",
    [bash, failure("a", "x", { tool_result_meta: [{ id: "a", non_execution_kind: "user-rejected" }] })],
    ["Bash ls: interrupted x"],
  ],
  ["a call without a result", [bash, end()], ["Bash ls: interrupted", "end success"]],
  ["a call of a run whose end was lost", [bash, system("init"), text("x")], ["Bash ls: interrupted", "answer x"]],
  [
    "an interruption",
    [bash, user("[Request interrupted by user for tool use]")],
    ["Bash ls: interrupted", { kind: "interruption" }],
  ],
  [
    "a command and its output",
    [
      user("<command-name>/model</command-name>\n<command-args>x</command-args>"),
      user("<local-command-stdout>Set model to x</local-command-stdout>"),
    ],
    ["command /model x", "output Set model to x"],
  ],
  ["a summary", [user("Before: …", { isSynthetic: true })], [{ kind: "summary", text: "Before: …" }]],
  [
    "a compaction",
    [system("compact_boundary", { compact_metadata: { pre_tokens: 9, post_tokens: 2 } })],
    [{ kind: "compaction", tokensBefore: 9, tokensAfter: 2 }],
  ],
  [
    "a rewind",
    [text("one"), system("conversation_rewound", { user_message_id: "p", leaf_uuid: null, content: "Went back" })],
    ["answer one", { kind: "rewind", text: "Went back" }],
  ],
  [
    "a limit, once in a run",
    [1, 2].map(() => ({ type: "rate_limit_event", rate_limit_info: { status: "rejected", resetsAt: 7 } })),
    [{ kind: "limit", isReached: true, resetsAt: 7_000 }],
  ],
  [
    "the end of a background task",
    [
      system("task_started", { task_id: "t", tool_use_id: "x", is_backgrounded: true, description: "build" }),
      system("task_notification", { task_id: "t", status: "failed", summary: "It broke" }),
    ],
    ["error It broke"],
  ],
  ["another conversation", [user("hi"), { type: "conversation_reset" }, text("new")], ["answer new"]],
  ["a message of tomorrow", [{ type: "of_tomorrow" }, system("of_tomorrow"), event({ type: "ping" })], []],
])("%s", (_, messages, expected) => {
  const { take, items } = reader();
  take(messages);
  expect(items()).toEqual([...expected]);
});

test("a reply is told in deltas, and the whole message finishes it", () => {
  const { take, told, items } = reader();
  take([
    start(),
    open(0, { type: "thinking", thinking: "" }),
    delta(0, { type: "thinking_delta", thinking: "hm" }),
    reply({ type: "thinking", thinking: "hm" }),
    open(1, { type: "text", text: "" }),
    delta(1, { type: "text_delta", text: "on" }),
    delta(1, { type: "text_delta", text: "e" }),
    text("one two"),
    open(2, { type: "tool_use", id: "a", name: "Bash", input: {} }),
    delta(2, { type: "input_json_delta", partial_json: '{"command"' }),
    bash,
    result("a", "ok"),
  ]);
  expect(told).toEqual([
    "+ thinking",
    '~ thinking "hm"',
    "~ thinking",
    "+ answer",
    '~ answer "on"',
    '~ answer "e"',
    '~ answer " two"',
    "+ a pending",
    "~ a pending",
    "~ a running",
    "~ a done",
  ]);
  expect(items()).toEqual(["thinking hm", "answer one two", "Bash ls: done ok"]);
});

test("a reply that starts over takes back what can be taken back", () => {
  const begun = [start(), open(0, { type: "text", text: "" }), delta(0, { type: "text_delta", text: "fir" })];
  const again = [start(), open(0, { type: "text", text: "" }), delta(0, { type: "text_delta", text: "fine" })];
  const [kept, shown] = [reader(), reader({ keeps: true })];
  for (const { take } of [kept, shown]) take([...begun, ...again, text("fine")]);
  expect([kept.items(), shown.items()]).toEqual([["answer fine"], ["answer fir", "answer fine"]]);
});

test("what the session says about a call is known from its start", () => {
  const { take, items } = reader();
  const meta = { id: "q", display_name: "Question", tool_name: "AskUserQuestion", kind: "other", title: "" };
  const block = { type: "tool_use", id: "q", name: "AskUserQuestion", input: {} };
  take([start(), open(0, block, { tool_use_meta: [meta] })]);
  expect(items()).toEqual(["Question : pending"]);
  take([call("q", "AskUserQuestion", { questions: [] }, { tool_use_meta: [{ ...meta, title: "Which?" }] })]);
  expect(items()).toEqual(["Question Which?: running"]);
});

test("a call waits for an approval, and that time is not its own", () => {
  const { conversation, take, items, told } = reader();
  take([bash], 1_000);
  conversation.asked("a");
  expect(items()).toEqual(["Bash ls: waiting"]);
  conversation.answered("a", 5_000);
  expect(items()).toEqual(["Bash ls: running"]);
  take([result("a", "ok")], 5_300);
  conversation.asked("a");
  conversation.answered("b", 6_000);
  expect(told).toEqual(["+ a running", "~ a waiting", "~ a running", "~ a done"]);
});

test("the calls of subagents are inside the call that started them, at every depth", () => {
  const { take, told } = reader();
  const seen: ConversationItem<TextParts>[] = [];
  const conversation = new ConversationReader<TextParts>({
    newText: () => new TextParts(),
    add: (item) => void seen.push(item),
    remove: () => true,
    clear: () => undefined,
  });
  const messages = [
    call("t", "Agent", { description: "find" }),
    call("t1", "Agent", { description: "deeper" }, { parent_tool_use_id: "t" }),
    call("c", "Read", { file_path: "/p/a.ts" }, { parent_tool_use_id: "t1" }),
    failure("c", "no", { parent_tool_use_id: "t1" }),
    system("task_started", { task_id: "x", tool_use_id: "t", is_backgrounded: false, description: "find" }),
    system("task_progress", { task_id: "x", usage: { total_tokens: 7, tool_uses: 3, duration_ms: 1 } }),
  ];
  for (const message of messages) conversation.take(message as Outbound, 0);
  take(messages);
  expect(seen).toMatchObject([
    {
      id: "t",
      taskId: "x",
      agent: {
        seen: 1,
        reported: 3,
        tokens: 7,
        calls: [
          { id: "t1", state: "running", run: { calls: [{ id: "c", state: "failed", label: { kind: "read" } }] } },
        ],
      },
    },
  ]);
  // Each of them changes the one call that shows it.
  expect(new Set(told.slice(1))).toEqual(new Set(["~ t running"]));
  expect(told).toHaveLength(6);
});

test("a prompt that was typed here is shown at once, and once", () => {
  const { conversation, take, items } = reader();
  conversation.typed("u1");
  conversation.addPrompt({
    type: "user",
    uuid: "u1",
    message: { role: "user", content: "hi" },
    parent_tool_use_id: null,
  });
  take([user("hi", { isReplay: true })]);
  expect(items()).toEqual(["prompt hi"]);
});

test("a prompt that was sent again is one prompt, and another one after a reset", () => {
  const { take, items } = reader();
  const prompt = {
    type: "user",
    uuid: "u1",
    message: { role: "user", content: "Go on" },
    parent_tool_use_id: null,
    isReplay: true,
  };
  take([prompt, prompt]);
  expect(items()).toEqual(["prompt Go on"]);
  take([{ type: "stream", subtype: "reset" }, prompt]);
  expect(items()).toEqual(["prompt Go on"]);
});

test("a request that will be repeated is known until its reply", () => {
  const { conversation, take } = reader();
  const retry = { attempt: 2, max_retries: 10, retry_delay_ms: 500, error_status: 529, error: "overloaded" };
  take([system("api_retry", retry)], 1_000);
  expect(conversation.retry).toEqual({ attempt: 2, most: 10, atMs: 1_500, status: 529, error: "overloaded" });
  take([start()]);
  expect(conversation.retry).toBeUndefined();
});

test("a snapshot replaces what was streamed of blocks that are not complete, and a reset everything", () => {
  const { conversation, take, told, items } = reader();
  const about = { parent_tool_use_id: null, session_id: "s" };
  const begin = { type: "message_start", message: { id: "m" } };
  const block = (index: number) => ({ type: "content_block_start", index, content_block: { type: "text", text: "" } });
  const delta = (index: number, text: string) => ({
    type: "content_block_delta",
    index,
    delta: { type: "text_delta", text },
  });
  const event = (each: object) => ({ ...about, type: "stream_event", event: each });
  const whole = (text: string) => ({
    ...about,
    type: "assistant",
    message: { id: "m", content: [{ type: "text", text }] },
  });
  const stream = (subtype: string, more: object = {}) => ({ type: "stream", subtype, ...more });
  const prompt = { ...about, type: "user", uuid: "u", message: { role: "user", content: "go" } };

  conversation.addPrompt({ ...prompt, type: "user" } as never);
  take([begin, block(0), delta(0, "One")].map(event));
  take([whole("One"), ...[block(1), delta(1, "Tw")].map(event)]);
  take([stream("snapshot", { events: [begin, block(1), delta(1, "Two a")] }), event(delta(1, "nd"))]);
  expect(items()).toEqual(["prompt go", "answer One", "answer… Two and"]);

  take([stream("reset"), prompt, whole("One"), stream("snapshot", { events: [begin, block(1), delta(1, "Two and")] })]);
  take([whole("Two and a half")]);
  expect(items()).toEqual(["prompt go", "answer One", "answer Two and a half"]);
  expect(told.filter((each) => each === "clear")).toHaveLength(1);
  take([stream("snapshot", { events: [] })]);
  expect(items()).toHaveLength(3);
});
