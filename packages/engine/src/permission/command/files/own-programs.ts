// Programs that the PATH finds in a working directory, such as `.venv/bin` or `node_modules/.bin`. Whoever writes files
// there decides what `ls` does, so being called `ls` does not make them harmless.

import type { CommandAnalysis, SimpleCommand } from "../analysis/command.ts";
import { everyCommand } from "./command-files.ts";
import { isInside, isInsideAny } from "../../match/paths.ts";
import type { GateQuestion } from "../../question.ts";

/** Builtins of bash, which it does not look for on the PATH. */
const BUILTINS = new Set(
  ": [ [[ break cd command continue echo exit false history printf pwd set test true type".split(" "),
);

/** The names that bash would look for on the PATH. */
export function namesOnPath(analysis: CommandAnalysis): readonly string[] {
  const names = everyCommand(analysis.commands).flatMap(({ words: [program] }) =>
    program?.kind === "literal" && !program.value.includes("/") && !BUILTINS.has(program.value) ? [program.value] : [],
  );
  return [...new Set(names)];
}

/**
 * Where such a program is, if this part runs one itself. In the home folder or the root, it may be any program of the
 * user or the system, so these do not count.
 */
export function ownProgram(
  { words: [program] }: SimpleCommand,
  { programs, directories, home }: GateQuestion,
): string | undefined {
  const found = (program && programs?.get(program.value)) ?? [];
  const projects = directories.filter((folder) => ![home, "/usr/bin"].some((inner) => isInside(folder, inner)));
  return found.find((path) => isInsideAny(projects, path));
}
