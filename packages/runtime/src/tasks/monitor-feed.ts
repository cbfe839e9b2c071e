// Turns the lines of a monitor into notices: lines that come close together share one, notices keep a distance, and at
// most one waits for the model. What does not fit is counted, not kept. A source that floods is ended.

import type { LineSink } from "@keelson/engine";

export interface Events {
  readonly lines: readonly string[];
  /** How many more there were. */
  readonly left: number;
}

export interface FeedOptions {
  readonly timeoutMs: number;
  /** `taken` is called when the model reads it. */
  send(events: Events, taken: () => void): void;
  readonly later?: Later;
  readonly now?: () => number;
}

/** Lines within this time go together. */
const GATHER_MS = 200;
/** For one notice. */
const MAX_LINES = 50;
const MAX_CHARS = 8_000;
/** A few notices may come at once, then one in this time. */
const BURST = 5;
const EVERY_MS = 3_000;
/** A source that prints more in a minute is stopped. */
const MINUTE_MS = 60_000;
const MAX_LINES_PER_MINUTE = 5_000;
const MAX_CHARS_PER_MINUTE = 500_000;

export function monitorFeed({ timeoutMs, send, later = onTimer, now = Date.now }: FeedOptions): LineSink {
  let pending: string[] = [];
  let chars = 0;
  let left = 0;
  let cancel: (() => void) | undefined;
  let isUnread = false;
  let allowance = { count: BURST, since: now() };
  let minute = { start: now(), lines: 0, chars: 0 };

  const refill = () => {
    const earned = Math.floor((now() - allowance.since) / EVERY_MS);
    if (earned === 0) return;
    const count = Math.min(BURST, allowance.count + earned);
    allowance = { count, since: count === BURST ? now() : allowance.since + earned * EVERY_MS };
  };
  const schedule = () => {
    if (cancel || isUnread || pending.length + left === 0) return;
    refill();
    const wait = allowance.count > 0 ? 0 : allowance.since + EVERY_MS - now();
    cancel = later(Math.max(GATHER_MS, wait), () => {
      cancel = undefined;
      refill();
      deliver();
    });
  };
  const deliver = () => {
    const events = { lines: pending, left };
    pending = [];
    chars = left = 0;
    allowance = { ...allowance, count: Math.max(0, allowance.count - 1) };
    isUnread = true;
    send(events, () => {
      isUnread = false;
      schedule();
    });
  };
  const floods = (text: string) => {
    if (now() - minute.start >= MINUTE_MS) minute = { start: now(), lines: 0, chars: 0 };
    minute.lines++;
    minute.chars += text.length;
    return minute.lines > MAX_LINES_PER_MINUTE || minute.chars > MAX_CHARS_PER_MINUTE;
  };

  return {
    timeoutMs,
    line(text) {
      if (floods(text)) return false;
      if (pending.length < MAX_LINES && chars + text.length <= MAX_CHARS) {
        pending.push(text);
        chars += text.length + 1;
      } else left++;
      schedule();
      return true;
    },
    flush() {
      cancel?.();
      cancel = undefined;
      if (pending.length + left > 0) deliver();
    },
  };
}

/** Calls back after some time. Returns a function that calls it off. */
type Later = (ms: number, then: () => void) => () => void;

/** Does not keep the program running. */
function onTimer(ms: number, then: () => void): () => void {
  const timer = setTimeout(then, ms);
  timer.unref();
  return () => clearTimeout(timer);
}
