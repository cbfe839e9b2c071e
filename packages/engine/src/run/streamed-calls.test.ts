// Calls run while the reply is still arriving. Whatever happens at any event of the stream, each call is answered
// exactly once, nothing starts after the end, and what was recorded can be resumed.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { toEvents, testEngine, type TestEngine, type TestEngineOptions } from "@keelson/testkit";
import { NOTHING_SAID, type ModelMessage, type NewEntry, type PromptMessage } from "@keelson/protocol";
import { Conversation } from "../turn/conversation.ts";
import { ModelError } from "../errors.ts";
import type { ModelEvent, ModelProvider } from "../ports.ts";
import { run } from "./run.ts";
import { object, string } from "../schema/schema.ts";
import { defineTool, type Tool } from "../tool/tool.ts";

const prompt: PromptMessage = {
  type: "user",
  message: { role: "user", content: "go" },
  parent_tool_use_id: null,
};

const PAUSE: ModelEvent = { type: "notice", notice: { type: "pause" } };

/** Lets everything that is ready run. */
const breathe = () => new Promise<void>((resolve) => setImmediate(resolve));

interface Step {
  /** Before this event of the first reply. */
  readonly at: number;
  act(): void;
}

/**
 * Plays the first reply event by event, with a pause after each so that calls can proceed; the second reply is "done".
 */
function steppedModel(calls: readonly string[], steps: readonly Step[] = [], options: { paused?: boolean } = {}) {
  const reply = {
    text: "Let me see",
    calls: calls.map((text, at) => ({
      name: text.startsWith("alone") ? "Alone" : "Shared",
      input: { text },
      id: `c${at}`,
    })),
  };
  let requests = 0;
  const model: ModelProvider & { readonly played: ModelMessage[][] } = {
    id: "stepped",
    played: [],
    async *stream(request, signal) {
      model.played.push(structuredClone(request.messages) as ModelMessage[]);
      if (++requests > 1) return yield* toEvents({ text: "done" }, requests);
      for (const [at, event] of toEvents(reply, 1).entries()) {
        for (const step of steps) if (step.at === at) step.act();
        await breathe();
        if (signal.aborted) throw new ModelError("aborted", "Request was aborted");
        yield event;
        if (options.paused && event.type === "content_block_stop") yield PAUSE;
      }
    },
  };
  return model;
}

function tools(log: string[]): Tool[] {
  const shared: Tool = defineTool({
    name: "Shared",
    description: "Runs beside others",
    input: object({ text: string() }),
    parallelSafe: true,
    access: () => ({ kind: "none" }),
    async run({ text }) {
      log.push(`start ${text}`);
      for (let left = text.length % 4; left > 0; left--) await breathe();
      log.push(`end ${text}`);
      return { said: text };
    },
    show: ({ said }) => said,
  });
  return [shared, { ...shared, name: "Alone", parallelSafe: false }];
}

interface Played extends TestEngine {
  readonly log: readonly string[];
  readonly conversation: Conversation;
  readonly reason: string;
}

async function play(model: ModelProvider, options: TestEngineOptions = {}, limits = {}): Promise<Played> {
  const log: string[] = [];
  const there = testEngine(model, { tools: tools(log), ...options });
  const conversation = new Conversation();
  const { reason } = await run(prompt, "default", conversation, there.ports, limits);
  log.push("over");
  await breathe();
  return { ...there, log, conversation, reason };
}

const callsIn = (entries: readonly NewEntry[]) =>
  entries.flatMap((entry) =>
    entry.type === "assistant"
      ? entry.message.content.flatMap((block) => (block.type === "tool_use" ? [(block as { id: string }).id] : []))
      : [],
  );

const answersIn = (entries: readonly NewEntry[]) =>
  entries.flatMap((entry) =>
    entry.type === "user" && typeof entry.message.content !== "string"
      ? entry.message.content.flatMap((block) =>
          block.type === "tool_result" ? [(block as { tool_use_id: string }).tool_use_id] : [],
        )
      : [],
  );

/** What the API would refuse. */
function problems(messages: readonly ModelMessage[]): string[] {
  const found: string[] = [];
  for (const [at, { role, content }] of messages.entries()) {
    const blocks = typeof content === "string" ? [{ type: "text" }] : content;
    if (blocks.length === 0) found.push(`${at} is empty`);
    if (at > 0 && messages[at - 1]!.role === role) found.push(`${at} has the role of the one before`);
    const ids = (list: typeof content | undefined, type: string, key: string) =>
      (typeof list === "object" ? list : []).flatMap((block) =>
        block.type === type ? [(block as unknown as Record<string, string>)[key]!] : [],
      );
    const answers = ids(content, "tool_result", "tool_use_id");
    const asked = role === "user" ? ids(messages[at - 1]?.content, "tool_use", "id") : [];
    if (asked.join() !== answers.join()) found.push(`${at} answers ${answers}, but was asked ${asked}`);
    if (role === "assistant" && at === messages.length - 1 && ids(content, "tool_use", "id").length > 0)
      found.push("the last calls are open");
  }
  return found;
}

test("a call starts when its block is complete, not when the reply is", async () => {
  const log: string[] = [];
  const model: ModelProvider = {
    id: "slow",
    async *stream(request) {
      if (request.messages.length > 1) return yield* toEvents({ text: "done" }, 2);
      for (const event of toEvents(
        {
          calls: [
            { name: "Alone", input: { text: "a" } },
            { name: "Alone", input: { text: "b" } },
          ],
        },
        1,
      )) {
        yield event;
        if (event.type !== "content_block_stop") continue;
        yield PAUSE;
        await breathe();
        log.push(`block ${event.index} complete`);
        for (let left = 10; left > 0; left--) await breathe();
      }
      log.push("reply complete");
    },
  };
  const there = testEngine(model, { tools: tools(log) });
  await run(prompt, "default", new Conversation(), there.ports, {});
  expect(log).toEqual([
    "start a",
    "block 0 complete",
    "end a",
    "start b",
    "block 1 complete",
    "end b",
    "reply complete",
  ]);
});

test("without a pause in the stream, the last block still has the stop reason", async () => {
  const { entries } = await play(steppedModel(["a", "b"]));
  const reasons = entries.flatMap((entry) => (entry.type === "assistant" ? [entry.message.stop_reason] : []));
  expect(reasons).toEqual([null, null, "tool_use", "end_turn"]);
});

const CALLS = fc.array(fc.constantFrom("a", "bb", "ccc", "dddd", "alone", "alone b"), { minLength: 1, maxLength: 6 });
type Trouble =
  "abort" | "deny" | "interrupt" | "stop before" | "stop after" | "cut" | "error" | "budget" | "defer" | "none";
const TROUBLE = fc.constantFrom<Trouble>(
  "abort",
  "deny",
  "interrupt",
  "stop before",
  "stop after",
  "cut",
  "error",
  "budget",
  "defer",
  "none",
);

test("whatever ends a streamed reply, each call is answered once, nothing starts after the end, and it can be resumed", async () => {
  await fc.assert(
    fc.asyncProperty(CALLS, TROUBLE, fc.nat(40), fc.nat(5), fc.boolean(), async (calls, trouble, at, which, paused) => {
      const abort = new AbortController();
      let spent = 0;
      const victim = `c${which % calls.length}`;
      const steps: Step[] = [
        {
          at,
          act() {
            if (trouble === "abort") abort.abort();
            if (trouble === "budget") spent = 1;
            if (trouble === "cut") throw new ModelError("stream_cut", "The connection was lost");
            if (trouble === "error") throw new ModelError("invalid_request", "The server gave up", { status: 400 });
          },
        },
      ];
      const stop = { ...NOTHING_SAID, stop: "enough" };
      const played = await play(
        steppedModel(calls, steps, { paused }),
        {
          signal: abort.signal,
          spent: () => spent,
          permit: ({ call, input }) => {
            const mine = call.id === victim;
            if (mine && trouble === "deny") return { behavior: "deny", by: "rule", message: "No" };
            if (mine && trouble === "interrupt")
              return { behavior: "deny", by: "person", message: "Stop", interrupt: true };
            return { behavior: "allow", by: "mode", source: "config", input };
          },
          fire: (event, { tool_use_id }) => {
            if (tool_use_id !== victim) return NOTHING_SAID;
            if (event === "PreToolUse" && trouble === "stop before") return stop;
            if (event === "PreToolUse" && trouble === "defer") return { ...NOTHING_SAID, verdict: "defer" };
            return event === "PostToolUse" && trouble === "stop after" ? stop : NOTHING_SAID;
          },
        },
        { maxBudgetUsd: 1 },
      );

      const deferred = trouble === "defer" ? [victim] : [];
      const asked = callsIn(played.entries);
      expect(answersIn(played.entries).toSorted()).toEqual(asked.filter((id) => !deferred.includes(id)).toSorted());
      expect(played.log.at(-1)).toBe("over");
      expect(played.log.filter((line) => line.startsWith("start")).length).toBe(
        played.log.filter((line) => line.startsWith("end")).length,
      );
      if (trouble === "stop before") {
        // No call after the one where a hook ended the run was run.
        const ran = played.log.filter((line) => line.startsWith("start"));
        const before = calls.slice(0, which % calls.length).map((text) => `start ${text}`);
        expect(ran.toSorted()).toEqual(before.toSorted());
        expect(played.reason).toBe("hook_stopped");
      }
      if (trouble === "interrupt") expect(played.reason).toBe("aborted_tools");
      // A deferred call stays open until the next run answers it.
      if (deferred.length > 0) return;
      expect(problems(played.conversation.messages)).toEqual([]);
      const resumed = await Conversation.of([
        ...played.entries,
        { type: "user", uuid: "x", message: { role: "user", content: "more" } },
      ]);
      expect(problems(resumed.messages)).toEqual([]);
    }),
    { numRuns: 400 },
  );
});

test("continue: false at the first of two parallel calls keeps the second from running", async () => {
  const slowHook = async (id: unknown) => {
    // The first call's hook is slower.
    if (id === "c0") for (let left = 20; left > 0; left--) await breathe();
  };
  const { log, reason, entries } = await play(steppedModel(["a", "b"]), {
    async fire(event, { tool_use_id }) {
      if (event !== "PreToolUse") return NOTHING_SAID;
      await slowHook(tool_use_id);
      return tool_use_id === "c0" ? { ...NOTHING_SAID, stop: "enough" } : NOTHING_SAID;
    },
  });
  expect([log, reason, answersIn(entries).length]).toEqual([["over"], "hook_stopped", 2]);
});

test("hooks of parallel calls run in parallel", async () => {
  let asked = 0;
  const both = Promise.withResolvers<void>();
  const { reason } = await play(steppedModel(["a", "b"]), {
    async fire(event) {
      if (event !== "PreToolUse") return NOTHING_SAID;
      if (++asked === 2) both.resolve();
      await both.promise;
      return NOTHING_SAID;
    },
  });
  expect(reason).toBe("completed");
});

test("a call that ends the run ends the reply too", async () => {
  let events = 0;
  const reply = { calls: [{ name: "Alone", input: { text: "a" }, id: "c0" }], text: "x" };
  const model: ModelProvider = {
    id: "endless",
    async *stream(_, signal) {
      yield* toEvents(reply, 1).filter(({ type }) => type !== "message_delta" && type !== "message_stop");
      yield PAUSE;
      for (; !signal.aborted && events < 10_000; events++) {
        await breathe();
        yield { type: "ping" };
      }
      throw new ModelError("aborted", "Request was aborted");
    },
  };
  const permit = () => ({ behavior: "deny", by: "person", message: "Stop", interrupt: true }) as const;
  const { reason, conversation } = await play(model, { permit });
  expect([reason, events < 10_000, problems(conversation.messages)]).toEqual(["aborted_tools", true, []]);
});

const PORTS = [
  "record",
  "show",
  "fire",
  "permit",
  "forbids",
  "context",
  "spill",
  "instructionsFor",
  "now",
  "newId",
  "charge",
  "spent",
  "steering",
  "admitted",
] as const;

test.each(PORTS.map((port) => ({ port })))(
  "a $port port that throws at any step leaves nothing running and no call unanswered",
  async ({ port }) => {
    for (let step = 0; step < 40; step++) {
      const log: string[] = [];
      const there = testEngine(steppedModel(["a", "alone", "b"]), { tools: tools(log), partial: true });
      let uses = 0;
      const broken = {
        ...there.ports,
        [port]: (...args: never[]) => {
          if (uses++ === step) throw new Error("out of order");
          return (there.ports[port] as (...all: never[]) => unknown)(...args);
        },
      };
      const conversation = new Conversation();
      const end = await run(prompt, "default", conversation, broken, { maxBudgetUsd: 1 }).catch(
        async (error: unknown) => {
          await conversation.seal();
          return error;
        },
      );
      const reached = uses > step;
      await breathe();
      expect(log.filter((line) => line.startsWith("start")).length).toBe(
        log.filter((line) => line.startsWith("end")).length,
      );
      expect(problems(conversation.messages)).toEqual([]);
      if (!reached) {
        expect(end).toMatchObject({ reason: "completed" });
        break;
      }
      if (end instanceof Error) expect(end.message).toBe("out of order");
    }
  },
);

test("an input is repaired once: what is recorded is what the tool gets", async () => {
  const got: string[] = [];
  const [shared] = tools([]) as [Tool];
  const tool: Tool = {
    ...shared,
    repair: ({ text }) => ({ text: `${String(text)}!` }),
    async run({ text }) {
      got.push(text as string);
      return { said: text };
    },
  };
  const { entries } = await play(steppedModel(["x"]), { tools: [tool] });
  const recorded = entries.flatMap((entry) =>
    entry.type === "assistant" ? entry.message.content.filter(({ type }) => type === "tool_use") : [],
  );
  expect(got).toEqual(["x!"]);
  expect(recorded).toMatchObject([{ input: { text: "x!" } }]);
});

test("a call gets the tools, and completes its input, as the calls before it left them", async () => {
  const log: string[] = [];
  const [shared, alone] = tools(log) as [Tool, Tool];
  let known = "nothing";
  const offered: Tool[] = [
    {
      ...shared,
      async run({ text }) {
        // Meanwhile the next call comes, and waits.
        for (let left = 100; left > 0; left--) await breathe();
        known = text;
        offered.splice(1, 1, { ...alone, complete: (input) => ({ text: `${input.text} after ${known}` }) });
        return { said: text };
      },
    },
    { ...alone, complete: () => ({ text: "as it was" }) },
  ];
  await play(steppedModel(["first", "alone"]), { tools: offered });
  expect(log).toEqual(["start alone after first", "end alone after first"]);
});
