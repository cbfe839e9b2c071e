// How settings and their places are shown.

import { printableLine } from "@keelson/protocol";
import type { EffectiveValue } from "@keelson/config";
import type { Shorten } from "../permissions/words.ts";

export const hidden = "(hidden)";

export { isSecret } from "@keelson/config";

export function placeText({ source, file, line }: EffectiveValue["from"][number], short: Shorten): string {
  if (file === undefined) return source === "policySettings" ? "--managed-settings" : "--settings";
  return line === undefined ? short(file) : `${short(file)}:${line}`;
}

/** One line of JSON, cut to a width, without control characters. */
export function shownValue(value: unknown, most: number): string {
  const text = printableLine(JSON.stringify(value));
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
