// What someone typed.

import type { PromptItem } from "@keelson/client";
import { clean } from "../screen/clean.ts";
import { width } from "../screen/rows.ts";

import { counted } from "./amounts.ts";
import { lineRows, moreRow } from "./fold.ts";
import { sign, speaker, type ItemLook } from "./look.ts";

/** A prompt that was pasted may be a whole file. */
const MOST_ROWS = 20;

export function promptRows({ text, as, images, from, typed }: PromptItem, look: ItemLook): string[] {
  // The transcript has it again; a screen reader says it once.
  if (typed && look.spoken && !look.whole) return [];
  const { theme, columns } = look;
  const style = as === "shell" ? "shell" : "user";
  const mark = as === "shell" ? "!" : sign("prompt", theme);
  const all = text === "" ? [] : lineRows(clean(text), Math.max(1, columns - 2));
  const hidden = look.whole || all.length <= MOST_ROWS + 1 ? 0 : all.length - MOST_ROWS;
  const said = hidden === 0 ? all : all.slice(0, MOST_ROWS);
  // With many colors, prompts have a background, up to the edge: so they are found when scrolling.
  if (style === "user" && theme.colors > 16 && !look.spoken && said.length > 0) {
    const painted = said.map((row, index) => {
      const full = `${index === 0 ? mark : " "} ${row}`;
      return theme.paint(style, full + " ".repeat(Math.max(0, columns - width(full))));
    });
    return [...painted, ...belowRows(hidden, images, from, look).map((row) => `  ${row}`)];
  }
  const rows = said.map((row) => theme.paint(style, row));
  rows.push(...belowRows(hidden, images, from, look));
  const first = speaker(as === "shell" ? "shell" : "user", theme.paint(style, mark), look);
  return rows.map((row, index) => (index === 0 ? `${first} ${row}` : `  ${row}`));
}

function belowRows(hidden: number, images: number, from: string | undefined, look: ItemLook): string[] {
  const { theme, columns } = look;
  const rows: string[] = [];
  if (hidden > 0) rows.push(moreRow(hidden, columns - 2, look, "row"));
  if (images > 0) rows.push(theme.paint("dim", `[${counted(images, "image")}]`));
  if (from !== undefined) rows.push(theme.paint("dim", `sent by a schedule: ${clean(from)}`));
  return rows;
}
