// Reminders: what Keelson itself tells the model, beside what the user typed. Models know these tags. This is the one
// maker of such blocks, and the one way to keep other text from opening or closing one.

export function asReminder(text: string): string {
  return `<system-reminder>\n${withoutReminderTags(text)}\n</system-reminder>`;
}

/** What a reminder says, without its tags. */
export function reminderText(reminder: string): string {
  return reminder.trim().replace(/^<system-reminder>\n?|\n?<\/system-reminder>$/g, "");
}

/** What a reader may overlook or take for the hyphen: marks, signs, punctuation, and letters that are not shown. */
const GAP = String.raw`[\s\p{C}\p{M}\p{P}\p{Z}\p{Sc}\p{Sk}\p{So}\u2212+=|~\u115f\u1160\u3164\uffa0]*`;
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  s: "ѕꜱ",
  y: "уү",
  t: "тτ",
  e: "еҽ",
  m: "мṃ",
  r: "гᴦ",
  i: "іıӏl1",
  n: "ոпń",
  d: "ԁժ",
};
/** Also as wide letters, and those of mathematics: bold, script, double-struck … */
function letter(each: string): string {
  const at = each.codePointAt(0)!;
  const mathematical = Array.from({ length: 13 }, (_, alphabet) =>
    [0x1d400, 0x1d41a].map((first) => first + 52 * alphabet + at - 97),
  );
  return `[${each}${LOOK_ALIKES[each] ?? ""}${String.fromCodePoint(at + 0xfee0, ...mathematical.flat())}]`;
}
/** Made when it is needed, in a millisecond: few texts have anything that might be a tag. */
const tag = () => `[<\ufe64\uff1c](?=${GAP}${[..."systemreminder"].map(letter).join(GAP)})`;

const MAYBE = /[<\ufe64\uff1c](?!\/?[a-rt-zA-RT-Z0-9])/;

/** The text stays readable, and none of it can pass for a tag of a reminder. Other text is not changed. */
export function withoutReminderTags(text: string): string {
  return MAYBE.test(text) ? text.replace(new RegExp(tag(), "giu"), "&lt;") : text;
}
