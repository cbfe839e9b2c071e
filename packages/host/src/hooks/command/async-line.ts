// Whether the first line a hook prints says that it goes on by itself: `{"async":true,"asyncTimeout":15000}`. Pure.

import type { OutputHead } from "./head.ts";

export interface AsyncLine {
  /** From `asyncTimeout`. */
  readonly timeoutMs?: number;
  /** Characters of stdout it took. */
  readonly length: number;
}

/** Bytes. No announcement is longer; a first line that is has something else to say. */
const MAX_BYTES = 4_096;

/** Reads it as soon as it is whole, also before its newline: the hook may print that when it is done. */
export function readAsyncLine(stdout: Pick<OutputHead, "text" | "size">): AsyncLine | "not yet" | "none" {
  const text = stdout.text(MAX_BYTES);
  if (text === "") return "not yet";
  if (!text.startsWith("{")) return "none";
  const newline = text.indexOf("\n");
  const line = newline < 0 ? text : text.slice(0, newline);
  const said = line.trimEnd().endsWith("}") ? objectOf(line) : undefined;
  if (said?.["async"] === true) {
    const { asyncTimeout } = said;
    const isTime = typeof asyncTimeout === "number" && asyncTimeout > 0;
    return { ...(isTime ? { timeoutMs: asyncTimeout } : {}), length: newline < 0 ? line.length : newline + 1 };
  }
  return said || newline >= 0 || stdout.size() >= MAX_BYTES ? "none" : "not yet";
}

function objectOf(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
