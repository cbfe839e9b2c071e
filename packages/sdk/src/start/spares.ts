// Keeps spare processes ready, so every query after the first starts at once. A spare serves one query and is replaced.
// If none is ready, or the program does not support waiting, a query starts the normal way.

import type { SDKUserMessage } from "../messages/messages.ts";
import type { Options } from "../options/options.ts";
import { prewarm, type ClaimOptions, type SpareProcess } from "./prewarm.ts";
import { query } from "../query/query.ts";
import type { Query } from "../query/query-object.ts";

export interface Spares extends AsyncDisposable {
  /** Like `query()`, with a spare if one is ready. */
  query(params: { prompt: string | AsyncIterable<SDKUserMessage>; options?: ClaimOptions }): Query;
  /** Settles when enough spares are ready, or one could not be started. */
  readonly ready: Promise<void>;
  /** Ends the spares. Queries in progress continue. */
  close(): void;
}

/** How long a new spare waits before it starts: the query that took the last one needs the processor now. */
const PAUSE = 25;

/** After a failure, the next attempt waits for another query; after this many failures there are no more. */
const MOST_FAILURES = 3;

export function keepSpares({ options = {}, count = 1 }: { options?: Options; count?: number } = {}): Spares {
  const idle = new Set<SpareProcess>();
  let coming = 0;
  let failures = 0;
  let isClosed = false;
  let filled: Promise<void> = Promise.resolve();

  const refill = (pause = 0) => {
    const missing = isClosed || failures >= MOST_FAILURES ? 0 : Math.max(0, count - idle.size - coming);
    coming += missing;
    const added = Array.from({ length: missing }, () => add(pause));
    filled = Promise.all([filled, ...added]).then(() => undefined);
  };
  const add = async (pause: number) => {
    try {
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
      if (isClosed) return;
      const spare = await prewarm({ options });
      failures = 0;
      if (isClosed) return spare.close();
      idle.add(spare);
      void spare.exited.then(() => idle.delete(spare));
    } catch {
      // The query itself reports what is wrong with the program, if anything.
      failures++;
    } finally {
      coming--;
    }
  };
  refill();

  const close = () => {
    isClosed = true;
    for (const spare of idle) spare.close();
    idle.clear();
  };
  return {
    query({ prompt, options: more = {} }) {
      const [spare] = idle;
      if (spare !== undefined) idle.delete(spare);
      try {
        return spare === undefined
          ? query({ prompt, options: { ...options, ...more } })
          : spare.claim({ prompt, options: more });
      } finally {
        refill(PAUSE);
      }
    },
    get ready() {
      return filled;
    },
    close,
    async [Symbol.asyncDispose]() {
      close();
    },
  };
}
