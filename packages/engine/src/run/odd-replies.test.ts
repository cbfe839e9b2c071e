// Replies that no well-behaved server sends, and interruptions at the worst moment: each call runs once or not at all,
// and the API accepts the next request, in the same process and after a resume.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { messageProblems, toEvents, testEngine, type TestEngine, type TestEngineOptions } from "@keelson/testkit";
import {
  isToolUse,
  NOTHING_SAID,
  type BlockDelta,
  type ContentBlock,
  type NewEntry,
  type PromptMessage,
  type StreamEvent,
} from "@keelson/protocol";
import { Conversation } from "../turn/conversation.ts";
import { ModelError } from "../errors.ts";
import type { ModelEvent, ModelProvider } from "../ports.ts";
import type { End } from "./result.ts";
import { run } from "./run.ts";
import { object, string } from "../schema/schema.ts";
import { defineTool, type Tool } from "../tool/tool.ts";

const say = (content: string): PromptMessage => ({
  type: "user",
  message: { role: "user", content },
  parent_tool_use_id: null,
});

const [START] = toEvents({ text: "" }, 1) as [StreamEvent];
const STOP: StreamEvent = { type: "message_stop" };
const PAUSE: ModelEvent = { type: "notice", notice: { type: "pause" } };
const CUT = new ModelError("stream_cut", "The connection was lost");
const opens = (index: number, content_block: object): StreamEvent => ({
  type: "content_block_start",
  index,
  content_block: content_block as ContentBlock,
});
const piece = (index: number, partial_json: string): StreamEvent => ({
  type: "content_block_delta",
  index,
  delta: { type: "input_json_delta", partial_json } as BlockDelta,
});
const closes = (index: number): StreamEvent => ({ type: "content_block_stop", index });
const ends = (stop_reason: string | null): StreamEvent => ({
  type: "message_delta",
  delta: { stop_reason, stop_sequence: null },
  usage: { output_tokens: 5 },
});
const block = (index: number, content: object) => [opens(index, content), closes(index)];
const call = (index: number, id: string, text: string, name = "Note") => [
  opens(index, { type: "tool_use", id, name, input: {} }),
  piece(index, JSON.stringify({ text })),
  closes(index),
];
const THOUGHT = { type: "thinking", thinking: "Hm", signature: "s" };
const TEXT = { type: "text", text: "Well" };

type Step = ModelEvent | ModelError | ((signal: AbortSignal) => unknown);

/** Plays one list of steps per request, then replies "done". */
function playing(...replies: readonly (readonly Step[])[]) {
  const requests: any[] = [];
  const provider: ModelProvider = {
    id: "odd",
    async *stream({ messages }, signal) {
      requests.push(structuredClone(messages));
      const steps = replies[requests.length - 1];
      if (!steps) return yield* toEvents({ text: "done" }, 100 + requests.length);
      for (const step of steps) {
        await new Promise<void>((resolve) => setImmediate(resolve));
        if (signal.aborted) throw new ModelError("aborted", "Request was aborted");
        if (step instanceof Error) throw step;
        if (typeof step === "function") await step(signal);
        else yield step;
      }
    },
  };
  return { provider, requests };
}

const note = (done: string[]): Tool =>
  defineTool({
    name: "Note",
    description: "Notes",
    input: object({ text: string() }),
    parallelSafe: true,
    access: () => ({ kind: "none" }),
    async run({ text }) {
      done.push(text);
      return { text };
    },
    show: ({ text }) => text,
  });

interface Played extends TestEngine {
  readonly end: End;
  readonly done: readonly string[];
  readonly problems: readonly string[];
  readonly requests: readonly any[];
}

/** Runs two prompts. `problems` is what the API would have refused, live and after a resume. */
async function play(replies: readonly (readonly Step[])[], options: TestEngineOptions = {}): Promise<Played> {
  const { provider, requests } = playing(...replies);
  const done: string[] = [];
  const there = testEngine(provider, { tools: [note(done)], ...options });
  const conversation = new Conversation();
  const end = await run(say("go"), "default", conversation, there.ports, {});
  const next = { ...there.ports, signal: new AbortController().signal };
  await run(say("more"), "default", conversation, next, {});
  const problems = [
    ...requests.flatMap((messages) => messageProblems(messages)),
    ...messageProblems((await Conversation.of(there.entries)).messages.slice(0, -1) as never),
  ];
  return { ...there, end, done, problems, requests };
}

const callsIn = (entries: readonly NewEntry[]) =>
  entries
    .flatMap((entry) => (entry.type === "assistant" ? entry.message.content : []))
    .filter(isToolUse)
    .map(({ id }) => id);

test.each<[string, readonly Step[]]>([
  ["cut off after a thought", [START, ...block(0, THOUGHT), CUT]],
  ["cut off after text and a thought", [START, ...block(0, TEXT), ...block(1, THOUGHT), CUT]],
  ["out of tokens while thinking", [START, ...block(0, THOUGHT), ends("max_tokens"), STOP]],
  [
    "cut off during a server's call",
    [START, ...block(0, TEXT), ...block(1, { type: "server_tool_use", id: "s", name: "web_search", input: {} }), CUT],
  ],
])("a reply %s leaves a conversation the API accepts", async (_, reply) => {
  const { problems, requests } = await play([reply]);
  expect(problems).toEqual([]);
  expect(JSON.stringify(requests.slice(1))).not.toMatch(/thinking|server_tool_use/);
});

test("a reply cut off after a thought is asked for again, as it was", async () => {
  const answer = [START, ...block(0, THOUGHT), ...block(1, TEXT), ends("end_turn"), STOP];
  const { end, requests, problems } = await play([[START, ...block(0, THOUGHT), opens(1, TEXT), CUT], answer]);
  expect([end.reason, problems]).toEqual(["completed", []]);
  expect(requests[1]).toEqual(requests[0]);
});

test("a reply that was lost after a thought is no turn", async () => {
  const answer = [START, ...block(0, TEXT), ends("end_turn"), STOP];
  const { provider, requests } = playing([START, ...block(0, THOUGHT), CUT], answer);
  const end = await run(say("go"), "default", new Conversation(), testEngine(provider).ports, { maxTurns: 1 });
  expect([end.reason, requests.length]).toEqual(["completed", 2]);
});

test("a connection that is lost after every thought ends the run", async () => {
  const { provider, requests } = playing(...Array.from({ length: 9 }, () => [START, ...block(0, THOUGHT), CUT]));
  const end = await run(say("go"), "default", new Conversation(), testEngine(provider).ports, {});
  expect([end.reason, requests.length]).toEqual(["api_error", 4]);
});

test("an interrupt after a thought leaves a conversation the API accepts", async () => {
  const abort = new AbortController();
  const steps = [START, ...block(0, THOUGHT), opens(1, { type: "tool_use", id: "c", name: "Note", input: {} })];
  const { end, problems } = await play([[...steps, () => abort.abort(), closes(1)]], { signal: abort.signal });
  expect([end.reason, problems]).toEqual(["aborted_streaming", []]);
});

test("a call the server pauses at is sent back unchanged", async () => {
  const search = { type: "server_tool_use", id: "s", name: "web_search", input: {} };
  const { requests } = await play([[START, ...block(0, search), ends("pause_turn"), STOP]]);
  expect(requests[1].at(-1)).toEqual({ role: "assistant", content: [search], reply: { model: "scripted" } });
});

test("the run gives up on a server that only pauses", async () => {
  const forever = Array.from({ length: 1_000 }, () => [START, ends("pause_turn"), STOP]);
  const { provider, requests } = playing(...forever);
  const end = await run(say("go"), "default", new Conversation(), testEngine(provider).ports, {});
  expect([end.reason, requests.length < 1_000]).toEqual(["api_error", true]);
});

test.each<[string, readonly (readonly Step[])[]]>([
  ["in one reply", [[START, ...call(0, "c", "a"), ...call(1, "c", "b"), ends("tool_use"), STOP]]],
  [
    "in parallel",
    [
      [
        START,
        opens(0, { type: "tool_use", id: "c", name: "Note", input: {} }),
        opens(1, { type: "tool_use", id: "c", name: "Note", input: {} }),
        piece(0, '{"text":"a"}'),
        piece(1, '{"text":"b"}'),
        closes(0),
        closes(1),
        ends("tool_use"),
        STOP,
      ],
    ],
  ],
  ["that is empty", [[START, ...call(0, "", "a"), ...call(1, "", "b"), ends("tool_use"), STOP]]],
])("calls with the same id %s are told apart", async (_, replies) => {
  const { done, problems, entries } = await play(replies);
  expect([done, problems]).toEqual([["a", "b"], []]);
  expect(new Set(callsIn(entries)).size).toBe(2);
});

test("deltas go to their block, even if blocks are written in parallel", async () => {
  const { done, problems } = await play([
    [
      START,
      opens(0, { type: "tool_use", id: "c0", name: "Note", input: {} }),
      opens(1, { type: "tool_use", id: "c1", name: "Note", input: {} }),
      piece(0, '{"text":'),
      piece(1, '{"text":"one"}'),
      piece(7, "of no block"),
      piece(0, '"zero"}'),
      closes(7),
      closes(0),
      closes(1),
      ends("tool_use"),
      STOP,
    ],
  ]);
  expect([done, problems]).toEqual([["zero", "one"], []]);
});

test.each<[string, readonly Step[]]>([
  ["a second message_delta", [START, ...block(0, TEXT), ends("end_turn"), ends(null), STOP]],
  ["a lost connection after it", [START, ...block(0, TEXT), ends("end_turn"), CUT]],
])("a stop reason survives %s", async (_, reply) => {
  const { end } = await play([reply]);
  expect(end).toMatchObject({ reason: "completed", text: "Well", stopReason: "end_turn", numTurns: 1 });
});

test("a stop reason before the end of the last block leaves its events in order", async () => {
  const { signals, done } = await play([[START, ...call(0, "c", "a").toSpliced(2, 0, ends("tool_use")), STOP]], {
    partial: true,
  });
  const shown = signals.flatMap((signal) => (signal.type === "stream_event" ? [(signal as any).event.type] : []));
  expect(shown.slice(0, 6)).toEqual([
    "message_start",
    "content_block_start",
    "content_block_delta",
    "message_delta",
    "content_block_stop",
    "message_stop",
  ]);
  expect(done).toEqual(["a"]);
});

test.each<[string, readonly Step[]]>([
  ["starts over and fails", [START, { type: "notice", notice: { type: "restart" } }, CUT]],
  ["is lost before its end", [START, CUT]],
  ["is lost right before its end", [START, ...block(0, TEXT), ends("end_turn"), CUT]],
])("a message that %s is shown to its end once", async (_, reply) => {
  const { signals } = await play([reply], { partial: true });
  const shown = signals.flatMap((signal) => (signal.type === "stream_event" ? [(signal as any).event.type] : []));
  const [first, second, third = "message_start"] = shown.filter((type) => type.startsWith("message_st"));
  expect([first, second, third]).toEqual(["message_start", "message_stop", "message_start"]);
});

test.each(["PreToolUse", "permit"])("an interrupt during %s keeps the call from running", async (moment) => {
  const abort = new AbortController();
  const { end, done, problems } = await play([[START, ...call(0, "c", "a"), ends("tool_use"), STOP]], {
    signal: abort.signal,
    fire: (event) => {
      if (event === moment) abort.abort();
      return NOTHING_SAID;
    },
    permit: ({ input }) => {
      if (moment === "permit") abort.abort();
      return { behavior: "allow", by: "mode", source: "config", input };
    },
  });
  expect([end.reason, done, problems]).toEqual(["aborted_tools", [], []]);
});

test("a denial that ends the run stops running calls and withdraws open questions", async () => {
  const log: string[] = [];
  const asked = Promise.withResolvers<void>();
  const over = (signal: AbortSignal) => new Promise<unknown>((resolve) => signal.addEventListener("abort", resolve));
  const slow: Tool = {
    ...note([]),
    name: "Slow",
    async run(_, { signal }) {
      await over(signal);
      log.push("stopped a");
      return { text: "" };
    },
  };
  const calls = ["a", "b", "c"].flatMap((id, at) => call(at, id, id, "Slow"));
  const { end, problems } = await play([[START, ...calls, PAUSE, over]], {
    tools: [slow],
    permit: async ({ call: { id }, input }, withdrawn) => {
      if (id === "a") return { behavior: "allow", by: "mode", source: "config", input };
      if (id === "b") {
        await asked.promise;
        return { behavior: "deny", by: "person", message: "Stop", interrupt: true };
      }
      asked.resolve();
      await over(withdrawn);
      log.push("withdrew c");
      return { behavior: "deny", by: "person", message: "Tool permission request failed" };
    },
  });
  expect([end.reason, log.toSorted(), problems]).toEqual(["aborted_tools", ["stopped a", "withdrew c"], []]);
  expect(end.denials.map((denial) => denial.tool_use_id)).toEqual(["b"]);
});

test("a deferred call that is denied after a resume is listed among the denials", async () => {
  const { provider } = playing([START, ...call(0, "c", "a"), ends("tool_use"), STOP]);
  const there = testEngine(provider, {
    tools: [note([])],
    fire: (event) => (event === "PreToolUse" ? { ...NOTHING_SAID, verdict: "defer" } : NOTHING_SAID),
  });
  const conversation = new Conversation();
  expect((await run(say("go"), "default", conversation, there.ports, {})).reason).toBe("tool_deferred");
  const ports = {
    ...there.ports,
    fire: async () => NOTHING_SAID,
    permit: async () => ({ behavior: "deny", by: "rule", message: "No" }) as const,
  };
  const { denials } = await run(say("more"), "default", conversation, ports, {});
  expect(denials).toEqual([{ tool_name: "Note", tool_use_id: "c", tool_input: { text: "a" } }]);
});

const DAMAGE = fc.array(
  fc.record({ kind: fc.constantFrom("lose", "repeat", "swap", "renumber", "cut"), at: fc.nat(), to: fc.nat() }),
  { minLength: 1, maxLength: 4 },
);

test("with events lost, repeated, swapped and renumbered, no call runs unrecorded and the API accepts what follows", async () => {
  const whole = [START, ...block(0, THOUGHT), ...call(1, "c", "a"), ...call(2, "c", "b"), ends("tool_use"), STOP];
  await fc.assert(
    fc.asyncProperty(DAMAGE, async (damages) => {
      const steps: Step[] = [...whole];
      for (const { kind, at, to } of damages) {
        const [from, into] = [at % steps.length, to % steps.length];
        const step = steps[from]!;
        if (kind === "lose") steps.splice(from, 1);
        else if (kind === "repeat") steps.splice(into, 0, step);
        else if (kind === "swap") [steps[from], steps[into]] = [steps[into]!, step];
        else if (kind === "cut") steps.splice(from, 0, CUT);
        else if ("index" in step) steps[from] = { ...step, index: to % 3 };
      }
      const { done, entries, problems } = await play([steps]);
      expect(done.length).toBeLessThanOrEqual(callsIn(entries).length);
      expect(problems).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test("a blank text in a tool's output is left out, because the API would refuse it", async () => {
  const blank: Tool = { ...note([]), show: () => [" \n", "Well"].map((text) => ({ type: "text", text })) };
  const { requests, problems } = await play([[START, ...call(0, "c", "a"), ends("tool_use"), STOP]], {
    tools: [blank],
  });
  expect(problems).toEqual([]);
  expect(requests[1].at(-1).content[0].content).toEqual([{ type: "text", text: "Well" }]);
});

test.each([["Note it, please"], ["N".repeat(500)], [""]])(
  "a call by a name the API would refuse, %j, is answered under a valid name",
  async (name) => {
    const { entries, done, requests } = await play([[START, ...call(0, "c", "a", name), ends("tool_use"), STOP]]);
    const names = entries
      .flatMap((entry) => (entry.type === "assistant" ? entry.message.content : []))
      .filter(isToolUse)
      .map((made) => made.name);
    expect([done, names.every((made) => /^[a-zA-Z0-9_-]{1,128}$/.test(made)), names.length]).toEqual([[], true, 1]);
    expect(requests[1].at(-1).content[0].content).toContain("No such tool available");
  },
);

test("zeros at the end of a reply do not override the counts from its start", async () => {
  const last = { ...ends("end_turn"), usage: { input_tokens: 0, output_tokens: 5, cache_read_input_tokens: 0 } };
  const { charges } = await play([[START, ...block(0, TEXT), last as StreamEvent, STOP]]);
  expect(charges[0]!.usage).toMatchObject({ input_tokens: 100, output_tokens: 5 });
});
