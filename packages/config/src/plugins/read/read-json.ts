// Reads a JSON file of a plugin: a regular file inside its folder. Remembers which files were read, for `changed`.

import { stampOf, type Source } from "../../load/sources.ts";
import { readInstruction } from "../../instructions/files/read-instruction.ts";
import { parseSettings } from "../../scopes/read.ts";
import { liesInside } from "./inside.ts";
import { jsonLine, type JsonPath, type PluginProblem } from "./problem.ts";

export interface JsonFile {
  readonly file: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly lineOf: (path: JsonPath) => number | undefined;
}

/** What reading one folder shares: where it is, and what was found. */
export interface FolderReading {
  /** With links resolved. */
  readonly root: string;
  readonly uid: number | undefined;
  readonly problems: PluginProblem[];
  readonly sources: Source[];
}

/** Undefined if the file is missing or cannot be used; the latter is reported. */
export function readJsonInside(file: string, reading: FolderReading, fatal?: true): JsonFile | undefined {
  const { root, uid, problems, sources } = reading;
  const fail = (text: string, line?: number) => {
    problems.push({ file, ...(line === undefined ? {} : { line }), text, ...(fatal ? { fatal } : {}) });
    return undefined;
  };
  sources.push({ path: file, stamp: stampOf(file) });
  const read = readInstruction(file, { accepts: (real) => liesInside(root, real), uid });
  if (read.kind === "missing") return undefined;
  if (read.kind === "outside") return fail("is a link that leads out of the plugin; copy the file instead");
  if (read.kind === "refused") return fail(`cannot be used: ${read.why}`);
  const parsed = parseSettings(read.text);
  if (parsed.kind === "broken") {
    const [, line, problem] = /^not valid JSON: line (\d+): (.*)$/s.exec(parsed.problem) ?? [];
    if (line === undefined) return fail(`is ${parsed.problem}`);
    return fail(`is not valid JSON: ${problem}`, Number(line));
  }
  const value = parsed.kind === "read" ? parsed.value : {};
  return { file, value, lineOf: (path) => jsonLine(read.text, path) };
}
