// Makes text from a server safe to show: no control characters, no characters that change the direction of text or hide
// in it, no tags of reminders, and a limited length.

import { printableLine, withoutHidden, withoutReminderTags } from "@keelson/protocol";

/** Keeps line breaks and tabs. */
export function plainText(value: string, maxLength: number): string {
  // Cut first, so that a very long text costs nothing.
  return withoutReminderTags(withoutHidden(value.slice(0, maxLength).toWellFormed()));
}

/** Plain text that says so if its end is missing, for the model. */
export function cutPlainText(value: string, maxLength: number): string {
  const shown = plainText(value, maxLength);
  return value.length <= maxLength ? shown : `${shown}… [truncated]`;
}

/** Plain text in one line. */
export function plainLine(value: string, maxLength: number): string {
  return plainText(value, maxLength).replace(/\s+/g, " ").trim();
}

export const hasHidden = (value: string): boolean => printableLine(value) !== value;
