// Sends values at most once per interval and key. The latest value is never lost: it is sent when the interval is over.

/** Calls back after some time. Returns a function that calls it off. */
export type Later = (ms: number, then: () => void) => () => void;

export interface Spaced<T> {
  send(key: string, value: T): void;
  /** Sends what still waits, and forgets the key. */
  flush(key: string): void;
}

export function spaced<T>(everyMs: number, emit: (value: T) => void, later: Later = onTimer): Spaced<T> {
  const open = new Map<string, { waiting?: { readonly value: T }; cancel: () => void }>();

  const begin = (key: string) => {
    const cancel = later(everyMs, () => {
      const waiting = open.get(key)?.waiting;
      open.delete(key);
      if (!waiting) return;
      emit(waiting.value);
      begin(key);
    });
    open.set(key, { cancel });
  };

  return {
    send(key, value) {
      const interval = open.get(key);
      if (interval) return void (interval.waiting = { value });
      emit(value);
      begin(key);
    },
    flush(key) {
      const interval = open.get(key);
      open.delete(key);
      interval?.cancel();
      if (interval?.waiting) emit(interval.waiting.value);
    },
  };
}

/** Does not keep the program running. */
export function onTimer(ms: number, then: () => void): () => void {
  const timer = setTimeout(then, ms);
  timer.unref();
  return () => clearTimeout(timer);
}
