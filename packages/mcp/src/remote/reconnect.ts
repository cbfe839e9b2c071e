// When to reopen an event stream that ended. The server may name a delay, so the delay is limited: a server that ends
// every stream at once must not keep us busy, and one that names a year must not overflow the timer.

const MIN_MS = 100;
const MAX_MS = 60_000;
const MAX_FAILURES = 3;

export interface Reconnection {
  /** The scheduler for the SDK's transport: returns what cancels it. */
  schedule(reconnect: () => void, delayMs: number, failures: number): () => void;
  /** A message arrived, so the connection works. */
  succeeded(): void;
  stop(): void;
}

/** `onLost` is called when reopening failed too often. */
export function createReconnection(onLost: () => void): Reconnection {
  const timers = new Set<ReturnType<typeof setTimeout>>();
  let sinceMessage = 0;
  return {
    schedule(reconnect, delayMs, failures) {
      if (failures >= MAX_FAILURES) {
        onLost();
        return () => undefined;
      }
      const least = Math.min(MIN_MS * 2 ** sinceMessage++, MAX_MS);
      const timer = setTimeout(
        () => {
          timers.delete(timer);
          reconnect();
        },
        Math.min(Math.max(delayMs, least), MAX_MS),
      );
      timers.add(timer);
      return () => clearTimeout(timer);
    },
    succeeded: () => void (sinceMessage = 0),
    stop() {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}
