import { expect, test } from "bun:test";
import { ModelError, type ModelErrorKind, type ModelEvent, type ModelRequest } from "@keelson/engine";
import type { StreamEvent } from "@keelson/protocol";
import { withRetry, type PlainProvider, type RetryOptions } from "./retry.ts";

const request: ModelRequest = { model: "m", max_tokens: 1, system: [], messages: [], tools: [], betas: [] };
const start = { type: "message_start", message: { id: "1" } } as unknown as StreamEvent;
const block: StreamEvent[] = [
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hi" } },
];
const stop: StreamEvent = { type: "content_block_stop", index: 0 };
const end: StreamEvent = { type: "message_stop" };
const whole = [start, ...block, stop, end];

type Attempt = readonly (StreamEvent | ModelError)[];

function fails(kind: ModelErrorKind, options: ConstructorParameters<typeof ModelError>[2] = {}): ModelError {
  return new ModelError(kind, `failed: ${kind}`, options);
}

/** Plays one attempt after another and records how each was requested. */
function inner(...attempts: readonly Attempt[]) {
  const asked: string[] = [];
  async function* play(how: string): AsyncGenerator<ModelEvent> {
    for (const step of attempts[asked.push(how) - 1] ?? whole) {
      if (step instanceof Error) throw step;
      yield step;
    }
  }
  const provider: PlainProvider = { id: "inner", stream: () => play("stream"), plain: () => play("plain") };
  return { asked, provider };
}

async function collect(provider: PlainProvider, options: RetryOptions = {}, signal = new AbortController().signal) {
  const waits: number[] = [];
  const wait = async (ms: number) => void waits.push(ms);
  const got: ModelEvent[] = [];
  try {
    for await (const event of withRetry(provider, { wait, random: () => 0, ...options }).stream(request, signal))
      got.push(event);
    return { got, waits };
  } catch (error) {
    return { got, waits, error: error as ModelError };
  }
}

const notices = (events: readonly ModelEvent[]) =>
  events.flatMap((event) => (event.type === "notice" ? [event.notice] : []));

test("a server that asks not to be sent the request again is not", async () => {
  const { asked, provider } = inner([fails("server_error", { status: 500, isFinal: true })]);
  const { got, error } = await collect(provider);
  expect({ got, asked: asked.length, kind: error?.kind }).toEqual({ got: [], asked: 1, kind: "server_error" });
});

test("a request to an overloaded model is retried, and each wait is announced first", async () => {
  const { asked, provider } = inner([fails("overloaded", { status: 529 })], [fails("server_error", { status: 500 })]);
  const { got, waits } = await collect(provider);
  expect(got).toEqual([
    {
      type: "notice",
      notice: { type: "retry", attempt: 1, maxRetries: 10, delayMs: 500, status: 529, error: "overloaded" },
    },
    {
      type: "notice",
      notice: { type: "retry", attempt: 2, maxRetries: 10, delayMs: 1000, status: 500, error: "server_error" },
    },
    ...whole,
  ]);
  expect([asked, waits]).toEqual([
    ["stream", "stream", "stream"],
    [500, 1000],
  ]);
});

test("waits double, add up to 25% at random, and have a maximum", async () => {
  const attempts = Array.from({ length: 11 }, () => [fails("connection")]);
  const least = await collect(inner(...attempts).provider);
  const most = await collect(inner(...attempts).provider, { random: () => 1 });
  expect(least.waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 32_000, 38_000, 38_000, 38_000]);
  expect(most.waits.slice(0, 7)).toEqual([625, 1250, 2500, 5000, 10_000, 20_000, 38_000]);
  expect(least.error?.kind).toBe("connection");
});

test("retry-after is followed exactly, unless it is too long", async () => {
  const soon = await collect(inner([fails("rate_limit", { status: 429, retryAfterMs: 7123 })]).provider);
  expect(soon.waits).toEqual([7123]);
  const late = await collect(inner([fails("rate_limit", { status: 429, retryAfterMs: 3_600_000 })]).provider);
  expect([late.waits, late.error?.kind]).toEqual([[], "rate_limit"]);
});

test("permanent errors are not retried", async () => {
  const kinds: ModelErrorKind[] = [
    "authentication_failed",
    "billing_error",
    "invalid_request",
    "prompt_too_long",
    "model_not_found",
    "aborted",
    "unknown",
  ];
  for (const kind of kinds) {
    const { asked, provider } = inner([fails(kind)]);
    const { error } = await collect(provider);
    expect([error?.kind, asked.length]).toEqual([kind, 1]);
  }
  const bug = {
    id: "x",
    stream: () => inner([new TypeError("bug") as unknown as ModelError]).provider.stream(request, null!),
  };
  expect((await collect(bug as unknown as PlainProvider)).error).toBeInstanceOf(TypeError);
});

test("a stream cut before a finished block is requested again at once without streaming, and restarts", async () => {
  for (const kind of ["stream_cut", "connection", "timeout"] as const) {
    const { asked, provider } = inner([start, ...block, fails(kind)]);
    const { got, waits } = await collect(provider);
    expect(got).toEqual([start, ...block, { type: "notice", notice: { type: "restart" } }, ...whole]);
    expect([asked, waits]).toEqual([["stream", "plain"], []]);
  }
});

test("without plainFallback, a cut stream is requested again as a stream, once and at once", async () => {
  const { asked, provider } = inner([start, fails("stream_cut")], [start, fails("stream_cut")]);
  const { got, waits } = await collect(provider, { plainFallback: false });
  expect([asked, waits]).toEqual([["stream", "stream", "stream"], [500]]);
  expect(notices(got).map(({ type }) => type)).toEqual(["restart", "restart", "retry"]);
});

test("an empty reply is requested again without streaming and without a restart notice", async () => {
  const { asked, provider } = inner([{ type: "ping" }, fails("stream_cut")]);
  expect((await collect(provider)).got).toEqual([{ type: "ping" }, ...whole]);
  expect(asked).toEqual(["stream", "plain"]);
});

test("any error after a finished block becomes stream_cut", async () => {
  for (const kind of ["stream_cut", "connection", "overloaded", "timeout"] as const) {
    const { asked, provider } = inner([start, ...block, stop, fails(kind, { apiType: "x" })]);
    const { got, error } = await collect(provider);
    expect(got).toEqual([start, ...block, stop]);
    expect([error?.kind, error?.message, asked.length]).toEqual(["stream_cut", `failed: ${kind}`, 1]);
  }
});

test("an overload error in the middle of a stream restarts it after a wait", async () => {
  const { asked, provider } = inner([start, fails("overloaded", { status: 529 })]);
  const { got } = await collect(provider);
  expect(notices(got).map(({ type }) => type)).toEqual(["restart", "retry"]);
  expect(asked).toEqual(["stream", "stream"]);
});

test("the number of retries is limited, even if streams keep breaking", async () => {
  const { asked, provider } = inner(...Array.from({ length: 50 }, () => [start, fails("stream_cut")]));
  const { error } = await collect(provider, { maxRetries: 3 });
  expect([error?.kind, asked.length]).toEqual(["stream_cut", 5]);
  const none = inner([fails("overloaded")]);
  expect((await collect(none.provider, { maxRetries: 0 })).waits).toEqual([]);
});

test("consecutive overload errors can be limited; another error resets the count", async () => {
  const overloaded = [fails("overloaded")];
  const row = inner(overloaded, overloaded, overloaded);
  expect((await collect(row.provider, { maxOverloads: 3 })).error?.kind).toBe("overloaded");
  expect(row.asked).toHaveLength(3);
  const mixed = inner(overloaded, overloaded, [fails("server_error")], overloaded);
  expect((await collect(mixed.provider, { maxOverloads: 3 })).error).toBeUndefined();
});

test("an abort ends the wait", async () => {
  const controller = new AbortController();
  const provider = withRetry(inner([fails("overloaded", { retryAfterMs: 500_000 })]).provider);
  const reading = (async () => {
    for await (const event of provider.stream(request, controller.signal))
      if (event.type === "notice") controller.abort();
  })();
  expect(((await reading.catch((error) => error)) as ModelError).kind).toBe("aborted");
});

test("a request whose thinking the server refuses is sent once more without it, and so are later ones", async () => {
  const refusal = new ModelError("invalid_request", "messages.1.content.0: Invalid `signature` in `thinking` block", {
    status: 400,
  });
  const thought = { type: "thinking", thinking: "hm", signature: "of another account" };
  const messages = [
    { role: "user", content: "hi" },
    { role: "assistant", content: [thought, { type: "text", text: "ok" }] },
    { role: "user", content: "go on" },
  ] as const;
  const sent: boolean[] = [];
  async function* stream(given: ModelRequest): AsyncGenerator<ModelEvent> {
    const hasThought = JSON.stringify(given.messages).includes("of another account");
    sent.push(hasThought);
    if (hasThought) throw refusal;
    yield* whole;
  }
  const provider = withRetry({ id: "inner", stream });
  const ask = () => Array.fromAsync(provider.stream({ ...request, messages }, new AbortController().signal));
  const text = "The server did not accept the model's earlier thinking; continuing without it";
  expect(await ask()).toEqual([{ type: "notice", notice: { type: "loss", text } }, ...whole]);
  expect(await ask()).toEqual(whole);
  expect(sent).toEqual([true, false, false]);

  const stubborn = withRetry({
    id: "inner",
    stream: () => {
      throw refusal;
    },
  } as never);
  const failing = Array.fromAsync(stubborn.stream({ ...request, messages }, new AbortController().signal));
  expect(await failing.catch((error: unknown) => error)).toBe(refusal);
});
