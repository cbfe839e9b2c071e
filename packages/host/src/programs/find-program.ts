// Finds a program on the PATH. Ignores relative entries, which would let the working directory choose what we run.

import { delimiter, isAbsolute, sep } from "node:path";
import { realPathOf } from "../files/real-path.ts";

export function findProgram(name: string, path: string | undefined): string | null {
  return Bun.which(name, { PATH: (path ?? "").split(delimiter).filter(isAbsolute).join(delimiter) });
}

/** Where bash would find programs, links resolved. Names that are not found are left out. */
export function programsOnPath(names: readonly string[], path: string | undefined): ReadonlyMap<string, string> {
  const found = names.map((name) => [name, findProgram(name, path)] as const);
  return new Map(found.flatMap(([name, program]) => (program === null ? [] : [[name, realPathOf(program)] as const])));
}

/** The PATH without the entries inside a folder: a project's own programs are not run without approval. */
export function pathOutside(path: string | undefined, folder: string): string {
  const inside = [folder, realPathOf(folder)].map((each) => (each.endsWith(sep) ? each : `${each}${sep}`));
  const isInside = (entry: string) =>
    [entry, realPathOf(entry)].some((each) => inside.some((root) => `${each}${sep}`.startsWith(root)));
  return (path ?? "")
    .split(delimiter)
    .filter((entry) => isAbsolute(entry) && !isInside(entry))
    .join(delimiter);
}
