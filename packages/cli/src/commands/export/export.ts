// keelson export: a session as a document for people or programs.

import { extname, resolve } from "node:path";
import { spelling, type Arguments } from "../../args/args.ts";
import type { Flag } from "../../args/flags.ts";
import { UsageError } from "../../args/invocation.ts";
import { loadOptions, printError, printWarning, type ProcessIO } from "../../process/process-io.ts";
import { shortenFrom } from "../permissions/words.ts";
import { readSingleCommand } from "../single-command.ts";
import { EXPORT_FLAGS, EXPORT_OWN_FLAGS } from "./flags.ts";
import { writeDocument } from "./output.ts";

const USAGE = `Usage: keelson export [session] [options]

Write a session as a document: the conversation, tool calls and their results, and the conversations
of subagents. Name the session by ID, start of the ID, or title; default: the most recent session in
this folder.

Options:
${optionLines(EXPORT_OWN_FLAGS)}

Examples:
  keelson export
  keelson export "Fix the parser" -o parser.html
  keelson export --format json 4f1c | jq '.items[] | select(.kind == "prompt").text'
`;

const FORMATS = {
  ".md": "markdown",
  ".markdown": "markdown",
  ".txt": "markdown",
  "": "markdown",
  ".html": "html",
  ".htm": "html",
  ".json": "json",
} as const;
type Format = (typeof FORMATS)[keyof typeof FORMATS];

export async function runExport(argv: readonly string[], io: ProcessIO): Promise<number> {
  return runReader(
    { name: "export", usage: USAGE, flags: EXPORT_FLAGS },
    argv,
    io,
    async ({ given, wanted, place }) => {
      const { findExport } = await import("@keelson/runtime/export");
      const file = given.text("output");
      const ending = extname(file ?? "").toLowerCase();
      const byEnding = Object.hasOwn(FORMATS, ending) ? FORMATS[ending as keyof typeof FORMATS] : undefined;
      const format = (given.text("format") as Format | undefined) ?? byEnding;
      if (format === undefined)
        throw new UsageError(`"${ending}" is not a format; use --format markdown, html or json`);
      const page = format === "html" ? { page: await (await import("@keelson/web")).exportPage() } : {};
      return findExport(place, wanted, { format, full: given.has("full"), ...page });
    },
  );
}

/** A command that reads one session and writes a document. */
export interface SessionReader {
  readonly name: string;
  readonly usage: string;
  readonly flags: readonly Flag[];
}

export interface SessionReaderCall {
  readonly given: Arguments;
  /** The session that was asked for. */
  readonly wanted: string | undefined;
  readonly place: { readonly configDir: string; readonly cwd: string; readonly dirName: string | undefined };
}

export interface ReadDocument {
  readonly id: string;
  readonly damagedLines: number;
  pieces(): Iterable<string>;
}

export async function runReader(
  { name, usage, flags }: SessionReader,
  argv: readonly string[],
  io: ProcessIO,
  find: (call: SessionReaderCall) => Promise<ReadDocument | { readonly message: string }>,
): Promise<number> {
  const synopsis = `usage: keelson ${name} [session] [options]; quote a title that contains spaces`;
  const given = await readSingleCommand({ name, flags, usage, synopsis, words: 1 }, argv, io);
  if (typeof given === "number") return given;
  const [wanted] = given.words;
  const { ConfigError, load } = await import("@keelson/config");
  try {
    const at = resolve(io.cwd, given.text("cwd") ?? ".");
    const { configDir, cwd, env, home } = load(loadOptions({ ...io, cwd: at }, {}));
    const place = { configDir, cwd, dirName: env["CLAUDE_CODE_PROJECT_DIR_NAME"] };
    const found = await find({ given, wanted, place });
    if ("message" in found) throw new UsageError(found.message);
    const choice = { file: given.text("output"), force: given.has("force") };
    const file = await writeDocument(found.pieces(), choice, io);
    if (file !== undefined) io.error(`Wrote session ${found.id} to ${shortenFrom(io.cwd, home)(file)}`);
    const { damagedLines: count } = found;
    if (count > 0) {
      printWarning(
        io,
        `${count} damaged ${count === 1 ? "line" : "lines"} of the transcript could not be read and ${count === 1 ? "was" : "were"} skipped`,
      );
    }
    return 0;
  } catch (error) {
    if (error instanceof UsageError || error instanceof ConfigError) return printError(io, error.message);
    throw error;
  }
}

export function optionLines(flags: readonly Flag[]): string {
  const width = Math.max(...flags.map((flag) => spelling(flag).length));
  return flags.map((flag) => `  ${spelling(flag).padEnd(width)}  ${flag.help}`).join("\n");
}
