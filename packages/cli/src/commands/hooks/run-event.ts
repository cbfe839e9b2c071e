// keelson hooks test: runs the hooks of one event in a copy of the folder, and shows each reply and the combined result.

import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { JsonObject, PermissionMode } from "@keelson/protocol";
import type { TryOut } from "@keelson/runtime/hooks";
import { jsonObjectIn } from "../../args/flag-values.ts";
import { UsageError } from "../../args/invocation.ts";
import { shippedPrograms } from "../../shipped-programs.ts";
import { printWarning, type ProcessIO } from "../../process/process-io.ts";
import type { OpenedHooks } from "./hooks.ts";
import { unknownFields, unknownTool } from "./unknown-fields.ts";
import { replyInWords, block, endOf, eventOf, SOURCE_WORDS } from "./words.ts";
import { MARK, oneLine, paletteFor, shortenFrom, visible, type Palette, type Shorten } from "../permissions/words.ts";

export async function testHooks({ given, words, io, snapshot }: OpenedHooks): Promise<number> {
  const event = eventOf(words, "usage: keelson hooks test <event> [--tool <name>] [--input <json|@file>]");
  const tool = given.text("tool");
  const mode = given.text("mode");
  const input = inputOf(given.text("input"), io.cwd);
  const { EVENT_FACTS, handlerName, tryOut } = await import("@keelson/runtime/hooks");
  if (tool !== undefined && !EVENT_FACTS[event].input.includes("tool_name")) {
    throw new UsageError(`--tool cannot be used with ${event}, which is not about a tool`);
  }

  using interrupted = interruption(io);
  const tried = await tryOut({
    snapshot,
    event,
    ...(tool === undefined ? {} : { tool }),
    ...(input === undefined ? {} : { input }),
    ...(mode === undefined ? {} : { mode: (mode === "manual" ? "default" : mode) as PermissionMode }),
    programs: shippedPrograms,
    signal: interrupted.signal,
  });
  if (!tried.ok) throw new UsageError(tried.message);
  const { result } = tried;
  const warnings = [
    ...snapshot.warnings,
    ...(await unknownTool(tool, snapshot)),
    ...(await unknownFields(event, tool, input, snapshot)),
  ];
  if (given.has("json")) {
    await io.write(`${JSON.stringify({ ...result, warnings }, null, 2)}\n`);
    return interrupted.code();
  }
  for (const warning of warnings) printWarning(io, warning);
  const short = shortenFrom(snapshot.cwd, snapshot.home);
  await io.write(resultText(result, { palette: paletteFor(io), short, nameOf: handlerName }));
  return interrupted.code();
}

const LARGEST = 4 * 1024 * 1024;

function inputOf(given: string | undefined, cwd: string): JsonObject | undefined {
  if (given === undefined) return undefined;
  return jsonObjectIn(given.startsWith("@") ? read(resolve(cwd, given.slice(1))) : given, "--input");
}

function read(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) throw new UsageError(`--input: file not found: ${file}`);
  if (!stat.isFile()) throw new UsageError(`--input: ${file} is not a file`);
  if (stat.size > LARGEST) throw new UsageError(`--input: ${file} is larger than ${LARGEST / 1024 / 1024} MiB`);
  return readFileSync(file, "utf8");
}

/** Ctrl-C stops the hooks; the copy is still removed. */
function interruption(io: ProcessIO) {
  const controller = new AbortController();
  let code = 0;
  const stops = (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((name) =>
    io.onSignal(name, () => {
      code = EXIT_CODES[name];
      controller.abort();
    }),
  );
  return {
    signal: controller.signal,
    /** The exit code: 0 unless interrupted. */
    code: () => code,
    [Symbol.dispose]: () => stops.forEach((stop) => stop()),
  };
}

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

interface Style {
  readonly palette: Palette;
  readonly short: Shorten;
  nameOf(handler: TryOut["ran"][number]["registration"]["handler"]): string;
}

function resultText(result: TryOut, style: Style): string {
  const { palette } = style;
  const { label, ran, named, effects, texts, copy } = result;
  const sections = [
    [`${palette.bold(oneLine(label))}  ${palette.dim(countOf(result))}`],
    ...ran.map((tried) => triedLines(tried, style)),
    ...(named.length === 0
      ? []
      : [named.map((each) => `· ${titleOf(each, style)}  not run: it would call a model or a server`)]),
    result.passed.map(({ registration, why }) => palette.dim(`– ${titleOf(registration, style)}  ${visible(why)}`)),
    ["Result:", ...effects.map((effect) => `  ${visible(effect)}`)],
    texts.length === 0
      ? ["The model would see nothing"]
      : ["The model would see:", ...texts.flatMap(({ as, text }) => seen(as, text, palette))],
    [
      palette.dim(
        `Ran in a copy of ${copy.files} ${copy.files === 1 ? "file" : "files"}${copy.leftOut.length > 0 ? `, without ${visible(copy.leftOut.join("; "))}` : ""}`,
      ),
    ],
  ];
  const filled = sections.filter((lines) => lines.length > 0);
  return `${filled.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

function countOf({ ran, named, passed }: TryOut): string {
  const matching = ran.length + named.length;
  const others =
    passed.length === 0 ? "" : `, ${passed.length} of this event ${passed.length === 1 ? "does" : "do"} not`;
  return `${matching} ${matching === 1 ? "hook matches" : "hooks match"}${others}`;
}

function triedLines({ registration, run, reply, late }: TryOut["ran"][number], style: Style): string[] {
  const { palette } = style;
  const { text, tone } = replyInWords(reply, late);
  const sign = tone === undefined ? "·" : palette.verdict(tone, MARK[tone]);
  const words = tone === undefined ? text : palette.verdict(tone, text);
  const { handler } = registration;
  const problem = late?.problem ?? reply.problem ?? "";
  return [
    `${sign} ${titleOf(registration, style)}  ${words}  ${palette.dim(endOf(run, handler.type))}`,
    ...[
      ...block("stdout", run.stdout, palette),
      ...block("stderr", run.stderr, palette),
      ...block("problem", problem, palette),
      ...block("to user", reply.systemMessage ?? "", palette),
      ...block("later", late?.text ?? "", palette),
    ].map((line) => `    ${line}`),
  ];
}

function titleOf(
  { handler, file, source }: TryOut["ran"][number]["registration"],
  { palette, short, nameOf }: Style,
): string {
  const place = file === undefined ? SOURCE_WORDS[source] : short(file);
  return `${oneLine(nameOf(handler), 80)}  ${palette.dim(place)}`;
}

function seen(as: string, text: string, palette: Palette): string[] {
  return [`  ${palette.dim(`${as}:`)}`, ...text.split("\n").map((line) => `    ${oneLine(line, 1000)}`)];
}
