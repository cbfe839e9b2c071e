// Lines that the user types, one at a time.

import type { ProcessIO } from "../../../process/process-io.ts";

export interface TypedLines extends Disposable {
  /** Undefined at the end of the input. */
  next(): Promise<string | undefined>;
}

const MAX_LENGTH = 16_384;

export function createLines(io: Pick<ProcessIO, "stdin">): TypedLines {
  let source: AsyncIterator<Uint8Array> | undefined;
  const decoder = new TextDecoder();
  let text = "";
  return {
    async next() {
      source ??= io.stdin()[Symbol.asyncIterator]();
      for (;;) {
        const end = text.search(/[\r\n]/);
        if (end >= 0) {
          const line = text.slice(0, end);
          text = text.slice(end + 1);
          return line;
        }
        const { value, done } = await source.next();
        if (done || text.length > MAX_LENGTH) return undefined;
        text += decoder.decode(value, { stream: true });
      }
    },
    [Symbol.dispose]: () => void source?.return?.(),
  };
}
