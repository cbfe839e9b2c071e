// keelson hooks list: every hook by event, where it is defined, and why it does not run.

import type { HookRegistration } from "@keelson/protocol";
import { HOOK_EVENTS } from "@keelson/protocol";
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

export async function listHooks({ given, words, io, snapshot }: OpenedHooks): Promise<number> {
  const event = words.length === 0 ? undefined : eventOf(words, "usage: keelson hooks list [event]");
  const { EVENT_FACTS, handlerName, hookProblem } = await import("@keelson/runtime/hooks");
  const { locateHooks } = await import("@keelson/config");
  const lines = await locateHooks(snapshot);
  const { hooks, trusted, warnings } = snapshot;
  const all: Row[] = [
    ...hooks.active.map((registration) => ({ registration })),
    ...hooks.off.map(({ registration, why }) => ({ registration, off: why })),
  ];
  const rows = all
    .filter(({ registration }) => event === undefined || registration.event === event)
    .map((row): Row => {
      const { registration } = row;
      const idle = row.off === undefined ? hookProblem(registration) : undefined;
      const { matcher, event } = registration;
      const isNarrow = matcher !== undefined && matcher !== "" && matcher !== "*";
      const unused =
        isNarrow && EVENT_FACTS[event].matchedOn === undefined ? "ignores matchers; this hook always runs" : "";
      const line = lines.get(registration);
      return {
        ...row,
        ...(line === undefined ? {} : { line }),
        ...(idle === undefined ? {} : { off: idle }),
        ...(unused === "" ? {} : { note: `${event} ${unused}` }),
      };
    });

  if (given.has("json")) {
    const shown = rows.map(({ registration, line, off, note }) => ({
      ...registration,
      name: handlerName(registration.handler),
      ...(line === undefined ? {} : { line }),
      runs: off === undefined,
      ...(off === undefined ? {} : { why: off }),
      ...(note === undefined ? {} : { note }),
    }));
    await io.write(`${JSON.stringify({ trusted, hooks: shown, warnings }, null, 2)}\n`);
    return 0;
  }

  const palette = paletteFor(io);
  const short = shortenFrom(snapshot.cwd, snapshot.home);
  const cells = rows.map((row) => {
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
  });
  const width = (pick: (cell: (typeof cells)[number]) => string) =>
    Math.max(0, ...cells.map((cell) => pick(cell).length));
  const [matchers, names, types, places] = [
    width((cell) => cell.matcher),
    width((cell) => cell.name),
    width((cell) => cell.type),
    width((cell) => cell.place),
  ];
  const out = HOOK_EVENTS.flatMap((event) => {
    const here = cells.filter(({ row }) => row.registration.event === event);
    if (here.length === 0) return [];
    const about = palette.dim(EVENT_FACTS[event].summary.toLowerCase());
    return [
      `${palette.bold(event)}  ${about}`,
      ...here.flatMap(({ row, matcher, name, type, place }) => {
        const mark = row.off === undefined ? palette.verdict("allow", MARK.allow) : palette.verdict("deny", MARK.deny);
        const where = `${place.padEnd(places)}  ${palette.dim(SOURCE_WORDS[row.registration.source])}`;
        const why = row.off ?? row.note;
        return [
          `  ${mark} ${matcher.padEnd(matchers)}  ${name.padEnd(names)}  ${type.padEnd(types)}  ${where}`,
          ...(why === undefined ? [] : [`      ${palette.verdict("ask", `! ${visible(why)}`)}`]),
        ];
      }),
      "",
    ];
  });
  const off = rows.filter((row) => row.off !== undefined).length;
  const counted = `${rows.length} ${rows.length === 1 ? "hook" : "hooks"}`;
  const foot = `${counted}${off > 0 ? `, ${off} not running` : ""}, this folder is ${trusted ? "trusted" : "not trusted"}`;
  await io.write(`${[...out, foot].join("\n")}\n`);
  for (const warning of warnings) printWarning(io, warning);
  return 0;
}
