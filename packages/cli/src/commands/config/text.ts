// How settings and their places are shown.

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
  const text = escapeControls(JSON.stringify(value));
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** Text from a file, without anything a terminal would act on. */
export function escapeControls(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, "?");
}
