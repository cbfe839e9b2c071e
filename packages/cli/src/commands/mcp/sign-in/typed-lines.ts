// Lines that the user types, one at a time.

import type { ProcessIO } from "../../../process/process-io.ts";

export interface TypedLines extends Disposable {
  /** Drops what was typed before: call it before a question is shown. */
  skipTypedAhead(): Promise<void>;
  /** Undefined at the end of the input. */
  next(): Promise<string | undefined>;
}

const MAX_LENGTH = 16_384;
/** As long as it takes to read what the terminal has kept. */
const TYPED_AHEAD_MS = 20;

export function createLines(io: Pick<ProcessIO, "stdin">): TypedLines {
  let source: AsyncIterator<Uint8Array> | undefined;
  const decoder = new TextDecoder();
  let text = "";
  let pending: Promise<IteratorResult<Uint8Array>> | undefined;
  const read = () => {
    source ??= io.stdin()[Symbol.asyncIterator]();
    return (pending ??= source.next());
  };
  return {
    async skipTypedAhead() {
      const over = new Promise<"over">((resolve) => setTimeout(() => resolve("over"), TYPED_AHEAD_MS));
      text = "";
      while (true) {
        const came = await Promise.race([read(), over]);
        if (came === "over" || came.done) return;
        pending = undefined;
      }
    },
    async next() {
      for (;;) {
        const end = text.search(/[\r\n]/);
        if (end >= 0) {
          const line = text.slice(0, end);
          text = text.slice(end + 1);
          return line;
        }
        const { value, done } = await read();
        pending = done ? pending : undefined;
        if (done || text.length > MAX_LENGTH) return undefined;
        text += decoder.decode(value, { stream: true });
      }
    },
    [Symbol.dispose]: () => void source?.return?.(),
  };
}
