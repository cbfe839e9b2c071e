// Finds a program on the PATH. Ignores relative entries, which would let the working directory choose what we run.

import { basename, delimiter, dirname, isAbsolute, join, sep } from "node:path";
import { realPathOf } from "@keelson/disk/real-path";

export function findProgram(name: string, path: string | undefined): string | null {
  return Bun.which(name, { PATH: (path ?? "").split(delimiter).filter(isAbsolute).join(delimiter) });
}

/**
 * The files that bash would run, links resolved. If the file has another name, such as `rm` for `ls`, then also where the
 * link is; `python` may be `python3.12`. Names that are not found are left out.
 */
export function programsOnPath(
  names: readonly string[],
  path: string | undefined,
): ReadonlyMap<string, readonly string[]> {
  return new Map(
    names.flatMap((name) => {
      const found = findProgram(name, path);
      if (found === null) return [];
      const real = realPathOf(found);
      const isNamedAlike = basename(real).startsWith(name) && /^[-.\d]*$/.test(basename(real).slice(name.length));
      return [[name, isNamedAlike ? [real] : [join(realPathOf(dirname(found)), name), real]] as const];
    }),
  );
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
