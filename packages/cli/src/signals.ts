// What a signal does: the first asks the session to end, the second ends us.

import type { Session } from "@keelson/protocol";
import type { EndSignal, ProcessIO } from "./process-io.ts";

export interface Signals {
  /** From now on a signal closes this session first. */
  watchOver(session: Session): void;
  /** The exit code a signal asked for, if one came. */
  code(): number | undefined;
  stop(): void;
}

const CODES: Readonly<Record<EndSignal, number>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };
/** A session that has not ended by then is left behind; its children die with us. */
const PATIENCE_MS = 5_000;

/** `calm`: an interrupt during stream-json is an ordinary end (observed, 2.1.325). */
export function handleSignals(io: ProcessIO, options: { readonly calm: boolean }): Signals {
  const done = new AbortController();
  let session: Session | undefined;
  let code: number | undefined;

  const receive = (name: EndSignal) => () => {
    if (code !== undefined || session === undefined) return io.exit(CODES[name]);
    code = name === "SIGINT" && options.calm ? 0 : CODES[name];
    const reached = code;
    // Whoever watches the session sees a failure to close as well; here it only means that we are through.
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
