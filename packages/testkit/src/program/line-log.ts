// The lines of a program's output as they arrive, each with its time, and a way to wait for one.

import { LineSplitter, tryParse } from "@keelson/protocol";

export interface LoggedLine {
  /** Its index on stdout, from zero. */
  readonly index: number;
  readonly text: string;
  /** The line as JSON; undefined if it is not JSON. */
  readonly json: any;
  /** `performance.now()` when it was complete. */
  readonly at: number;
}

export interface LineLog {
  readonly lines: readonly LoggedLine[];
  push(chunk: Uint8Array): void;
  /** The output has ended: a rest without a newline is a line too. */
  finish(): void;
  /** The first accepted line after `after`, received already or later. Rejects when `givenUp` resolves. */
  waitFor(
    accept: (line: LoggedLine) => boolean,
    after: LoggedLine | undefined,
    givenUp: Promise<Error>,
  ): Promise<LoggedLine>;
}

export function lineLog(): LineLog {
  const lines: LoggedLine[] = [];
  const splitter = new LineSplitter();
  const watchers = new Set<(line: LoggedLine) => void>();
  const add = (text: string) => {
    const line = { index: lines.length, text, json: tryParse(text), at: performance.now() };
    lines.push(line);
    for (const look of watchers) look(line);
  };
  return {
    lines,
    push(chunk) {
      for (const text of splitter.push(chunk)) add(text);
    },
    finish() {
      const rest = splitter.rest();
      if (rest !== undefined) add(rest);
    },
    async waitFor(accept, after, givenUp) {
      const there = lines.slice(after ? after.index + 1 : 0).find(accept);
      if (there) return there;
      const { promise, resolve, reject } = Promise.withResolvers<LoggedLine>();
      const look = (line: LoggedLine) => void (accept(line) && resolve(line));
      watchers.add(look);
      void givenUp.then(reject);
      return await promise.finally(() => watchers.delete(look));
    },
  };
}
