// Tells when a stream falls silent after a finished block: whoever holds the block back, to learn whether it is the
// last, need not wait any longer.

import type { ModelEvent, ModelProvider } from "@keelson/engine";
import type { Wait } from "./retry.ts";

/** The end of a block and the event behind it usually arrive together, or in neighbouring packets. */
const PAUSE_MS = 20;

export function withPauses(inner: ModelProvider, wait: Wait): ModelProvider {
  return {
    id: inner.id,
    ...(inner.countTokens ? { countTokens: inner.countTokens.bind(inner) } : {}),
    async *stream(request, signal) {
      const left = new AbortController();
      const events = inner.stream(request, AbortSignal.any([signal, left.signal]))[Symbol.asyncIterator]();
      let finishedBlock = false;
      try {
        for (;;) {
          const next = events.next();
          if (finishedBlock && (await isSlow(next, wait))) yield { type: "notice", notice: { type: "pause" } };
          const { done, value } = await next;
          if (done) return;
          if (value.type !== "ping") finishedBlock = value.type === "content_block_stop";
          yield value;
        }
      } finally {
        // Whoever leaves during a pause must not wait for the next event.
        left.abort();
        await events.return?.();
      }
    },
  };
}

/** Turns of the microtask queue in which an event that has arrived already comes through. */
const MICROTASKS = 16;

async function isSlow(next: Promise<IteratorResult<ModelEvent>>, wait: Wait): Promise<boolean> {
  let arrived = false;
  const settled = next.then(
    () => !(arrived = true),
    () => !(arrived = true),
  );
  // Nearly always it is there, and a timer for each block would be felt in every turn.
  for (let turn = 0; turn < MICROTASKS && !arrived; turn++) await Promise.resolve();
  if (arrived) return false;

  const over = new AbortController();
  const slow = wait(PAUSE_MS, over.signal).then(
    () => true,
    () => false,
  );
  const isLate = await Promise.race([settled, slow]);
  over.abort();
  return isLate;
}
