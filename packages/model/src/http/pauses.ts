// Reports when a stream pauses after a finished block. The engine holds a block back to see if it is the last one; at a
// pause it can stop waiting.

import type { ModelEvent, ModelProvider } from "@keelson/engine";
import type { Wait } from "../wrappers/retry.ts";

/** The end of a block and the next event usually arrive together, or in adjacent packets. */
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
        // A caller that leaves during a pause must not wait for the next event.
        left.abort();
        await events.return?.();
      }
    },
  };
}

/** The number of microtasks in which an event that has already arrived is delivered. */
const MICROTASKS = 16;

async function isSlow(next: Promise<IteratorResult<ModelEvent>>, wait: Wait): Promise<boolean> {
  let arrived = false;
  const settled = next.then(
    () => !(arrived = true),
    () => !(arrived = true),
  );
  // The event is nearly always there already, and a timer for each block would slow down every turn.
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
