// Limits what one reply may have: each block is an entry in the transcript, and each call runs.

import { ModelError, type ModelProvider } from "@keelson/engine";

export const MAX_BLOCKS = 1_000;

export const tooManyBlocks = () => new ModelError("unknown", `The reply has more than ${MAX_BLOCKS} blocks`);

export function withBounds(inner: ModelProvider): ModelProvider {
  return {
    id: inner.id,
    ...(inner.countTokens ? { countTokens: inner.countTokens.bind(inner) } : {}),
    async *stream(request, signal) {
      let blocks = 0;
      for await (const event of inner.stream(request, signal)) {
        if (event.type === "notice" && event.notice.type === "restart") blocks = 0;
        if (event.type === "content_block_start" && ++blocks > MAX_BLOCKS) throw tooManyBlocks();
        yield event;
      }
    },
  };
}
