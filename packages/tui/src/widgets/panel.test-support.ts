// For tests of panels: keys by name, a theme without escape sequences, and frames of the sizes people use.

import type { InputEvent, Key } from "../input/event.ts";
import { width } from "../screen/rows.ts";
import type { Done, Frame, Panel, View } from "../screen/view.ts";
import { plainTheme } from "../theme/theme.test-support.ts";

export { plainTheme };

export const SIZES = [
  [120, 40],
  [80, 24],
  [40, 15],
] as const;

export function frameOf(columns = 80, rows = 24): Frame {
  return { columns, rows, theme: plainTheme, now: 0 };
}

/** "ctrl+e", "down", "a", "shift+tab". */
export function key(chord: string): Key {
  const parts = chord === "+" ? ["+"] : chord.split("+");
  const name = parts.at(-1)!;
  const has = (modifier: string) => parts.slice(0, -1).includes(modifier);
  const [ctrl, alt, shift] = [has("ctrl"), has("alt"), has("shift")];
  const text = name === "space" ? " " : [...name].length === 1 ? name : undefined;
  const types = text !== undefined && !ctrl && !alt;
  return { kind: "key", name: name.toLowerCase(), ctrl, alt, shift, ...(types ? { text } : {}) };
}

/** Keys by name; a text in quotes is typed, one in angle brackets pasted. */
export function events(script: string): InputEvent[] {
  const words = script.match(/'[^']*'|<[^>]*>|\S+/g) ?? [];
  return words.flatMap((word): InputEvent[] => {
    if (word.length > 1 && word.startsWith("'"))
      return [...word.slice(1, -1)].map((each) => key(each === " " ? "space" : each));
    if (word.length > 1 && word.startsWith("<")) return [{ kind: "paste", text: word.slice(1, -1) }];
    return [key(word)];
  });
}

/** The answer after these keys; undefined if the panel is still open. Keys behind the answer are an error. */
export function press<T>(panel: Panel<T>, script: string, now = 10_000): T | undefined {
  let done: Done<T> | undefined;
  fits(panel); // what was not drawn takes no keys
  for (const event of events(script)) {
    if (done) throw new Error(`The panel was closed before the end of "${script}"`);
    done = panel.take(event, now);
    fits(panel);
  }
  return done?.value;
}

/** The rows as text. Throws if they are more or wider than the frame, or the cursor is outside. */
export function screenOf(view: View, columns = 80, rows = 24): string {
  const rendered = view.render(frameOf(columns, rows));
  if (rendered.rows.length > rows) throw new Error(`${rendered.rows.length} rows in a frame of ${rows}`);
  const wide = rendered.rows.find((row) => width(row) > columns);
  if (wide !== undefined) throw new Error(`${width(wide)} columns in a frame of ${columns}: ${wide}`);
  const bad = rendered.rows.find((row) => /[\u0000-\u001f\u007f-\u009f]/.test(row));
  if (bad !== undefined) throw new Error(`A control character on the screen: ${JSON.stringify(bad)}`);
  const { cursor } = rendered;
  if (cursor && (cursor.row >= rendered.rows.length || cursor.column >= columns))
    throw new Error(`The cursor is outside: ${JSON.stringify(cursor)}`);
  return rendered.rows.map((row) => row.trimEnd()).join("\n");
}

export function fits(view: View): void {
  for (const [columns, rows] of SIZES) screenOf(view, columns, rows);
}
