import { expect, test } from "bun:test";
import { ModelError, type ModelEvent, type ModelProvider, type ModelRequest } from "@keelson/engine";
import { withPauses } from "./pauses.ts";
import type { Wait } from "../wrappers/retry.ts";

const STOP: ModelEvent = { type: "content_block_stop", index: 0 };
const PING: ModelEvent = { type: "ping" };
const request = {} as ModelRequest;
const never = new AbortController().signal;
const atOnce: Wait = async () => {};

/** Yields these events; "silence" waits until the signal aborts. */
function saying(...said: readonly (ModelEvent | "silence")[]): ModelProvider {
  return {
    id: "inner",
    async *stream(_, signal) {
      for (const each of said) {
        if (each !== "silence") yield each;
        else {
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          throw new ModelError("aborted", "Request was aborted");
        }
      }
    },
  };
}

async function untilPause(provider: ModelProvider): Promise<string[]> {
  const seen: string[] = [];
  for await (const event of provider.stream(request, never)) {
    seen.push(event.type === "notice" ? event.notice.type : event.type);
    if (seen.at(-1) === "pause") break;
  }
  return seen;
}

test("silence after a finished block is a pause, and leaving there does not wait for the next event", async () => {
  expect(await untilPause(withPauses(saying(STOP, "silence"), atOnce))).toEqual(["content_block_stop", "pause"]);
});

test("a ping after a finished block does not count as the next event", async () => {
  const patient: Wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const provider = withPauses(saying(STOP, PING, "silence"), patient);
  expect(await untilPause(provider)).toEqual(["content_block_stop", "ping", "pause"]);
});

test("there is no pause without a finished block", async () => {
  const delta: ModelEvent = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "a" } };
  expect(await untilPause(withPauses(saying(delta, PING, delta), atOnce))).toEqual([
    "content_block_delta",
    "ping",
    "content_block_delta",
  ]);
});
