// The ways a session at a terminal ends without the user leaving it: signals, a closed window, a failure no one caught.
// Whatever happens, the terminal is usable afterwards.

import { RESET_ALL } from "@keelson/tui/reset";
import type { EndSignal, ProcessIO } from "../process/process-io.ts";
import type { TerminalPort } from "./terminal/port.ts";

export interface Endings {
  /** Aborts when the program has to end. */
  readonly signal: AbortSignal;
  /** The exit code of what happened, if something did. */
  code(): number | undefined;
  /** What no one caught, if that was it. */
  failure(): unknown;
  /** The same as a signal, for what the program finds out itself. */
  fail(error: unknown): void;
  stop(): void;
}

const CODES: Readonly<Record<EndSignal, number>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };
/** How long everything may take before the process ends anyway. */
const PATIENCE_MS = 5_000;

export function watchEndings(
  io: Pick<ProcessIO, "onSignal" | "wait" | "error" | "exit">,
  port: Pick<TerminalPort, "onGone" | "write" | "restore">,
  lastWords: (error: unknown) => string,
): Endings {
  const ending = new AbortController();
  const done = new AbortController();
  let code: number | undefined;
  let failure: unknown;

  const leave = (exitCode: number, error?: unknown) => {
    port.write(RESET_ALL);
    port.restore();
    if (error !== undefined) io.error(lastWords(error));
    io.exit(exitCode);
  };
  const end = (exitCode: number, error?: unknown) => {
    // The second time, no one wants to wait.
    if (code !== undefined) return leave(code, failure);
    code = exitCode;
    failure = error;
    ending.abort();
    void io.wait(PATIENCE_MS, done.signal).then(() => {
      if (!done.signal.aborted) leave(exitCode, error);
    });
  };
  // One failure often leads to the next, and the session is still being saved.
  const crash = (error: unknown) => {
    if (code === undefined) end(1, error ?? new Error("Unknown error"));
  };
  const stops = [
    ...(Object.keys(CODES) as EndSignal[]).map((name) => io.onSignal(name, () => end(CODES[name]))),
    port.onGone(() => {
      if (code === undefined) end(CODES.SIGHUP);
    }),
    onProcess("uncaughtException", crash),
    onProcess("unhandledRejection", crash),
  ];
  return {
    signal: ending.signal,
    code: () => code,
    failure: () => failure,
    fail: crash,
    stop() {
      done.abort();
      for (const stop of stops) stop();
    },
  };
}

function onProcess(event: "uncaughtException" | "unhandledRejection", listener: (error: unknown) => void): () => void {
  process.on(event, listener);
  return () => void process.off(event, listener);
}
