import { expect, test } from "bun:test";
import { ModelError, type ModelErrorKind, type ModelProvider } from "@keelson/engine";
import type { StreamEvent } from "@keelson/protocol";
import { failureKind, scriptedModel } from "../model/scripted-model.ts";
import { describeModelProvider, throughMockModel, type MakeProvider } from "./model-provider.ts";

describeModelProvider("scriptedModel", (script) => ({ provider: scriptedModel(...script) }), { test, expect });
describeModelProvider("a small HTTP provider", throughMockModel(small), { test, expect });
describeModelProvider("the same, byte by byte", throughMockModel(small, { chunkBytes: 1, pings: true }), {
  test,
  expect,
});

test("the suite catches a provider that ends silently when its stream is cut", async () => {
  const quiet = wrap(async function* (events) {
    try {
      yield* events;
    } catch (error) {
      if (!(error instanceof ModelError) || error.kind !== "stream_cut") throw error;
    }
  });
  expect(await failing(quiet)).toEqual([
    "a stream cut after message_start is an error, not an end",
    "a stream cut after first_delta is an error, not an end",
    "a stream cut after first_block is an error, not an end",
  ]);
});

test("the suite catches a provider that throws something else", async () => {
  const foreign = wrap(async function* (events) {
    try {
      yield* events;
    } catch (error) {
      throw error instanceof ModelError && error.kind === "aborted" ? new Error("AbortError") : error;
    }
  });
  expect(await failing(foreign)).toEqual([
    "a signal aborted beforehand ends it",
    "a signal ends a request that has no answer yet",
    "a signal ends a stream that has gone silent",
  ]);
});

test("the suite catches a provider that drops the end of a block", async () => {
  const careless = wrap(async function* (events) {
    for await (const event of events) if (event.type !== "content_block_stop") yield event;
  });
  expect(await failing(careless)).toEqual([
    "text comes whole, whatever the deltas",
    "calls come in order with their input and different ids",
    "input that is no JSON is passed on for the engine to answer",
    "two streams at once do not mix",
  ]);
});

/** The titles of the tests that a provider does not pass. */
async function failing(make: MakeProvider): Promise<string[]> {
  const bodies: [string, () => Promise<void>][] = [];
  const runner = { test: (title: string, body: () => Promise<void>) => void bodies.push([title, body]), expect };
  describeModelProvider("x", make, runner);
  const titles: string[] = [];
  for (const [title, body] of bodies)
    await body().catch(() => {
      titles.push(title.slice("x: ".length));
    });
  return titles;
}

function wrap(change: (events: AsyncIterable<any>) => AsyncIterable<any>): MakeProvider {
  return (script) => {
    const model = scriptedModel(...script);
    return { provider: { id: "x", stream: (request, signal) => change(model.stream(request, signal)) } };
  };
}

/** Just enough of a provider to run the suite over HTTP. */
function small(url: string): ModelProvider {
  return {
    id: "small",
    async *stream(request, signal) {
      let started = false;
      try {
        const body = JSON.stringify({ ...request, stream: true });
        const response = await fetch(`${url}/v1/messages`, { method: "POST", body, signal });
        if (!response.ok) throw await refusal(response);
        for await (const event of eventsOf(response.body!)) {
          started = true;
          if (event.type === "error")
            throw new ModelError(failureKind({ status: 500, type: event.error.type }), "error");
          yield event as StreamEvent;
          if (event.type === "message_stop") return;
        }
        throw new ModelError("stream_cut", "no message_stop");
      } catch (error) {
        if (signal.aborted) throw new ModelError("aborted", "aborted", { cause: error });
        if (error instanceof ModelError) throw error;
        const kind: ModelErrorKind = started ? "stream_cut" : "connection";
        throw new ModelError(kind, String(error), { cause: error });
      }
    },
  };
}

async function refusal(response: Response): Promise<ModelError> {
  const { error } = (await response.json()) as { error: { type: string; message: string } };
  const retryAfter = response.headers.get("retry-after");
  return new ModelError(failureKind({ status: response.status, ...error }), error.message, {
    status: response.status,
    ...(retryAfter === null ? {} : { retryAfterMs: Number(retryAfter) * 1000 }),
  });
}

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<any> {
  const decoder = new TextDecoder();
  let held = "";
  for await (const chunk of body) {
    held += decoder.decode(chunk, { stream: true });
    const frames = held.split("\n\n");
    held = frames.pop()!;
    for (const frame of frames) yield JSON.parse(frame.slice(frame.indexOf("data: ") + 6));
  }
}
