// Makes text from a server safe to show: no control characters, no characters that change the direction of text or hide
// in it, and a limited length.

const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

/** Keeps line breaks and tabs. */
export function plainText(value: string, maxLength: number): string {
  // Cut first, so that a very long text costs nothing.
  return value.slice(0, maxLength).toWellFormed().replace(HIDDEN, "");
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

export function hasHidden(value: string): boolean {
  return value.search(HIDDEN) !== -1 || /[\n\t]/.test(value);
}
