import { expect, test } from "bun:test";
import { assert, boolean, constantFrom, property, record, subarray, tuple } from "fast-check";
import { type Outbound } from "@keelson/protocol";
import type { ClientCapabilities, SessionUpdate, ToolCallFields } from "../schema/types.ts";
import { faultsOf } from "../schema/official.test-support.ts";
import { isKeptShow, type KeptShow } from "./kept.ts";
import { ShownCalls } from "./shown-calls.ts";
import { Updates, type UpdatesContext } from "./updates.ts";

const CWD = "/home/u/p";
const about = { session_id: "s", parent_tool_use_id: null };
let count = 0;

/** Messages as they arrive: some are of other programs, so their types are not all known. */
const message = (fields: object): Outbound => ({ uuid: `u${(count += 1)}`, ...about, ...fields }) as Outbound;
const system = (subtype: string, fields: object = {}) => message({ type: "system", subtype, ...fields });
const assistant = (content: object[], fields: object = {}, id = "m1") =>
  message({
    type: "assistant",
    message: { id, type: "message", role: "assistant", model: "claude-x", content, usage: USAGE },
    ...fields,
  });
const user = (content: unknown, fields: object = {}) =>
  message({ type: "user", message: { role: "user", content }, ...fields });
const call = (name: string, input: object, id = "t1") => ({ type: "tool_use", id, name, input });
const result = (content: unknown, output?: unknown, id = "t1", isError = false) =>
  user([{ type: "tool_result", tool_use_id: id, content, ...(isError ? { is_error: true } : {}) }], {
    ...(output === undefined ? {} : { tool_use_result: output }),
  });
const event = (fields: object) => message({ type: "stream_event", event: fields });
const delta = (index: number, fields: object) => event({ type: "content_block_delta", index, delta: fields });
const start = (index: number, block: object) => event({ type: "content_block_start", index, content_block: block });
const USAGE = { input_tokens: 100, output_tokens: 20, cache_read_input_tokens: 7, cache_creation_input_tokens: 3 };
const begin = event({ type: "message_start", message: { id: "m1", type: "message", role: "assistant", usage: USAGE } });
const end = (fields: object = {}) =>
  message({
    type: "result",
    subtype: "success",
    total_cost_usd: 0.25,
    modelUsage: { "claude-x": { contextWindow: 200_000 } },
    ...fields,
  });
const hunk = { oldStart: 3, oldLines: 2, newStart: 3, newLines: 3, lines: [" a", "-b", "+c", "+d"] };

function updatesFor(context: Partial<UpdatesContext> = {}) {
  return new Updates({ cwd: CWD, capabilities: {}, newId: () => "new", ...context });
}

/** What is shown, all of it valid. */
function shown(messages: readonly Outbound[], context: Partial<UpdatesContext> = {}, updates = updatesFor(context)) {
  const all = [...messages.flatMap((each) => updates.take(each))];
  expect(all.flatMap((update) => faultsOf("SessionNotification", { sessionId: "s", update }))).toEqual([]);
  return all;
}

const chunks = (updates: readonly SessionUpdate[]) =>
  updates
    .filter(({ sessionUpdate }) => sessionUpdate.endsWith("_chunk"))
    .map((update) => [
      update.sessionUpdate,
      "content" in update && update.content && "text" in update.content ? update.content.text : undefined,
      "messageId" in update ? update.messageId : undefined,
    ]);

const text = (text: string) => ({ type: "content", content: { type: "text", text } });

/** The states of a call in order, and how it looked in the end. */
function callIn(updates: readonly SessionUpdate[], id = "t1") {
  const of = updates.filter(
    (each): each is SessionUpdate<"tool_call" | "tool_call_update"> =>
      (each.sessionUpdate === "tool_call" || each.sessionUpdate === "tool_call_update") && each.toolCallId === id,
  );
  const { sessionUpdate: _, ...final } = Object.assign({}, ...of) as SessionUpdate & ToolCallFields;
  const states = of.flatMap(({ status }) => status ?? []);
  return {
    kinds: of.map((each) => each.sessionUpdate),
    states: states.filter((each, at) => each !== states[at - 1]),
    final,
  };
}

test("deltas are shown once, with the id of their message, and the whole text does not repeat them", () => {
  const updates = shown([
    begin,
    start(0, { type: "thinking", thinking: "", signature: "" }),
    delta(0, { type: "thinking_delta", thinking: "Hm" }),
    start(1, { type: "text", text: "" }),
    assistant([{ type: "thinking", thinking: "Hm.", signature: "x" }]),
    delta(1, { type: "text_delta", text: "Hel" }),
    delta(1, { type: "text_delta", text: "lo" }),
    assistant([{ type: "text", text: "Hello" }]),
    assistant([{ type: "text", text: "Not streamed" }], {}, "m2"),
  ]);
  expect(chunks(updates)).toEqual([
    ["agent_thought_chunk", "Hm", "m1"],
    ["agent_thought_chunk", ".", "m1"],
    ["agent_message_chunk", "Hel", "m1"],
    ["agent_message_chunk", "lo", "m1"],
    ["agent_message_chunk", "Not streamed", "m2"],
  ]);
});

test.each<[string, unknown, object, (string | undefined)[][]]>([
  ["text", "Hello", {}, [["user_message_chunk", "Hello", "p"]]],
  ["without reminders", "<system-reminder>x</system-reminder>\nHello", {}, [["user_message_chunk", "Hello", "p"]]],
  ["only a reminder", "<system-reminder>x</system-reminder>", {}, []],
  ["synthetic", "The story so far", { isSynthetic: true }, []],
  ["a notification", "<task-notification>x</task-notification>", {}, []],
  [
    "a command",
    "<command-name>/review</command-name><command-args>1</command-args>",
    {},
    [["user_message_chunk", "/review 1", "p"]],
  ],
  [
    "what it printed",
    "<local-command-stdout>Done</local-command-stdout>",
    {},
    [["agent_message_chunk", "Done\n", "p"]],
  ],
  ["a shell command", "<bash-input>ls</bash-input>", {}, [["user_message_chunk", "!ls", "p"]]],
])("a prompt on load: %s", (_, content, fields, expected) => {
  expect(chunks(shown([user(content, { uuid: "p", isReplay: true, ...fields })]))).toEqual(expected);
});

/** A reply that breaks off after "One t", and the one that is sent in its place. */
const again = (...texts: readonly string[]) => [
  begin,
  start(0, { type: "text", text: "" }),
  delta(0, { type: "text_delta", text: "One t" }),
  event({ type: "message_start", message: { id: "m2", type: "message", role: "assistant", usage: USAGE } }),
  start(0, { type: "text", text: "" }),
  ...texts.map((text) => delta(0, { type: "text_delta", text })),
  assistant([{ type: "text", text: texts.join("") }], {}, "m2"),
];

test.each<[string, readonly string[], string]>([
  ["says the same, in other parts", ["O", "ne", " two", " three"], "One two three"],
  ["says less", ["One"], "One t"],
  ["says something else", ["Once", " more"], "One t\n\nOnce more"],
  ["begins as it did, and goes on differently", ["One ", "boat"], "One t\n\nOne boat"],
])("a reply that starts over and %s does not repeat what is shown", (_, texts, said) => {
  expect(
    chunks(shown(again(...texts)))
      .map(([, text]) => text)
      .join(""),
  ).toBe(said);
});

test("a thought and an answer that both break off are not repeated, and are loaded as they were shown", () => {
  const prompt = user("Go", { isReplay: true });
  const said = (index: number, kind: "text" | "thinking", words: string) => [
    start(index, { type: kind, [kind]: "" }),
    delta(index, { type: `${kind}_delta`, [kind]: words }),
  ];
  const stored = [
    assistant([{ type: "thinking", thinking: "Hm, so", signature: "s" }], {}, "m2"),
    assistant([{ type: "text", text: "Another" }], {}, "m2"),
  ];
  const kept: KeptShow[] = [];
  const live = shown(
    [
      prompt,
      ...[begin, ...said(0, "thinking", "Hm"), ...said(1, "text", "One t")],
      event({ type: "message_start", message: { id: "m2", type: "message", role: "assistant", usage: USAGE } }),
      ...[...said(0, "thinking", "Hm, so"), stored[0]!, ...said(1, "text", "Another"), stored[1]!],
    ],
    { keep: (show) => kept.push(show) },
  );
  expect(chunks(live).slice(1)).toEqual([
    ["agent_thought_chunk", "Hm", "m1"],
    ["agent_message_chunk", "One t", "m1"],
    ["agent_thought_chunk", ", so", "m2"],
    ["agent_message_chunk", "\n\nAnother", "m2"],
  ]);
  // Two editors watched.
  const loaded = shown([prompt, ...stored], { kept: JSON.parse(JSON.stringify([...kept, ...kept])) });
  expect(chunks(loaded)).toEqual(chunks(live));
});

test("white space in front of a call is not shown", () => {
  const all = shown([begin, start(0, { type: "text", text: "" }), delta(0, { type: "text_delta", text: "\n\n" })]);
  expect(all).toEqual([]);
});

test("a prompt keeps its images and attached texts, in order", () => {
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "QUI=" } };
  const attached = 'See\n\n<attached uri="file:///a.ts">\nconst a = 1;\n</attached>\n\nthere';
  const [title, ...parts] = shown([user([image, { type: "text", text: attached }], { isReplay: true })]);
  expect(title).toEqual({ sessionUpdate: "session_info_update", title: "See there" });
  expect(parts.map((update) => "content" in update && update.content)).toEqual([
    { type: "image", data: "QUI=", mimeType: "image/png" },
    { type: "text", text: "See" },
    { type: "resource", resource: { uri: "file:///a.ts", text: "const a = 1;" } },
    { type: "text", text: "there" },
  ]);
});

test("what was typed in this editor is not shown to it again", () => {
  const updates = updatesFor();
  updates.typed("p");
  expect(chunks(shown([user("Hello", { uuid: "p", isReplay: true })], {}, updates))).toEqual([]);
});

test.each<[string, object, object, unknown, unknown, object]>([
  [
    "an edit",
    call("Edit", { file_path: "src/a.ts", old_string: "b", new_string: "c\nd" }),
    {},
    "done",
    { filePath: `${CWD}/src/a.ts`, structuredPatch: [hunk] },
    { kind: "edit", content: [{ type: "diff", path: `${CWD}/src/a.ts`, oldText: "a\nb", newText: "a\nc\nd" }] },
  ],
  [
    "a new file",
    call("Write", { file_path: "/x/n", content: "one\ntwo\n" }),
    {},
    "created",
    { type: "create", filePath: "/x/n", content: "one\ntwo\n", structuredPatch: [] },
    {
      kind: "edit",
      locations: [{ path: "/x/n" }],
      content: [{ type: "diff", path: "/x/n", oldText: null, newText: "one\ntwo\n" }],
    },
  ],
  [
    "a command whose output has fences",
    call("Bash", { command: "cat a.md" }),
    {},
    "```\nx\n```\n````",
    { stdout: "" },
    {
      kind: "execute",
      title: "Bash cat a.md",
      content: [text("`````\n```\nx\n```\n````\n`````")],
      rawOutput: { stdout: "" },
    },
  ],
  [
    "an image",
    call("Read", { file_path: "/x/a.png", offset: 4 }),
    {},
    [{ type: "image", source: { type: "base64", media_type: "image/png", data: "QUI=" } }],
    undefined,
    {
      locations: [{ path: "/x/a.png", line: 4 }],
      content: [{ type: "content", content: { type: "image", data: "QUI=", mimeType: "image/png" } }],
    },
  ],
  [
    "an MCP tool",
    call("mcp__git__log", { n: 1 }),
    {},
    "one",
    undefined,
    { kind: "other", title: "git: log (n: 1)", content: [text("```\none\n```")], rawOutput: "one" },
  ],
])("a call: %s", (_, block, fields, content, output, expected) => {
  const { states, kinds, final } = callIn(shown([assistant([block], fields), result(content, output)]));
  expect([kinds[0], states]).toEqual(["tool_call", ["pending", "in_progress", "completed"]]);
  expect(final).toMatchObject({ toolCallId: "t1", ...expected } as never);
  expect(final._meta).toEqual({ claudeCode: { toolName: final.name! } });
});

test("a failed call, a denied one and one that was stopped have failed", () => {
  const bash = call("Bash", { command: "ls" });
  const failed = callIn(shown([assistant([bash]), result("Error: no", undefined, "t1", true)]));
  expect([failed.states.at(-1), failed.final.content]).toEqual(["failed", [text("```\nError: no\n```")]] as never);

  const denial = system("permission_denied", { tool_use_id: "t1", tool_name: "Bash", message: "Denied by a rule" });
  const denied = callIn(shown([assistant([bash]), denial, result("Denied", undefined, "t1", true)]));
  expect([denied.states, denied.final.content]).toEqual([["pending", "failed"], [text("Denied by a rule")]] as never);

  const updates = updatesFor();
  const before = shown([assistant([bash])], {}, updates);
  const stopped = callIn([...before, ...updates.finish("turn")]);
  expect(stopped.states).toEqual(["pending", "failed"]);
  expect(updates.finish("turn")).toEqual([]);
  expect(updates.take(result("late"))).toEqual([]);
});

test("a call of a reply that starts over ends, and its successor is another", () => {
  const updates = updatesFor();
  const again = { type: "message_start", message: { id: "m2", type: "message", role: "assistant", usage: USAGE } };
  const all = shown([begin, start(0, call("Bash", {})), event(again), start(0, call("Bash", {}, "t2"))], {}, updates);
  expect(callIn(all).states).toEqual(["pending", "failed"]);
  expect(callIn(all, "t2").states).toEqual(["pending"]);
});

test("a call that is first seen when it is over and never ran is not shown as running", () => {
  const calls = new ShownCalls();
  const states = (ran: boolean, toolCallId: string) =>
    calls
      .show({ toolCallId, title: "Bash", status: "failed" }, { ran })
      .flatMap((update) =>
        update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update" ? update.status : [],
      );
  expect(states(false, "a")).toEqual(["pending", "failed"]);
  expect(states(true, "b")).toEqual(["pending", "in_progress", "failed"]);
});

test("after the conversation was cleared, what is shown first is kept with the next conversation", () => {
  const kept: KeptShow[] = [];
  const updates = updatesFor({ keep: (show) => void kept.push(show) });
  shown([user("One", { uuid: "old" }), message({ type: "conversation_reset", new_conversation_id: "n" })], {}, updates);
  updates.aside("/btw Why?", "Because");
  expect(kept).toEqual([]);
  shown([user("Two", { uuid: "next" })], {}, updates);
  expect(kept.map(({ message, place }) => [message, place])).toEqual([1, 2].map(() => ["next", "before"]));
});

test("what an agent in the background was asked about stays open when a turn ends, and ends with the agent", () => {
  const started = { isAsync: true, agentId: "a1" };
  const kept: KeptShow[] = [];
  const context = { keep: (show: KeptShow) => void kept.push(show) };
  const updates = updatesFor(context);
  const stored = [assistant([call("Agent", { description: "Look", prompt: "x" })]), result("Started", started)];
  const inner = { parent_tool_use_id: "t1" };
  const question = { subtype: "can_use_tool", tool_name: "Bash", input: { command: "ls" }, tool_use_id: "i1" };
  const task = { task_id: "a1", tool_use_id: "t1" };
  const live = shown(
    [
      stored[0]!,
      system("task_started", { ...task, description: "Look" }),
      stored[1]!,
      assistant([call("Bash", { command: "ls" }, "i1")], inner),
      { type: "control_request", request_id: "r", request: question } as unknown as Outbound,
      end(),
    ],
    context,
    updates,
  );
  live.push(...updates.finish("turn"));
  expect(callIn(live, "i1").states).toEqual(["pending"]);
  live.push(...updates.take(system("task_notification", { ...task, status: "stopped", summary: "Look" })));
  expect(callIn(live, "i1").states).toEqual(["pending", "failed"]);
  expect(kept.every(isKeptShow)).toBe(true);
  const loaded = updatesFor({ kept });
  const replay = [...shown(stored, {}, loaded), ...loaded.finish("everything")];
  expect(callIn(replay, "i1").final).toEqual(callIn(live, "i1").final);
});

test("only what this program keeps is shown again", () => {
  const chunk = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "x" } };
  const place = { message: "u", place: "after" };
  expect(isKeptShow({ ...place, update: chunk })).toBe(true);
  for (const odd of [
    ...[null, 5, "x", [], {}, { ...place }, { ...place, update: 5 }, { ...place, place: "in", update: chunk }],
    { update: chunk, place: "after" },
    { ...place, update: { ...chunk, sessionUpdate: "current_mode_update" } },
    { ...place, update: { ...chunk, content: { type: "image", data: "x" } } },
    { ...place, update: { sessionUpdate: "tool_call", title: "no id" } },
    { ...place, update: { sessionUpdate: "compaction_update" } },
  ])
    expect(isKeptShow(odd)).toBe(false);
});

test("a call is running once it is approved, or shows that it is", () => {
  const updates = updatesFor();
  const bash = assistant([call("Bash", { command: "ls" })]);
  expect(callIn(shown([bash], {}, updates)).states).toEqual(["pending"]);
  expect(updates.allowed("t1")).toEqual([
    { sessionUpdate: "tool_call_update", toolCallId: "t1", status: "in_progress" },
  ]);
  expect(updates.allowed("t1")).toEqual([]);
  const progress = { type: "tool_progress", tool_use_id: "t1", tool_name: "Bash", elapsed_time_seconds: 2 };
  expect(callIn(shown([bash, message(progress)])).states).toEqual(["pending", "in_progress"]);
  const task = system("task_started", { task_id: "b1", tool_use_id: "t1", description: "ls" });
  expect(callIn(shown([bash, task])).states).toEqual(["pending", "in_progress"]);
});

test("output is bounded, in the content and as it is", () => {
  const long = "x".repeat(1_000_000);
  const { final } = callIn(shown([assistant([call("Bash", { command: "yes" })]), result(long, { stdout: long })]));
  expect(JSON.stringify(final).length).toBeLessThan(80_000);
});

test("the plan is the whole list, from the todo list and from tasks", () => {
  const todos = (status: string) => [
    { content: "One", status, activeForm: "Doing one" },
    { content: "Two", status: "pending" },
  ];
  const plans = shown([
    assistant([call("TodoWrite", { todos: todos("in_progress") })]),
    result("ok"),
    assistant([call("TaskCreate", { subject: "Three" }, "t2")]),
    result("Task #3 created", { task: { id: "3", subject: "Three" } }, "t2"),
    assistant([call("TaskUpdate", { taskId: "3", status: "completed" }, "t3")]),
    result("ok", { success: true }, "t3"),
    end(),
  ]).filter((update) => update.sessionUpdate === "plan");
  const entry = (content: string, status: string) => ({ content, status, priority: "medium" });
  expect(plans.map(({ entries }) => entries)).toEqual([
    [entry("One", "in_progress"), entry("Two", "pending")],
    [entry("Three", "pending")],
    [entry("Three", "completed")],
  ] as never);
});

const agent = call("Agent", { description: "find it", prompt: "…", subagent_type: "Explore" });
const child = { parent_tool_use_id: "t1" };

test("a subagent's work is inside its call, and in the end its report is", () => {
  const updates = updatesFor();
  const all = shown(
    [
      assistant([agent]),
      assistant([{ type: "text", text: "I look.\nFound a.ts" }, call("Read", { file_path: "a.ts" }, "i1")], child),
      user([{ type: "tool_result", tool_use_id: "i1", content: "x" }], child),
    ],
    {},
    updates,
  );
  const running = callIn(all);
  expect([running.states, running.final.content]).toEqual([
    ["pending", "in_progress"],
    [text("```\n✓ Read a.ts\n```"), text("Found a.ts")],
  ] as never);
  expect(all.every((each) => "toolCallId" in each && each.toolCallId === "t1")).toBe(true);
  const { states, final } = callIn([...all, ...shown([result("It is in **a.ts**")], {}, updates)]);
  expect([states.at(-1), final.content]).toEqual(["completed", [text("It is in **a.ts**")]] as never);
  const report = { status: "completed", content: [{ type: "text", text: "It is in a.ts\n" }] };
  const forModel = "It is in a.ts\nagentId: a1 (use SendMessage to continue this agent)";
  expect(callIn(shown([assistant([agent]), result(forModel, report)])).final.content).toEqual([
    text("It is in a.ts"),
  ] as never);
});

test("a call of a subagent that someone is asked about is shown before the question, and ends", () => {
  const inner = call("Bash", { command: "rm x" }, "i1");
  const question = message({
    type: "control_request",
    request_id: "q",
    request: { subtype: "can_use_tool", tool_name: "Bash", tool_use_id: "i1", input: { command: "rm x" } },
  });
  const ended = user([{ type: "tool_result", tool_use_id: "i1", content: "gone" }], child);
  const { kinds, states, final } = callIn(
    shown([assistant([agent]), assistant([inner], child), question, question, ended]),
    "i1",
  );
  expect([kinds[0], states, final._meta]).toEqual([
    "tool_call",
    ["pending", "in_progress", "completed"],
    { claudeCode: { toolName: "Bash", parentToolUseId: "t1" } },
  ]);
});

test("an edit of a subagent that someone is asked about has its change to the end", () => {
  const input = { file_path: "/home/u/p/a.ts", content: "a\n" };
  const patch = { path: "a.ts", isNew: true, hunks: [{ ...hunk, lines: ["+a"] }] };
  const request = { subtype: "can_use_tool", tool_name: "Write", tool_use_id: "i1", input, patch };
  const question = message({ type: "control_request", request_id: "q", request });
  const ended = user([{ type: "tool_result", tool_use_id: "i1", content: "File created, no need to read it" }], child);
  const asked = [assistant([agent]), assistant([call("Write", input, "i1")], child), question, ended];
  const { states, final } = callIn(shown(asked), "i1");
  expect([states.at(-1), final.title, final.kind, final.locations, final.content]).toEqual([
    "completed",
    "Write a.ts",
    "edit",
    [{ path: "/home/u/p/a.ts" }],
    [{ type: "diff", path: "/home/u/p/a.ts", oldText: null, newText: "a\n" }],
  ] as never);
});

test("what runs in the background is told in the call that started it, also after the turn", () => {
  const updates = updatesFor();
  const bash = [
    assistant([call("Bash", { command: "make", run_in_background: true })]),
    system("task_started", { task_id: "b1", tool_use_id: "t1", description: "make", is_backgrounded: true }),
    result("Running with ID b1", { backgroundTaskId: "b1" }),
    end(),
  ];
  shown(bash, {}, updates);
  const notification = { task_id: "b1", status: "completed", output_file: "/t", summary: "make ended" };
  const told = [system("task_notification", notification), system("task_notification", notification)];
  const base = text("```\nRunning with ID b1\n```");
  expect(shown(told, {}, updates)).toEqual([
    {
      sessionUpdate: "tool_call_update",
      toolCallId: "t1",
      content: [base, text("Completed in the background: make ended")],
    },
  ] as never);
});

test("the first prompt is the title until there is another, and of a session that goes on nothing is", () => {
  const titles = (messages: readonly Outbound[], context: Partial<UpdatesContext> = {}) =>
    shown(messages, context).flatMap((update) => (update.sessionUpdate === "session_info_update" ? update.title : []));
  const prompts = ["<command-name>/context</command-name>", "Fix\n it", "And that"].map((text) =>
    user(text, { isReplay: true }),
  );
  const named = system("session_title_changed", { title: "Mine" });
  expect(titles(prompts)).toEqual(["Fix it"]);
  expect(titles([...prompts, named, ...prompts])).toEqual(["Fix it", "Mine"]);
  expect(titles([named, ...prompts])).toEqual(["Mine"]);
  expect(titles(prompts, { isContinued: true })).toEqual([]);
});

test("commands, modes, titles and usage", () => {
  const init = (model: string) => system("init", { permissionMode: "default", model, effort: null });
  const updates = shown([
    init("a"),
    system("status", { status: null, permissionMode: "plan" }),
    system("status", { status: null, permissionMode: "plan" }),
    system("commands_changed", {
      commands: [
        { name: "review", description: "Reviews", argumentHint: "[pr]" },
        { name: "a b", description: "", argumentHint: "" },
        { name: "clear", description: "", argumentHint: "" },
      ],
    }),
    system("session_title_changed", { title: "A title" }),
    assistant([{ type: "text", text: "x" }]),
    end(),
  ]);
  expect(updates).toEqual([
    { sessionUpdate: "current_mode_update", currentModeId: "plan" },
    {
      sessionUpdate: "available_commands_update",
      availableCommands: [
        { name: "review", description: "Reviews", input: { hint: "[pr]" } },
        { name: "clear", description: "" },
        {
          name: "btw",
          description: "Ask something without adding it to the conversation",
          input: { hint: "<question>" },
        },
      ],
    },
    { sessionUpdate: "session_info_update", title: "A title" },
    { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "x" }, messageId: "m1" },
    { sessionUpdate: "usage_update", used: 130, size: 200_000, cost: { amount: 0.25, currency: "USD" } },
  ]);
});

const ALL: ClientCapabilities = { session: { compaction: {}, notices: {} }, elicitation: { form: {}, url: {} } };

test("compactions and notices need a client that shows them", () => {
  const messages = [
    system("status", { status: "compacting" }),
    system("compact_boundary", { compact_metadata: { trigger: "auto", pre_tokens: 9, post_tokens: 2 } }),
    user("What was", { isSynthetic: true }),
    system("api_retry", { attempt: 1, max_retries: 3, retry_delay_ms: 1, error_status: 529, error: "overloaded" }),
    system("informational", { level: "warning", content: "Hooks are off\nTrust the folder", uuid: "w" }),
  ];
  const compaction = { sessionUpdate: "compaction_update", compactionId: "new" };
  expect(shown(messages, { capabilities: ALL })).toEqual([
    { ...compaction, status: "in_progress" },
    { ...compaction, status: "completed" },
    { ...compaction, status: "completed", summary: [{ type: "text", text: "What was" }] },
    {
      sessionUpdate: "notice",
      severity: "warning",
      title: "The request failed and is sent again (1 of 3): overloaded",
    },
    { sessionUpdate: "notice", severity: "warning", title: "Hooks are off", description: "Trust the folder" },
  ] as never);
  expect(chunks(shown(messages))).toEqual([["agent_message_chunk", "Hooks are off\nTrust the folder\n", "w"]]);
});

test("the error of a run is shown only where no reply to a prompt says it", () => {
  const error = assistant([{ type: "text", text: "Overloaded" }], { is_api_error_message: true }, "e");
  const line = ["agent_message_chunk", "Overloaded\n", "e"];
  const run = (fields: object) =>
    chunks(shown([error, end(fields)], { owes: ({ user_message_uuid: id }) => id === "mine" }));
  expect(run({ is_error: true, user_message_uuid: "mine" })).toEqual([]);
  expect(run({ stop_reason: "refusal", user_message_uuid: "mine" })).toEqual([line]);
  expect(run({ is_error: true, user_message_uuid: "of another client" })).toEqual([line]);
  expect(run({ is_error: true })).toEqual([line]);
  expect(run({ is_error: true, origin: { kind: "task-notification" } })).toEqual([line]);
  expect(chunks(shown([error, user("Next", { isReplay: true, uuid: "p" })]))).toEqual([
    line,
    ["user_message_chunk", "Next", "p"],
  ]);
});

/** One of everything that the stream has, live. */
const EVERYTHING: readonly Outbound[] = [
  system("init", { permissionMode: "default", model: "a" }),
  user("Do it", { isReplay: true }),
  begin,
  start(0, { type: "text", text: "" }),
  delta(0, { type: "text_delta", text: "Yes" }),
  assistant([{ type: "text", text: "Yes" }]),
  start(1, { ...call("Edit", {}) }),
  delta(1, { type: "input_json_delta", partial_json: "{" }),
  assistant([call("Edit", { file_path: "a", old_string: "b", new_string: "c" })]),
  result("done", { filePath: `${CWD}/a`, structuredPatch: [hunk] }),
  assistant([call("Bash", { command: 7 }, "t2")]),
  result("Input is wrong", undefined, "t2", true),
  assistant([{ ...agent, id: "t3" }]),
  result("Found", { status: "completed" }, "t3"),
  assistant([call("TodoWrite", { todos: [{ content: "x", status: "completed" }] }, "t4")]),
  result("ok", undefined, "t4"),
  assistant([{ type: "text", text: "Done" }], {}, "m9"),
];

test("a transcript gives the same as the live messages did", () => {
  const live = shown([...EVERYTHING, end()]);
  const replay = shown(EVERYTHING.filter(({ type }) => type !== "stream_event" && type !== "system"));
  const seen = (updates: readonly SessionUpdate[]) => ({
    text: chunks(updates).filter(([kind]) => String(kind).endsWith("_chunk")),
    calls: ["t1", "t2", "t3", "t4"].map((id) => {
      const { states, final } = callIn(updates, id);
      return { states, final };
    }),
    order: updates.flatMap((each) => (each.sessionUpdate === "tool_call" ? each.toolCallId : [])),
    plans: updates.filter(({ sessionUpdate }) => sessionUpdate === "plan"),
  });
  expect(seen(replay)).toEqual(seen(live));
});

const NOTICED: readonly Outbound[] = [
  system("status", { status: "compacting" }),
  system("status", { status: null, compact_result: "failed", compact_error: "no" }),
  system("compact_boundary", { compact_metadata: {} }),
  system("api_retry", { attempt: 1, max_retries: 3, error: "x" }),
  system("mcp_server_status", { server_name: "git", status: "failed", error: "gone" }),
  system("hook_response", { hook_name: "Stop", outcome: "error", exit_code: 1, stderr: "no", output: "" }),
  message({ type: "rate_limit_event", rate_limit_info: { status: "rejected" } }),
  system("local_command_output", { content: "printed" }),
  system("task_progress", { task_id: "b1", tool_use_id: "t1", description: "x" }),
  system("of_tomorrow", {}),
  message({ type: "tomorrow" }),
];

test("whatever the client can do and whatever comes in whatever order is valid, and every call has one beginning and an end", () => {
  const optional = constantFrom(undefined, null, {});
  const capabilities = record({
    session: record({ compaction: optional, notices: optional }),
    elicitation: record({ form: optional, url: optional }),
    terminal: boolean(),
  });
  const pool = [...EVERYTHING, ...NOTICED, end()];
  const kinds = property(tuple(capabilities, subarray(pool), subarray(pool)), ([can, first, second]) => {
    const updates = updatesFor({ capabilities: can });
    const all = [...shown([...first, ...second], {}, updates), ...updates.finish("turn")];
    for (const id of ["t1", "t2", "t3", "t4"]) {
      const { kinds, states } = callIn(all, id);
      expect(kinds.filter((kind) => kind === "tool_call").length).toBe(kinds.length === 0 ? 0 : 1);
      if (kinds.length > 0)
        expect([kinds[0], ["completed", "failed"]]).toEqual(["tool_call", expect.arrayContaining([states.at(-1)])]);
    }
    if (!can.session.notices) expect(all.map(({ sessionUpdate }) => sessionUpdate)).not.toContain("notice");
    if (!can.session.compaction)
      expect(all.map(({ sessionUpdate }) => sessionUpdate)).not.toContain("compaction_update");
  });
  assert(kinds, { numRuns: 200 });
});

test("a field that is not of the protocol, and a value that is not, are found", () => {
  const update = { sessionUpdate: "tool_call", toolCallId: "a", title: "b" };
  const faults = (fields: object) =>
    faultsOf("SessionNotification", { sessionId: "s", update: { ...update, ...fields } });
  expect(faults({})).toEqual([]);
  expect(faults({ parent: "x" })).toEqual(["SessionNotification.update.parent is not of the protocol"]);
  expect(faults({ status: "odd" })).not.toEqual([]);
  expect(faults({ content: [{ type: "diff", path: "/a", newText: "b", more: 1 }] })).not.toEqual([]);
});
