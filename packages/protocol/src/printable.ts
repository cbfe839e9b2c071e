// Text from outside, made safe to show: nothing that a terminal acts on, that begins a new line, that reverses the order
// of text, or that cannot be seen. Pure.

/** Control characters but line feeds and tabs, separators of lines, marks of direction, fillers, and what has no width. */
const HIDDEN =
  "\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u115f\\u1160\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e" +
  "\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb\\u{e0000}-\\u{e0fff}";
const EACH = new RegExp(`[${HIDDEN}\\n\\t]`, "gu");
const EACH_BUT_LAYOUT = new RegExp(`[${HIDDEN}]`, "gu");
/** Also what joins letters and emoji: in names it matters, in descriptions it could carry hidden text. */
const RUNS = new RegExp(`[${HIDDEN}\\n\\t\\u200c\\u200d]+`, "gu");

/** One line, with `?` for each hidden character: for names and paths. */
export const printableLine = (text: string): string => text.replace(EACH, "?");

/** The same, but line breaks and tabs stay. */
export const printableLines = (text: string): string => text.replace(EACH_BUT_LAYOUT, "?");

/** One line, with a space for hidden characters: for sentences. */
export const printableSentence = (text: string): string => text.replace(RUNS, " ").trim();

/** Hidden characters are left out; line breaks and tabs stay. */
export const withoutHidden = (text: string): string => text.replace(EACH_BUT_LAYOUT, "");
