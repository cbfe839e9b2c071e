// Classifies what a handler printed: nothing, plain text, one JSON object, an announced background run, or broken JSON.

import { isObject, tryParse } from "@keelson/protocol";

export type Stdout =
  | { readonly kind: "nothing" }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "json"; readonly json: Readonly<Record<string, unknown>> }
  /** The first object announced a background run; `rest` is what came after it. */
  | { readonly kind: "async"; readonly announced: { readonly timeoutMs?: number }; readonly rest: string }
  | { readonly kind: "broken" };

const LONGEST_TIMER = 2 ** 31 - 1;

/** Text that starts with `{` is read as JSON. */
export function readStdout(stdout: string): Stdout {
  const text = stdout.trim();
  if (text === "") return { kind: "nothing" };
  if (!text.startsWith("{")) return { kind: "text", text };
  const whole = tryParse(text);
  if (isObject(whole)) return whole["async"] === true ? announced(whole, "") : { kind: "json", json: whole };
  const end = text.indexOf("\n");
  const line = end < 0 ? undefined : tryParse(text.slice(0, end));
  return isObject(line) && line["async"] === true ? announced(line, text.slice(end + 1)) : { kind: "broken" };
}

function announced(json: Record<string, unknown>, rest: string): Stdout {
  const given = json["asyncTimeout"];
  const timed = typeof given === "number" && given > 0;
  return { kind: "async", announced: timed ? { timeoutMs: Math.min(given, LONGEST_TIMER) } : {}, rest };
}
