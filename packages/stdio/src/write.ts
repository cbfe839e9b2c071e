// Collects the lines of one tick into one write, and makes the producer wait when the reader is slow.
// It knows text, not messages.

export interface LineWriter {
  /** Adds a line. Await the promise if there is one: too much is buffered. Throws if an earlier write failed. */
  add(line: string): void | Promise<void>;
  /** Resolves when everything added so far is written; rejects if a write failed. */
  flush(): Promise<void>;
}

/** With this many characters, write at once instead of at the end of the tick. */
const FULL = 64 * 1024;
/** With this many characters waiting behind an unfinished write, the producer has to wait. */
const TOO_MUCH = 1024 * 1024;

/** `onFailure` is called for the first write that fails, in case no further line is added. */
export function lineWriter(write: (text: string) => void | Promise<void>, onFailure?: () => void): LineWriter {
  let lines: string[] = [];
  let held = 0;
  let scheduled = false;
  let writing: Promise<void> | undefined;
  let failure: { readonly error: unknown } | undefined;

  const fail = (error: unknown) => {
    lines = [];
    held = 0;
    if (failure !== undefined) return;
    failure = { error };
    onFailure?.();
  };

  const start = () => {
    if (writing !== undefined || held === 0 || failure !== undefined) return;
    const text = lines.join("");
    lines = [];
    held = 0;
    try {
      const slow = write(text);
      if (slow === undefined) return;
      writing = slow.catch(fail).finally(() => {
        writing = undefined;
        start();
      });
    } catch (error) {
      fail(error);
    }
  };

  const drained = async (enough: () => boolean) => {
    for (let slow = writing; slow !== undefined && !enough(); slow = writing) await slow;
    if (failure !== undefined) throw failure.error;
  };

  return {
    add(line) {
      if (failure !== undefined) throw failure.error;
      lines.push(line);
      held += line.length;
      if (held >= FULL) start();
      if (held >= TOO_MUCH) return drained(() => held < TOO_MUCH);
      if (scheduled || held === 0) return;
      scheduled = true;
      setImmediate(() => {
        scheduled = false;
        start();
      });
    },
    async flush() {
      start();
      await drained(() => false);
    },
  };
}
