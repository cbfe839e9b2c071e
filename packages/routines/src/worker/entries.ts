// What a run leaves behind, on its way to the store: in order, in batches, soon after it happened, and without its secrets.

import type { RunEntry } from "../records/run.ts";
import type { WorkerStore } from "../store/run-store.ts";
import type { RunLease } from "./lease.ts";

const SOON_MS = 200;
const BATCH_ENTRIES = 500;
const BATCH_BYTES = 256 * 1024;
/** The child has to wait beyond that. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024;

export interface EntryWriter {
  /** Resolves at once, unless too much waits. */
  add(kind: RunEntry["kind"], value: object): Promise<void>;
  /** Sends what waits. Rejects with LeaseLost, or when the store cannot be reached. */
  flush(): Promise<void>;
  /** What was not sent, for the write that ends the run. Nothing is sent after that. */
  rest(): readonly RunEntry[];
  /** The claim ends, but the child stays: what comes is kept until there is another claim. */
  pause(): void;
  /** False if the store has other entries than those that were sent. */
  resume(lease: RunLease, there: number): boolean;
  /** How many there are in the store or on their way. */
  readonly last: number;
}

export interface EntryWriterOptions {
  readonly store: WorkerStore;
  readonly lease: RunLease;
  /** How many the store has. */
  readonly there: number;
  redact(text: string): string;
}

export function entryWriter({ store, there, redact, ...options }: EntryWriterOptions): EntryWriter {
  let { lease } = options;
  let isPaused = false;
  let seq = there;
  let waiting: RunEntry[] = [];
  let bytes = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let sending: Promise<void> = Promise.resolve();
  let isClosed = false;

  const send = async () => {
    clearTimeout(timer);
    timer = undefined;
    while (waiting.length > 0 && !isClosed && !isPaused) {
      const batch = batchOf(waiting);
      lease.signal.throwIfAborted();
      lease.take(await store.append(lease.held, batch));
      if (isClosed) return;
      waiting = waiting.slice(batch.length);
      bytes -= batch.reduce((sum, { line }) => sum + line.length, 0);
    }
  };
  /** One after another. */
  const flush = () => (sending = sending.catch(() => undefined).then(send));
  const sendSoon = () => {
    if (isPaused) return;
    timer ??= setTimeout(() => {
      // If the store cannot be reached, the lease ends first, or a later batch brings it.
      flush().catch(() => {
        if (!lease.signal.aborted && !isClosed) {
          timer = undefined;
          sendSoon();
        }
      });
    }, SOON_MS);
  };

  return {
    async add(kind, value) {
      if (isClosed) return;
      const line = redact(JSON.stringify(value));
      waiting.push({ seq: ++seq, kind, line });
      bytes += line.length;
      if (bytes >= BATCH_BYTES) void flush().catch(() => sendSoon());
      else sendSoon();
      while (bytes > MOST_WAITING_BYTES && !isClosed && !isPaused && !lease.signal.aborted) {
        await flush().catch(() => Bun.sleep(SOON_MS));
      }
    },
    flush,
    rest() {
      isClosed = true;
      clearTimeout(timer);
      return waiting;
    },
    pause() {
      isPaused = true;
      clearTimeout(timer);
      timer = undefined;
    },
    resume(next, now) {
      if (now !== seq - waiting.length) return false;
      lease = next;
      isPaused = false;
      sendSoon();
      return true;
    },
    get last() {
      return seq;
    },
  };
}

function batchOf(waiting: readonly RunEntry[]): readonly RunEntry[] {
  let bytes = 0;
  const end = waiting.findIndex(
    ({ line }, at) => at === BATCH_ENTRIES || ((bytes += line.length) > BATCH_BYTES && at > 0),
  );
  // A copy: more is added while it is sent.
  return waiting.slice(0, end === -1 ? undefined : end);
}
