// The middle of a permission dialog: what would happen, in full, then what the model says about it and why it asks.

import type { PermissionAsk } from "@keelson/client";
import { wrap } from "../../screen/rows.ts";
import type { Theme } from "../../theme/theme.ts";
import { barred, quoted } from "../../widgets/heading.ts";
import type { RowsFor } from "../../widgets/scroll-text.ts";
import type { DialogContext } from "../dialog-context.ts";
import { shortPath, showAll, showRow } from "../visible.ts";
import { commandParts, isCovered } from "./command-parts.ts";
import { readable, type CallDescription } from "./describe.ts";

export function permissionBody(ask: PermissionAsk, described: CallDescription, context: DialogContext): RowsFor {
  return (columns, theme) => [
    ...subjectRows(ask, described, columns, theme),
    ...diffRows(ask, context, columns, theme),
    ...inputRows(ask, described, columns, theme),
    ...partRows(ask, columns, theme),
    // For a file, the description may be no more than its name.
    ...(ask.description === described.subject ? [] : labelled("The model says", ask.description, columns, theme)),
    ...reasonRows(ask, context, columns, theme),
  ];
}

function subjectRows(ask: PermissionAsk, { subject }: CallDescription, columns: number, theme: Theme): string[] {
  const { command } = ask.input;
  if (typeof command === "string" && ask.kind === "execute") return quoted(showAll(command), columns, theme, "code");
  return subject === undefined ? [] : quoted(subject, columns, theme, "bold");
}

function diffRows({ patch }: PermissionAsk, context: DialogContext, columns: number, theme: Theme): string[] {
  if (!patch) return [];
  const rows = context.diff(patch, columns - 2, theme);
  return barred(rows.length > 0 ? rows : [theme.paint("dim", "No change")], theme);
}

function inputRows(ask: PermissionAsk, { told }: CallDescription, columns: number, theme: Theme): string[] {
  const text = readable(ask.input, told);
  return text === "" ? [] : quoted(showAll(text), columns, theme);
}

function partRows({ tool, input, suggestions }: PermissionAsk, columns: number, theme: Theme): string[] {
  const { command } = input;
  const parts = typeof command === "string" && tool === "Bash" ? commandParts(command) : [];
  if (parts.length === 0) return [];
  const rules = suggestions.flatMap((update) => ("rules" in update ? update.rules : []));
  const needs = (part: string) => rules.some(({ ruleContent = "" }) => isCovered(part, ruleContent));
  const rows = parts.flatMap((part, index) => {
    const number = `${index + 1} `;
    const note = needs(part)
      ? ` ${theme.paint("warning", theme.ascii ? "<- needs approval" : "← needs approval")}`
      : "";
    return wrap(`${theme.paint("dim", number)}${showRow(part)}${note}`, columns - 4);
  });
  return [theme.paint("dim", `  ${parts.length} commands:`), ...barred(rows, theme).map((row) => `  ${row}`)];
}

function reasonRows(ask: PermissionAsk, place: DialogContext, columns: number, theme: Theme): string[] {
  // The dialog itself says that approval is needed.
  const rows = ask.isReasonDefault ? [] : labelled("Why it asks", ask.reason, columns, theme);
  if (ask.askRule) rows.push(...labelled("Ask rule", `${ask.askRule.rule} (${ask.askRule.source})`, columns, theme));
  const { blockedPath, reason = "" } = ask;
  if (blockedPath !== undefined && !reason.includes(blockedPath))
    rows.push(...labelled("Path", shortPath(blockedPath, place), columns, theme));
  return rows;
}

/** `Label: text`, with the label dim and the text behind it. */
function labelled(label: string, text: string | undefined, columns: number, theme: Theme): string[] {
  if (text === undefined || text.trim() === "") return [];
  const rows = wrap(`${theme.paint("dim", `${label}:`)} ${showAll(text).replaceAll("\n", " ")}`, columns - 2);
  return rows.map((row) => `  ${row}`);
}
