// Lines of a text for a panel, broken at words. A line with a name and a value continues below the value.

import { width, wrap } from "../screen/rows.ts";
import { linesOfText } from "../viewer/section.ts";

/** With less room than this, a value begins in a row of its own. */
const LEAST_VALUE = 20;

/** The text of a panel. The lines are the same ones until the width changes. */
export function wrappedLines(text: string): (columns: number) => readonly string[] {
  const lines = linesOfText(text);
  let made: { readonly columns: number; readonly lines: readonly string[] } | undefined;
  return (columns) => {
    if (made?.columns !== columns) made = { columns, lines: lines.flatMap((line) => wrapLine(line, columns)) };
    return made.lines;
  };
}

function wrapLine(line: string, columns: number): readonly string[] {
  const [, name, value] = /^(\S.*?\s{2,})(\S.*)$/.exec(line) ?? [];
  if (width(line) <= columns) return [line];
  if (name === undefined || value === undefined) return wrap(line, columns).map((row) => row.trimEnd());
  const isBeside = columns - width(name) >= LEAST_VALUE;
  const indent = isBeside ? width(name) : 2;
  const rows = wrap(value, Math.max(1, columns - indent)).map((row) => `${" ".repeat(indent)}${row.trimEnd()}`);
  return isBeside ? [name + rows[0]!.trimStart(), ...rows.slice(1)] : [name.trimEnd(), ...rows];
}
