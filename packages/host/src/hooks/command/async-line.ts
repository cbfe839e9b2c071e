// Detects the first line with which a hook says it will run in the background: `{"async":true,"asyncTimeout":15000}`.
// Pure.

import type { OutputHead } from "./head.ts";

export interface AsyncLine {
  readonly timeoutMs?: number;
  /** Its length in characters of stdout. */
  readonly length: number;
}

/** A longer first line is ordinary output. */
const MAX_BYTES = 4_096;

/** Recognizes the line even before its newline, which the hook may print only at its end. */
export function readAsyncLine(stdout: Pick<OutputHead, "text" | "size">): AsyncLine | "not yet" | "none" {
  const text = stdout.text(MAX_BYTES);
  if (text === "") return "not yet";
  if (!text.startsWith("{")) return "none";
  const newline = text.indexOf("\n");
  const line = newline < 0 ? text : text.slice(0, newline);
  const parsed = line.trimEnd().endsWith("}") ? objectOf(line) : undefined;
  if (parsed?.["async"] === true) {
    const { asyncTimeout } = parsed;
    const isTime = typeof asyncTimeout === "number" && asyncTimeout > 0;
    return { ...(isTime ? { timeoutMs: asyncTimeout } : {}), length: newline < 0 ? line.length : newline + 1 };
  }
  return parsed || newline >= 0 || stdout.size() >= MAX_BYTES ? "none" : "not yet";
}

function objectOf(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
