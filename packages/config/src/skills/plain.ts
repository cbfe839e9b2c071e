// Text of a skill file that is safe to list: one line, without characters that control a terminal, change the direction
// of text or hide in it.

const HIDDEN =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]/u;
const ALL_HIDDEN = new RegExp(HIDDEN, "gu");

/** Most texts are plain already. */
// oxlint-disable-next-line no-control-regex
const PLAIN = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;

export function listable(text: string, most: number): string {
  if (text.length <= most && PLAIN.test(text)) return text;
  // Cut first, so that a very long text costs little.
  const flat = text
    .slice(0, most * 2)
    .toWellFormed()
    .replaceAll(/\s+/g, " ")
    .replaceAll(ALL_HIDDEN, "")
    .trim();
  return flat.length <= most
    ? flat
    : `${flat
        .slice(0, most - 1)
        .toWellFormed()
        .replace(/\ufffd$/, "")}…`;
}

/** Whether a name can be listed as it is. */
export const isListable = (name: string) => PLAIN.test(name) || (!HIDDEN.test(name) && name.trim() !== "");

/** Whether people can type the `name` field, so that it is another name of the skill. */
export const isTypable = (named: string) => /^[\w.-]{1,100}$/.test(named);

/** Files with a few stray zero characters are text. In UTF-16, every second one is. */
export const looksLikeText = (source: string) =>
  !source.includes("\0") || source.split("\0").length - 1 < source.length / 20;
