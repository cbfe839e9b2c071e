// What `validate` says of files: one line for each problem, then how many there are.

import type { SkillProblem } from "@keelson/protocol";
import type { Invoked } from "./group.ts";
import { oneLine, shortenFrom } from "./permissions/words.ts";

export interface CheckedFiles {
  /** How many there are; absent where they are not counted. */
  readonly files?: number;
  /** What was checked, in words: `2 skills and 1 command`. */
  readonly counted: string;
  readonly problems: readonly SkillProblem[];
  readonly cwd: string;
}

/** Returns the exit code. */
export async function reportProblems(
  { given, io }: Pick<Invoked, "given" | "io">,
  { files, counted, problems, cwd }: CheckedFiles,
): Promise<number> {
  const errors = problems.filter(({ kind }) => kind === "unused").length;
  const warnings = problems.length - errors;
  const code = errors > 0 || (given.has("strict") && warnings > 0) ? 1 : 0;
  if (given.has("json")) {
    await io.write(`${JSON.stringify({ files, errors, warnings, problems }, null, 2)}\n`);
    return code;
  }
  const short = shortenFrom(cwd, io.home);
  const lines = problems
    .map(({ file, line, kind, why }) => ({ at: `${short(file)}${line === undefined ? "" : `:${line}`}`, kind, why }))
    .map(({ at, kind, why }) => `${at}: ${kind === "unused" ? "error" : "warning"}: ${oneLine(why, 300)}`);
  const found = problems.length === 0 ? "no problems" : `${countOf(errors, "error")}, ${countOf(warnings, "warning")}`;
  await io.write(`${[...lines, `${counted}: ${found}`].join("\n")}\n`);
  return code;
}

export const countOf = (number: number, word: string) => `${number} ${word}${number === 1 ? "" : "s"}`;
