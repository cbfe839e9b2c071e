// What every ModelProvider must do, as tests anyone can run against their own. The provider is tested without retry or
// fallback around it. The implementer decides how a script reaches it.

import { ModelError, type ModelEvent, type ModelProvider, type ModelRequest } from "@keelson/engine";
import { tryParse, type StreamEvent } from "@keelson/protocol";
import { startMockModel, type MockModelOptions } from "../model/mock-server.ts";
import type { Failure, ScriptedReply } from "../model/reply.ts";

/** The two functions of a test runner that are needed; `bun:test` has them. */
export interface TestRunner {
  test(name: string, body: () => Promise<void>): void;
  expect(actual: unknown): { toEqual(expected: any): void };
}

export interface ProviderUnderTest {
  readonly provider: ModelProvider;
  /** Resolves when the first request has reached the model. If absent, as soon as the stream is read. */
  underWay?(): Promise<unknown>;
  close?(): Promise<void>;
}

type Script = readonly (ScriptedReply | Failure)[];

/** Creates a provider whose model replies with the script, in order. */
export type MakeProvider = (script: Script) => ProviderUnderTest | Promise<ProviderUnderTest>;

export function describeModelProvider(name: string, make: MakeProvider, { test, expect }: TestRunner): void {
  const story = (
    title: string,
    script: Script,
    body: (provider: ModelProvider, made: ProviderUnderTest) => Promise<void>,
  ) =>
    test(`${name}: ${title}`, async () => {
      const made = await make(script);
      try {
        await body(made.provider, made);
      } finally {
        await made.close?.();
      }
    });

  story("text comes whole, whatever the deltas", [{ text: "naïve 日本 👩‍👩‍👧 end", deltas: 7 }], async (provider) => {
    const events = await all(provider);
    expect(shapeProblems(events)).toEqual([]);
    expect(contentOf(events)).toEqual([{ type: "text", text: "naïve 日本 👩‍👩‍👧 end" }]);
    expect(stopReasonOf(events)).toEqual("end_turn");
  });

  story(
    "calls come in order with their input and different ids",
    [
      {
        text: "two calls",
        calls: [
          { name: "Read", input: { file_path: "/p/ä" } },
          { name: "Bash", input: { command: 'echo "x\ny"', nested: { list: [1, null, true] } } },
        ],
      },
    ],
    async (provider) => {
      const events = await all(provider);
      expect(shapeProblems(events)).toEqual([]);
      expect(contentOf(events).map(({ id: _, ...block }) => block)).toEqual([
        { type: "text", text: "two calls" },
        { type: "tool_use", name: "Read", input: { file_path: "/p/ä" } },
        { type: "tool_use", name: "Bash", input: { command: 'echo "x\ny"', nested: { list: [1, null, true] } } },
      ]);
      const ids = contentOf(events).flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
      expect(new Set(ids).size).toEqual(2);
      expect(stopReasonOf(events)).toEqual("tool_use");
    },
  );

  story(
    "input that is no JSON is passed on for the engine to answer",
    [{ calls: [{ name: "Read", input: {} }], brokenJson: '{"file_path": "/p' }],
    async (provider) => {
      const events = await all(provider);
      expect(shapeProblems(events)).toEqual([]);
      expect(contentOf(events).map(({ input }) => input)).toEqual(['{"file_path": "/p']);
    },
  );

  story("the reason for stopping is passed on", [{ text: "cut sh", stopReason: "max_tokens" }], async (provider) => {
    expect(stopReasonOf(await all(provider))).toEqual("max_tokens");
  });

  story("usage is told", [{ text: "x", usage: { input_tokens: 1234, output_tokens: 56 } }], async (provider) => {
    const { input_tokens, output_tokens } = usageOf(await all(provider));
    expect({ input_tokens, output_tokens }).toEqual({ input_tokens: 1234, output_tokens: 56 });
  });

  for (const { failure, kind } of FAILURES)
    story(`a ${failure.status} becomes "${kind}"`, [failure], async (provider) => {
      const error = await failureOf(provider);
      expect({ kind: error.kind, status: error.status }).toEqual({ kind, status: failure.status });
    });

  story("the time to wait is passed on", [{ status: 429, headers: { "retry-after": "7" } }], async (provider) => {
    expect((await failureOf(provider)).retryAfterMs).toEqual(7000);
  });

  for (const cutAfter of ["message_start", "first_delta", "first_block"] as const)
    story(`a stream cut after ${cutAfter} is an error, not an end`, [{ text: "half", cutAfter }], async (provider) => {
      expect(["stream_cut", "connection"].includes((await failureOf(provider)).kind)).toEqual(true);
    });

  story("a connection that breaks before an answer is an error", [{ text: "x", cutAfter: 0 }], async (provider) => {
    expect(["stream_cut", "connection"].includes((await failureOf(provider)).kind)).toEqual(true);
  });

  story("an error inside the stream is thrown", [OVERLOADED_LATE], async (provider) => {
    expect((await failureOf(provider)).kind).toEqual("overloaded");
  });

  story("a signal aborted beforehand ends it", [{ text: "never" }], async (provider) => {
    expect((await failureOf(provider, AbortSignal.abort())).kind).toEqual("aborted");
  });

  story("a signal ends a request that has no answer yet", [{ hang: true }], async (provider, made) => {
    const aborting = new AbortController();
    const failure = failureOf(provider, aborting.signal);
    await made.underWay?.();
    aborting.abort();
    expect((await failure).kind).toEqual("aborted");
  });

  story(
    "a signal ends a stream that has gone silent",
    [{ text: ["one", "two"], cutAfter: "first_delta", hang: true }],
    async (provider) => {
      const aborting = new AbortController();
      const seen: string[] = [];
      const error = await thrownBy(async () => {
        for await (const event of provider.stream(REQUEST, aborting.signal)) {
          seen.push(event.type);
          if (event.type === "content_block_delta") aborting.abort();
        }
      });
      expect({ kind: error.kind, last: seen.at(-1) }).toEqual({ kind: "aborted", last: "content_block_delta" });
    },
  );

  story(
    "a reader may leave early and ask again",
    [{ text: "a b c", deltas: 3 }, { text: "second" }],
    async (provider) => {
      const events = provider.stream(REQUEST, new AbortController().signal)[Symbol.asyncIterator]();
      await events.next();
      await events.return?.();
      expect(contentOf(await all(provider))).toEqual([{ type: "text", text: "second" }]);
    },
  );

  story("a frozen request is enough, and stays as it is", [{ text: "x" }], async (provider) => {
    const request = deepFreeze(structuredClone(REQUEST));
    await all(provider, request);
    expect(request).toEqual(REQUEST);
  });

  story(
    "two streams at once do not mix",
    [
      { text: "same", deltas: 4 },
      { text: "same", deltas: 2 },
    ],
    async (provider) => {
      const both = await Promise.all([all(provider), all(provider)]);
      expect(both.flatMap(shapeProblems)).toEqual([]);
      expect(both.map(contentOf)).toEqual([[{ type: "text", text: "same" }], [{ type: "text", text: "same" }]]);
    },
  );
}

/** For providers that use the Anthropic Messages API: a mock model at the given address serves each script. */
export function throughMockModel(make: (url: string) => ModelProvider, options: MockModelOptions = {}): MakeProvider {
  return async (script) => {
    const model = await startMockModel(script, options);
    return { provider: make(model.url), underWay: () => model.waitForRequest(1), close: () => model.close() };
  };
}

const REQUEST: ModelRequest = {
  model: "test-model",
  max_tokens: 1000,
  system: [{ type: "text", text: "You are being tested." }],
  messages: [{ role: "user", content: [{ type: "text", text: "Hello" }] }],
  tools: [{ name: "Read", description: "Reads.", input_schema: { type: "object", properties: {} } }],
  betas: [],
};

const FAILURES: readonly { readonly failure: Failure; readonly kind: ModelError["kind"] }[] = [
  { failure: { status: 400 }, kind: "invalid_request" },
  { failure: { status: 400, message: "prompt is too long: 200001 tokens > 200000 maximum" }, kind: "prompt_too_long" },
  { failure: { status: 401 }, kind: "authentication_failed" },
  { failure: { status: 404 }, kind: "model_not_found" },
  { failure: { status: 429 }, kind: "rate_limit" },
  { failure: { status: 500 }, kind: "server_error" },
  { failure: { status: 503 }, kind: "server_error" },
  { failure: { status: 529 }, kind: "overloaded" },
];

const OVERLOADED_LATE: ScriptedReply = { text: "x", errorAfter: { after: "message_start", type: "overloaded_error" } };

async function all(provider: ModelProvider, request = REQUEST, signal = new AbortController().signal) {
  const events: StreamEvent[] = [];
  for await (const event of provider.stream(request, signal)) if (isStreamEvent(event)) events.push(event);
  return events;
}

function isStreamEvent(event: ModelEvent): event is StreamEvent {
  return event.type !== "notice" && event.type !== "ping";
}

const failureOf = (provider: ModelProvider, signal?: AbortSignal) =>
  thrownBy(async () => void (await all(provider, REQUEST, signal)));

async function thrownBy(body: () => Promise<void>): Promise<ModelError> {
  try {
    await body();
  } catch (error) {
    if (error instanceof ModelError) return error;
    throw new Error(`A provider throws ModelError and nothing else, but threw: ${String(error)}`, { cause: error });
  }
  throw new Error("Expected a ModelError, but the stream ended as if all were well");
}

/** What is wrong with the order of events: there must be one start, blocks one after another, one stop. */
function shapeProblems(events: readonly StreamEvent[]): string[] {
  const problems: string[] = [];
  let open: number | undefined;
  let next = 0;
  events.forEach((event, at) => {
    if ((event.type === "message_start") !== (at === 0)) problems.push(`message_start at ${at}`);
    if ((event.type === "message_stop") !== (at === events.length - 1))
      problems.push(`${event.type} at ${at}, the end`);
    if (event.type === "content_block_start") {
      if (open !== undefined || event.index !== next) problems.push(`block ${event.index} starts at ${at}`);
      open = event.index;
      next++;
    }
    if (event.type === "content_block_delta" && event.index !== open) problems.push(`stray delta at ${at}`);
    if (event.type === "content_block_stop") {
      if (event.index !== open) problems.push(`stray stop at ${at}`);
      open = undefined;
    }
  });
  if (open !== undefined) problems.push(`block ${open} never stops`);
  return problems;
}

/** The blocks that the events build. Input that does not parse stays text. */
function contentOf(events: readonly StreamEvent[]): Record<string, any>[] {
  const blocks: Record<string, any>[] = [];
  for (const event of events) {
    if (event.type === "content_block_start") blocks.push({ ...event.content_block });
    const block = blocks.at(-1);
    if (event.type === "content_block_delta" && event.delta.type === "text_delta") block!.text += event.delta.text;
    if (event.type === "content_block_delta" && event.delta.type === "input_json_delta")
      block!.json = (block!.json ?? "") + event.delta.partial_json;
  }
  return blocks.map(({ json, ...block }) => (json === undefined ? block : { ...block, input: tryParse(json) ?? json }));
}

function stopReasonOf(events: readonly StreamEvent[]): string | null | undefined {
  return events.findLast((event) => event.type === "message_delta")?.delta.stop_reason;
}

function usageOf(events: readonly StreamEvent[]): Record<string, unknown> {
  const start = events.find((event) => event.type === "message_start");
  const end = events.findLast((event) => event.type === "message_delta");
  return { ...start?.message.usage, ...end?.usage };
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}
