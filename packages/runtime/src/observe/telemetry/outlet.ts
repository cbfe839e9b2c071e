// Where records of one signal wait until they are sent, a bounded number of them. One request at a time; a failure is
// reported and never reaches the session.

import type { OtlpRecord } from "./otlp.ts";
import { SendError, type Send } from "./send.ts";

const MOST_WAITING = 2_048;
const MOST_AT_ONCE = 512;

export interface Outlet {
  add(record: OtlpRecord): void;
  /** Sends what waits. Never rejects; stops at the first failure. */
  flush(signal: AbortSignal): Promise<void>;
}

export function openOutlet(send: Send, report: (problem: string) => void): Outlet {
  let waiting: OtlpRecord[] = [];
  let dropped = 0;
  let underWay: Promise<void> | undefined;
  const sendAll = async (signal: AbortSignal) => {
    while (waiting.length > 0 && !signal.aborted) {
      const batch = waiting.slice(0, MOST_AT_ONCE);
      try {
        await send(batch, signal);
        waiting = waiting.slice(batch.length);
      } catch (error) {
        if (!(error instanceof SendError)) throw error;
        if (error.isFinal) waiting = waiting.slice(batch.length);
        return report(`${error.message}; ${error.isFinal ? "dropped" : "kept"} ${batch.length} records`);
      }
    }
  };
  return {
    add(record) {
      if (waiting.length < MOST_WAITING) waiting.push(record);
      else if (dropped++ === 0) report(`more than ${MOST_WAITING} records are waiting; newer ones are dropped`);
    },
    async flush(signal) {
      // What was added meanwhile goes with the next request.
      await underWay;
      underWay = sendAll(signal);
      await underWay;
      underWay = undefined;
    },
  };
}
