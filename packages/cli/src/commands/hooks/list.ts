// keelson hooks list: every hook by event, where it is defined, and why it does not run.

import type { Snapshot } from "@keelson/config";
import { HOOK_EVENTS, type HookRegistration } from "@keelson/protocol";
import type * as HooksModule from "@keelson/runtime/hooks";
import { printWarning } from "../../process/process-io.ts";
import type { OpenedHooks } from "./hooks.ts";
import { eventOf, SOURCE_WORDS } from "./words.ts";
import { MARK, oneLine, paletteFor, shortenFrom, visible } from "../permissions/words.ts";

interface Row {
  readonly registration: HookRegistration;
  readonly line?: number;
  /** Why it does not run. */
  readonly off?: string;
  /** It runs, but maybe not as its author expects. */
  readonly note?: string;
}

type HookWords = typeof HooksModule;

export async function listHooks({ given, words, io, snapshot }: OpenedHooks): Promise<number> {
  const event = words.length === 0 ? undefined : eventOf(words, "usage: keelson hooks list [event]");
  const facts = await import("@keelson/runtime/hooks");
  const rows = (await rowsOf(snapshot, facts)).filter((row) => event === undefined || row.registration.event === event);
  const { trusted, warnings } = snapshot;
  if (given.has("json")) {
    const hooks = rows.map((row) => inJson(row, facts));
    await io.write(`${JSON.stringify({ trusted, hooks, warnings }, null, 2)}\n`);
    return 0;
  }
  const off = rows.filter((row) => row.off !== undefined).length;
  const counted = `${rows.length} ${rows.length === 1 ? "hook" : "hooks"}`;
  const foot = `${counted}${off > 0 ? `, ${off} not running` : ""}, this folder is ${trusted ? "trusted" : "not trusted"}`;
  const short = shortenFrom(snapshot.cwd, snapshot.home);
  const lines = linesByEvent(rows, facts, { palette: paletteFor(io), short });
  await io.write(`${[...lines, foot].join("\n")}\n`);
  for (const warning of warnings) printWarning(io, warning);
  return 0;
}

async function rowsOf(snapshot: Snapshot, { EVENT_FACTS, hookProblem }: HookWords): Promise<Row[]> {
  const { locateHooks } = await import("@keelson/config");
  const places = await locateHooks(snapshot);
  const all: Row[] = [
    ...snapshot.hooks.active.map((registration) => ({ registration })),
    ...snapshot.hooks.off.map(({ registration, why }) => ({ registration, off: why })),
  ];
  return all.map((row) => {
    const { registration } = row;
    const { matcher, event } = registration;
    const idle = row.off === undefined ? hookProblem(registration) : undefined;
    const isNarrow = matcher !== undefined && matcher !== "" && matcher !== "*";
    const isIgnored = isNarrow && EVENT_FACTS[event].matchedOn === undefined;
    const line = places.get(registration);
    return {
      ...row,
      ...(line === undefined ? {} : { line }),
      ...(idle === undefined ? {} : { off: idle }),
      ...(isIgnored ? { note: `${event} ignores matchers; this hook always runs` } : {}),
    };
  });
}

function inJson({ registration, line, off, note }: Row, { handlerName }: HookWords) {
  return {
    ...registration,
    name: handlerName(registration.handler),
    ...(line === undefined ? {} : { line }),
    runs: off === undefined,
    ...(off === undefined ? {} : { why: off }),
    ...(note === undefined ? {} : { note }),
  };
}

interface Style {
  readonly palette: ReturnType<typeof paletteFor>;
  readonly short: (path: string) => string;
}

function linesByEvent(rows: readonly Row[], facts: HookWords, style: Style): string[] {
  const { palette } = style;
  const cells = rows.map((row) => cellsOf(row, facts, style));
  const width = (pick: (cell: Cells) => string) => Math.max(0, ...cells.map((cell) => pick(cell).length));
  const widths = {
    matcher: width((cell) => cell.matcher),
    name: width((cell) => cell.name),
    type: width((cell) => cell.type),
    place: width((cell) => cell.place),
  };
  return HOOK_EVENTS.flatMap((event) => {
    const here = cells.filter(({ row }) => row.registration.event === event);
    if (here.length === 0) return [];
    const about = palette.dim(facts.EVENT_FACTS[event].summary.toLowerCase());
    return [`${palette.bold(event)}  ${about}`, ...here.flatMap((cell) => linesOf(cell, widths, style)), ""];
  });
}

interface Cells {
  readonly row: Row;
  readonly matcher: string;
  readonly name: string;
  readonly type: string;
  readonly place: string;
}

function cellsOf(row: Row, { EVENT_FACTS, handlerName }: HookWords, { short }: Style): Cells {
  const { matcher, handler, file, event } = row.registration;
  const place = file === undefined ? "--settings" : short(file);
  const about = EVENT_FACTS[event].matchedOn === undefined ? "" : matcher || "*";
  return {
    row,
    matcher: oneLine(handler.if === undefined ? about : `${about} if ${handler.if}`.trim(), 40),
    name: oneLine(handlerName(handler), 60),
    type: handler.type,
    place: row.line === undefined ? place : `${place}:${row.line}`,
  };
}

function linesOf(
  { row, matcher, name, type, place }: Cells,
  widths: Readonly<Record<"matcher" | "name" | "type" | "place", number>>,
  { palette }: Style,
): string[] {
  const mark = row.off === undefined ? palette.verdict("allow", MARK.allow) : palette.verdict("deny", MARK.deny);
  const where = `${place.padEnd(widths.place)}  ${palette.dim(SOURCE_WORDS[row.registration.source])}`;
  const about = `${matcher.padEnd(widths.matcher)}  ${name.padEnd(widths.name)}  ${type.padEnd(widths.type)}`;
  const why = row.off ?? row.note;
  return [
    `  ${mark} ${about}  ${where}`,
    ...(why === undefined ? [] : [`      ${palette.verdict("ask", `! ${visible(why)}`)}`]),
  ];
}
