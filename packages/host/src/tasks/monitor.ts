// What all monitors share: they end with their source, with their time, or when they print too much, and say which.

import type { LineSink } from "@keelson/engine";
import { cutLines } from "./cut-lines.ts";
import type { TaskEnd } from "./task.ts";

export interface Monitor {
  push(chunk: Uint8Array): void;
  stop(): Promise<void>;
  /** The source is over. Gives the last lines; returns how the task ended. */
  ended(source: { readonly code?: number | null; readonly error?: string }): TaskEnd;
}

/** `endSource` is called if the monitor ends before its source. */
export function followSource(description: string, sink: LineSink, endSource: () => void | Promise<void>): Monitor {
  let cause: "source" | "time" | "flood" | "stop" = "source";
  const because = (why: typeof cause) => {
    if (cause === "source") cause = why;
    return endSource();
  };
  const timer = setTimeout(() => void because("time"), sink.timeoutMs);
  timer.unref();
  const lines = cutLines((text) => {
    if (cause === "source" && !sink.line(text)) void because("flood");
  });
  const name = `Monitor "${description}"`;

  return {
    push: (chunk) => lines.push(chunk),
    stop: async () => because("stop"),
    ended({ code = null, error }) {
      clearTimeout(timer);
      lines.end();
      sink.flush();
      switch (cause) {
        case "stop":
          return { status: "killed", exitCode: code, summary: `${name} was stopped` };
        case "time":
          return { status: "completed", summary: `${name} expired after ${duration(sink.timeoutMs)}` };
        case "flood":
          return { status: "failed", summary: `${name} was stopped because it printed too much`, note: USE_A_FILTER };
        case "source":
          return sourceEnd(name, code, error);
      }
    },
  };
}

const USE_A_FILTER = "Start it again with a filter that passes only the lines that matter.";

function sourceEnd(name: string, code: number | null, error: string | undefined): TaskEnd {
  const why = error ?? (code === null || code === 0 ? undefined : `exit code ${code}`);
  const summary = `${name} stream ended${why === undefined ? "" : ` (${why})`}`;
  return { status: why === undefined ? "completed" : "failed", exitCode: code, summary };
}

function duration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  return seconds < 60 || seconds % 60 !== 0 ? `${seconds}s` : `${seconds / 60}m`;
}
