// The additional working directories, as absolute paths with links resolved.

import { realpathSync, statSync } from "node:fs";
import { ConfigError } from "../errors.ts";
import { permissionsOf } from "./rules.ts";
import { atHome, type Places, type Scope } from "../scopes/scopes.ts";

/** From the settings, then from `--add-dir`. A bad flag is an error, a bad setting a warning. */
export function workingDirectories(
  scopes: readonly Scope[],
  flagged: readonly string[],
  { cwd, home }: Places,
  warn: (text: string) => void,
): readonly string[] {
  const found = new Set<string>();
  for (const { settings, file } of scopes) {
    for (const written of permissionsOf(settings).additionalDirectories ?? []) {
      const checked = checkDirectory(atHome(written, home, cwd));
      if (checked.kind === "directory") found.add(checked.path);
      else
        warn(
          `${file ?? "--settings"}: permissions.additionalDirectories ${JSON.stringify(written)} ${checked.problem}`,
        );
    }
  }
  for (const written of flagged) {
    const checked = checkDirectory(atHome(written, home, cwd));
    if (checked.kind !== "directory") throw new ConfigError(`--add-dir: '${written}' ${checked.problem}`);
    found.add(checked.path);
  }
  found.delete(cwd);
  return [...found];
}

type CheckedDirectory = { kind: "directory"; path: string } | { kind: "problem"; problem: string };

function checkDirectory(path: string): CheckedDirectory {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return { kind: "problem", problem: "does not exist" };
    if (!stat.isDirectory()) return { kind: "problem", problem: "is not a directory" };
    return { kind: "directory", path: realpathSync(path) };
  } catch (error) {
    return {
      kind: "problem",
      problem: `cannot be opened (${(error as NodeJS.ErrnoException).code ?? "unknown error"})`,
    };
  }
}
