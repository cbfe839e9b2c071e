// A few rows of what a session looks like, to choose a theme by.

import { fit } from "../../screen/rows.ts";
import type { StyleName, Theme } from "../../theme/theme.ts";

export function sampleRows(theme: Theme, columns: number): readonly string[] {
  const paint = (style: StyleName, text: string) => theme.paint(style, text);
  const rows = [
    `${paint("user", theme.ascii ? ">" : "❯")} Say hello to ${paint("accent", "@greet.ts")}`,
    `${paint("success", theme.ascii ? "*" : "●")} ${paint("bold", "Edit")}(greet.ts)`,
    `  1 ${paint("keyword", "function")} ${paint("name", "greet")}() {`,
    paint("removed", `  2 -  say(${paint("removedWord", '"Hi"')});`),
    paint("added", `  2 +  say(${paint("addedWord", '"Hello"')});`),
    `  3 } ${paint("comment", "// done")}`,
    `${paint("warning", "1 warning")} ${paint("dim", "in")} ${paint("link", "greet.ts")}`,
  ];
  return rows.map((row) => fit(row, columns));
}
