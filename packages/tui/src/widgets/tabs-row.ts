// A row of tabs. If they do not all fit, those around the current one are shown.

import { fit, width } from "../screen/rows.ts";
import type { Theme } from "../theme/theme.ts";

export interface Tab {
  readonly label: string;
  /** A question that has an answer. */
  readonly done?: boolean;
}

export function tabsRow(tabs: readonly Tab[], current: number, columns: number, theme: Theme): string {
  const [ticked, open] = theme.ascii ? ["x", "."] : ["✔", "□"];
  const names = tabs.map(({ label, done }) => (done === undefined ? label : `${done ? ticked : open} ${label}`));
  const widths = names.map((name) => width(name) + 2);
  let [first, end] = [current, current + 1];
  let used = (widths[current] ?? 0) + 4;
  for (let grown = true; grown;) {
    grown = false;
    if (end < names.length && used + widths[end]! + 1 <= columns) {
      used += widths[end++]! + 1;
      grown = true;
    }
    if (first > 0 && used + widths[first - 1]! + 1 <= columns) {
      used += widths[--first]! + 1;
      grown = true;
    }
  }
  const shown = names.slice(first, end).map((name, at) => {
    const isCurrent = first + at === current;
    const text = fit(name, columns - 6);
    return isCurrent ? theme.paint("accent", theme.paint("bold", `[${text}]`)) : theme.paint("dim", ` ${text} `);
  });
  const [left, right] = theme.ascii ? ["<", ">"] : ["←", "→"];
  const before = first > 0 ? theme.paint("dim", `${left} `) : "";
  const after = end < names.length ? theme.paint("dim", ` ${right}`) : "";
  return `${before}${shown.join(" ")}${after}`;
}
