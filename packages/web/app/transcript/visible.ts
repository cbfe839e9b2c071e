// Text that someone decides about, with nothing in it unseen: what takes no room, turns the direction of text, or looks like a
// plain space is spelled out.

const UNSEEN =
  // oxlint-disable-next-line no-control-regex
  /[\u034f\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u00ad\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

export const showAll = (text: string) =>
  text
    .replaceAll("\r\n", "\n")
    .toWellFormed()
    .replace(UNSEEN, (character) => `<${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}>`);

/** Of several lines, one. */
export const showTitle = (text: string) => showAll(text.trim().replace(/\s+/g, " "));

export const showRow = (text: string) => showAll(text).replaceAll("\n", "⏎");
