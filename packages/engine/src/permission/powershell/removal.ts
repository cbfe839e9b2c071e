// The circuit breakers of PowerShell: removing the root, a drive, the home folder, a working directory or their parents,
// or what only PowerShell knows. They need approval in every mode.

import { dirname } from "node:path/posix";
import { absolute, fold } from "../match/paths.ts";
import { programName, statementsIn } from "./words.ts";

const REMOVES = new Set([
  "remove-item",
  "rm",
  "rmdir",
  "format-volume",
  "clear-disk",
  "initialize-disk",
  "remove-partition",
]);
/** They have no path: naming one is enough. */
const DISKS = /^(?:format-volume|clear-disk|initialize-disk|remove-partition)$/;

export interface RemovalFacts {
  readonly cwd: string;
  readonly home: string;
  /** What must not be removed, case-folded. */
  readonly kept: ReadonlySet<string>;
}

/** The first word that may be such a target; undefined if nothing is removed, or only something named plainly. */
export function criticalRemovalIn(command: string, facts: RemovalFacts): string | undefined {
  const statements = statementsIn(command);
  const removals = statements.flatMap(({ words }) => {
    const at = words.findIndex((word) => REMOVES.has(programName(word)));
    return at < 0 ? [] : [words.slice(at)];
  });
  if (removals.length === 0) return undefined;
  // What a pipe or a script block hands over is known only when it runs.
  const isFed = /[|{(]/.test(command) && removals.some((words) => targetsOf(words).length === 0);
  if (isFed) return "what it is given";
  return removals
    .flatMap((words) => (DISKS.test(programName(words[0]!)) ? words.slice(0, 1) : targetsOf(words)))
    .find((word) => DISKS.test(programName(word)) || isCritical(word, facts));
}

function targetsOf([, ...words]: readonly string[]): string[] {
  return words.filter((word) => !/^-[a-z]+$/.test(word)).flatMap((word) => word.replace(/^-\w+:/, "").split(","));
}

function isCritical(word: string, { cwd, home, kept }: RemovalFacts): boolean {
  if (/^\$?(?:home|pwd)$|^\$env:|^\$/.test(word)) return true;
  const path = word.replaceAll("\\", "/");
  if (/^(?:[a-z]:)?\/*\**$/.test(path) || /^[a-z]:\/[^/]*\/?$/.test(path)) return true;
  const full = absolute(fold(cwd), path.replace(/^~(?=\/|$)/, fold(home)));
  const everything = /^(.*)\/\.?\*[.*]*$/.exec(full)?.[1];
  return [full, ...(everything === undefined ? [] : [everything || "/"])].some(
    (each) => kept.has(each) || dirname(each) === "/",
  );
}
