// The middle of a permission dialog: what would happen, in full, then what the model says about it and why it asks.

import type { PermissionAsk } from "@keelson/client";
import { fit, width, wrap } from "../../screen/rows.ts";
import type { Theme } from "../../theme/theme.ts";
import { barred, quoted } from "../../widgets/heading.ts";
import type { RowsFor } from "../../widgets/scroll-text.ts";
import type { DialogContext } from "../dialog-context.ts";
import { shortPath, showAll, showRow } from "../visible.ts";
import { commandParts, destructiveWords, isCovered } from "./command-parts.ts";
import { readable, type CallDescription } from "./describe.ts";

export function permissionBody(ask: PermissionAsk, described: CallDescription, context: DialogContext): RowsFor {
  return (columns, theme) => [
    ...subjectRows(ask, described, columns, theme),
    ...destroyRows(ask, columns, theme),
    ...diffRows(ask, context, columns, theme),
    ...inputRows(ask, described, columns, theme),
    ...partRows(ask, columns, theme),
    // For a file, the description may be no more than its name.
    ...(ask.description === described.subject ? [] : labelled("The model says", ask.description, columns, theme)),
    ...reasonRows(ask, context, columns, theme),
  ];
}

/** What the call is about, and what it would change. */
export function subjectOf(ask: PermissionAsk, described: CallDescription, context: DialogContext): RowsFor {
  return (columns, theme) => [
    ...subjectRows(ask, described, columns, theme),
    ...destroyRows(ask, columns, theme),
    ...diffRows(ask, context, columns, theme),
  ];
}

function subjectRows(ask: PermissionAsk, { subject }: CallDescription, columns: number, theme: Theme): string[] {
  const command = commandOf(ask);
  if (command !== undefined) {
    const pieces = markedPieces(command).map(({ text, isMarked }) =>
      theme.paint(isMarked ? "error" : "code", showAll(text)),
    );
    return barred(wrap(pieces.join(""), columns - 2), theme);
  }
  return subject === undefined ? [] : quoted(subject, columns, theme, "bold");
}

/** Said in words, too: colors are not for everyone. */
function destroyRows(ask: PermissionAsk, columns: number, theme: Theme): string[] {
  const found = destructiveWords(commandOf(ask) ?? "");
  if (found.length === 0) return [];
  const words = [...new Set(found.map(({ word }) => word))].map(showRow).join(", ");
  return wrap(`${theme.paint("error", "Cannot be undone:")} ${words}`, columns - 2).map((row) => `  ${row}`);
}

function commandOf({ input: { command }, kind }: PermissionAsk): string | undefined {
  return typeof command === "string" && kind === "execute" ? command : undefined;
}

function markedPieces(command: string): { readonly text: string; readonly isMarked: boolean }[] {
  const pieces: { readonly text: string; readonly isMarked: boolean }[] = [];
  let at = 0;
  for (const { start, end } of destructiveWords(command)) {
    pieces.push(
      { text: command.slice(at, start), isMarked: false },
      { text: command.slice(start, end), isMarked: true },
    );
    at = end;
  }
  return [...pieces, { text: command.slice(at), isMarked: false }].filter(({ text }) => text !== "");
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
  const rows = parts.map((part, index) => {
    const number = `${index + 1} `;
    const note = needs(part)
      ? ` ${theme.paint("warning", theme.ascii ? "<- needs approval" : "← needs approval")}`
      : "";
    // All of it is above.
    const room = Math.max(8, columns - 4 - number.length - width(note));
    return `${theme.paint("dim", number)}${fit(showRow(part), room)}${note}`;
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
