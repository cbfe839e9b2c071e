// The last row: the mode on the left, and on the right which model answers, what the session cost and how full the context
// is.

import type { PermissionMode } from "@keelson/protocol";
import { dollars } from "../blocks/amounts.ts";
import { cleanRow } from "../screen/clean.ts";
import { fit, width } from "../screen/rows.ts";
import type { Frame } from "../screen/view.ts";
import type { StyleName, Theme } from "../theme/theme.ts";

export interface FooterFacts {
  readonly mode: PermissionMode;
  /** The key that changes the mode, as it is shown. */
  readonly modeKey: string;
  readonly vim?: string;
  /** Of the context, 0 to 100. */
  readonly usedPercent?: number;
  readonly cost?: number | null;
  readonly queued: number;
  /** What runs in the background, such as `2 shells`. */
  readonly tasks?: string;
  /** MCP servers that cannot be used, such as `1 MCP server failed: /mcp`. */
  readonly servers?: string;
  /** Takes the place of the mode's hint: `press again to exit`. */
  readonly notice?: string;
  /** What the prompt is for, if not for the model: a shell command, or a note in a file. */
  readonly writes?: "shell" | { readonly file: string };
  /** The prompt is empty: the shortcuts can be asked for. */
  readonly promptIsEmpty: boolean;
  /** Which model answers. */
  readonly model?: string;
  /** What the model reasons with, such as `high`. */
  readonly effort?: string;
}

const MODES: Readonly<Record<string, { readonly style: StyleName; readonly sign: string; readonly name: string }>> = {
  acceptEdits: { style: "acceptMode", sign: "⏵⏵", name: "accept edits on" },
  plan: { style: "planMode", sign: "⏸", name: "plan mode on" },
  auto: { style: "autoMode", sign: "⏵⏵", name: "auto mode on" },
  bypassPermissions: { style: "bypassMode", sign: "⏵⏵", name: "bypass permissions on" },
  dontAsk: { style: "warning", sign: "⏵⏵", name: "don't ask on" },
};

export function renderFooter(facts: FooterFacts, { columns, theme }: Frame): string {
  const left = leftParts(facts, theme);
  const about = aboutParts(facts, theme);
  const right = [...about, ...rightParts(facts, theme, columns)];
  // What matters least goes first: the model, hints on the left, then what is on the right.
  for (let more = about.length; more > 0 && total(left) + total(right) + 2 > columns; more--) right.shift();
  while (left.length > 1 && total(left) + total(right) + 2 > columns) left.pop();
  while (right.length > 0 && total(left) + total(right) + 2 > columns) right.shift();
  const start = fit(left.join("  "), columns);
  if (right.length === 0) return start;
  const end = right.join("  ");
  const gap = Math.max(2, columns - width(start) - width(end));
  return `${start}${" ".repeat(gap)}${end}`;
}

const total = (parts: readonly string[]) => parts.reduce((sum, part) => sum + width(part) + 2, -2);

function leftParts(facts: FooterFacts, theme: Theme): string[] {
  const { mode, modeKey, vim, queued, notice, tasks, servers, promptIsEmpty, writes } = facts;
  if (notice !== undefined) return [theme.paint("warning", cleanRow(notice))];
  if (writes === "shell") return [theme.paint("shell", "! runs a command without asking; the model reads its output")];
  if (writes !== undefined) return [theme.paint("memory", `# adds a note to ${cleanRow(writes.file)}`)];
  const known = MODES[mode];
  const parts: string[] = [];
  if (vim !== undefined) parts.push(theme.paint("dim", `-- ${cleanRow(vim)} --`));
  if (known) parts.push(theme.paint(known.style, `${theme.ascii ? ">>" : known.sign} ${known.name}`));
  if (queued > 0) parts.push(`${queued} queued`);
  if (servers !== undefined) parts.push(theme.paint("warning", servers));
  if (tasks !== undefined && tasks !== "") parts.push(theme.paint("dim", tasks));
  if (known && modeKey !== "") parts.push(theme.paint("dim", `(${modeKey} to change)`));
  else if (!known && promptIsEmpty) parts.push(theme.paint("dim", "? for shortcuts"));
  return parts;
}

/** The model and what it reasons with. */
function aboutParts({ model = "", effort = "" }: FooterFacts, theme: Theme): string[] {
  const parts = [model, effort].filter((part) => part !== "").map(cleanRow);
  return parts.length === 0 ? [] : [theme.paint("dim", parts.join(" · "))];
}

/** The least important first. */
function rightParts({ usedPercent, cost }: FooterFacts, theme: Theme, columns: number): string[] {
  const parts: string[] = [];
  if (typeof cost === "number" && cost > 0) parts.push(theme.paint("dim", dollars(cost)));
  if (usedPercent !== undefined) parts.push(contextBar(usedPercent, theme, columns));
  return parts;
}

const BAR_CELLS = 8;

/** `▰▰▰▱▱▱▱▱ 38% used`; a number alone where there is little room. */
function contextBar(usedPercent: number, theme: Theme, columns: number): string {
  const left = Math.max(0, 100 - usedPercent);
  const style = left <= 10 ? "error" : left <= 25 ? "warning" : "dim";
  const words = `${Math.min(100, usedPercent)}% used`;
  if (columns < 60) return theme.paint(style, words);
  const full = Math.min(BAR_CELLS, Math.round((usedPercent / 100) * BAR_CELLS));
  const [on, off] = theme.ascii ? ["#", "."] : ["▰", "▱"];
  return theme.paint(style, `${on!.repeat(full)}${off!.repeat(BAR_CELLS - full)} ${words}`);
}
