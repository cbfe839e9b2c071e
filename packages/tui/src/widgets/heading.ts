// How every dialog looks: a colored rule with the title above it, a bar before text that is not ours, and a row of keys
// below.

import { cleanRow } from "../screen/clean.ts";
import { fit, width, wrap } from "../screen/rows.ts";
import type { StyleName, Theme } from "../theme/theme.ts";
import type { KeyLookup } from "./key-lookup.ts";

export interface HeadingOptions {
  readonly title: string;
  /** At the right end: who asks. */
  readonly aside?: string;
  readonly style?: StyleName;
  /** For screen readers: words only. */
  readonly plain?: boolean;
}

const LEAST_ASIDE = 8;

export function headingRow(columns: number, theme: Theme, options: HeadingOptions): string {
  const { style = "accent", plain = theme.spoken === true } = options;
  // Names of servers, tools and tasks are in titles, too.
  const [title, aside] = [cleanRow(options.title), cleanRow(options.aside ?? "")];
  if (plain) return theme.paint("bold", fit(aside === "" ? title : `${title} (${aside})`, columns));
  const line = theme.ascii ? "-" : "─";
  // Half a word says nothing: if both do not fit, the title has the row.
  const room = Math.max(Math.floor(columns / 2) - 5, columns - width(title) - 8);
  const right = aside === "" || room < Math.min(width(aside), LEAST_ASIDE) ? "" : ` ${fit(aside, room)} `;
  const named = fit(title, columns - width(right) - 6);
  const rest = columns - width(named) - width(right) - 4;
  if (rest < 2) return theme.paint("bold", fit(title, columns));
  const start = theme.paint(style, line.repeat(2));
  const gap = theme.paint(style, line.repeat(right === "" ? rest : rest - 2));
  const end = right === "" ? "" : `${theme.paint("dim", right)}${theme.paint(style, line.repeat(2))}`;
  return `${start} ${theme.paint("bold", named)} ${gap}${end}`;
}

/** Rows of clean text behind a bar, so that no text can pass for a part of the dialog. */
export function quoted(text: string, columns: number, theme: Theme, style: StyleName = "text"): string[] {
  return barred(wrap(theme.paint(style, text), columns - 2), theme);
}

/** Painted rows behind a bar. */
export function barred(rows: readonly string[], theme: Theme): string[] {
  const bar = theme.paint("border", theme.ascii ? "|" : "│");
  return rows.map((row) => `${bar} ${row}`);
}

export interface Hint {
  /** The key is looked up; an action without one is left out. */
  readonly action?: string;
  /** A key that cannot be rebound, like a digit. */
  readonly key?: string;
  readonly does: string;
}

/** What the keys do, in as few rows as the width allows. */
export function hintRows(hints: readonly Hint[], columns: number, theme: Theme, keys?: KeyLookup): string[] {
  const separator = theme.ascii ? " - " : " · ";
  const rows: string[] = [];
  for (const { action, key, does } of hints) {
    const name = key ?? keys?.keyFor(action ?? "");
    if (name === undefined || name === "") continue;
    const words = `${name} ${does}`;
    const last = rows.at(-1);
    if (last !== undefined && width(last) + width(separator) + width(words) <= columns)
      rows[rows.length - 1] = `${last}${separator}${words}`;
    else rows.push(fit(words, columns));
  }
  return rows.map((row) => theme.paint("dim", row));
}
