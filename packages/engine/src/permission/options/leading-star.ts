// Rules that start with a star, such as `Bash(* --version)`: any program, asked for its version. The star stands for a
// program and the names of subcommands, never for code, options or files: `bash -c 'x' --version` runs x.

import { basename } from "node:path/posix";
import type { SimpleCommand } from "../command/analysis/command.ts";
import type { Word } from "../command/analysis/word.ts";
import { changesNamedFiles } from "../command/files/command-files.ts";
import { optionsOf } from "./table.ts";

const INSTALLED = /^(\/usr(\/local)?)?\/s?bin\/[^/]+$/;
const NAME = /^[A-Za-z@][\w.:@-]*$/;
/** Their words name a program or a script. */
const STARTERS = /^(bun|bunx|deno|npx|pnpx|uvx)$/;

/** The first word that the star does not stand for. */
export function beyondStar(content: string, { words, runs }: SimpleCommand): Word | undefined {
  const [program, ...rest] = words;
  if (!content.startsWith("*") || content.trim() === "*" || program === undefined) return undefined;
  if (program.value.includes("/") && !INSTALLED.test(program.value)) return program;
  const [spelled = ""] = content.replace(/^\*+/, "").trim().split(/[\s*]/);
  const at = rest.findIndex(({ value }) => value.includes(spelled));
  const covered = at < 0 ? rest : rest.slice(0, at);
  const name = basename(program.value);
  const isUnsafe =
    runs.length > 0 || STARTERS.test(name) || optionsOf(name)?.narrowed !== undefined || changesNamedFiles(name);
  return isUnsafe ? covered[0] : covered.find(({ kind, value }) => kind !== "literal" || !NAME.test(value));
}
