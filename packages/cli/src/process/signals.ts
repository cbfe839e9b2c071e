// Signal handling: the first signal closes the session, the second exits at once.

import type { Session } from "@keelson/protocol";
import type { EndSignal, ProcessIO } from "./process-io.ts";

export interface Signals {
  /** From now on, the first signal closes this session. */
  watchOver(session: Pick<Session, "close">): void;
  /** The exit code for the signal received, if any. */
  code(): number | undefined;
  stop(): void;
}

const CODES: Readonly<Record<EndSignal, number>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };
/** How long a session may take to close before the process exits anyway. */
const PATIENCE_MS = 5_000;

/** `calm`: SIGINT exits with 0, as the reference does during stream-json (test/sessions/run/signals.test.ts). */
export function handleSignals(io: ProcessIO, options: { readonly calm: boolean }): Signals {
  const done = new AbortController();
  let session: Pick<Session, "close"> | undefined;
  let code: number | undefined;

  const receive = (name: EndSignal) => () => {
    if (code !== undefined || session === undefined) return io.exit(CODES[name]);
    code = name === "SIGINT" && options.calm ? 0 : CODES[name];
    const reached = code;
    // A failure to close also reaches the front end, which reports it.
    session.close(name === "SIGINT" ? "interrupt" : "terminate").catch(() => undefined);
    void io.wait(PATIENCE_MS, done.signal).then(() => {
      if (!done.signal.aborted) io.exit(reached);
    });
  };
  const stops = (Object.keys(CODES) as EndSignal[]).map((name) => io.onSignal(name, receive(name)));

  return {
    watchOver: (opened) => void (session = opened),
    code: () => code,
    stop() {
      done.abort();
      for (const stop of stops) stop();
    },
  };
}
