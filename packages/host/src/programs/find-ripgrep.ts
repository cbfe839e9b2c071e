// Finds ripgrep: set by the user, embedded, installed as a package, or installed on the system.

import { existsSync } from "node:fs";
import { extractProgram } from "./extract-program.ts";
import type * as Helpers from "./registry/helpers.ts";

export interface RipgrepOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The copy inside the executable; it must be extracted to run. */
  readonly embedded?: string;
  /** Where to extract it. */
  readonly cacheDir?: string;
}

export function findRipgrep({ env, embedded, cacheDir }: RipgrepOptions): string | null {
  if (env["KEELSON_RG"]) return existsSync(env["KEELSON_RG"]) ? env["KEELSON_RG"] : null;
  if (embedded && cacheDir) {
    const extracted = extractProgram(embedded, cacheDir);
    if (extracted !== null) return extracted;
  }
  const packaged = findPackaged();
  if (packaged !== null) return packaged;
  const { findHelper } = require("./registry/helpers.ts") as typeof Helpers;
  return findHelper("rg", env["PATH"]);
}

/** Why there is none, and what helps. A copy inside the executable is of no use if it cannot be extracted. */
export function ripgrepMissing({ env, embedded, cacheDir }: RipgrepOptions): string {
  if (env["KEELSON_RG"]) return `KEELSON_RG names a file that does not exist: ${env["KEELSON_RG"]}`;
  const fix = "install ripgrep, or set KEELSON_RG to its path";
  if (!embedded || !cacheDir) return `ripgrep was not found; ${fix}`;
  return `ripgrep cannot be unpacked to ${cacheDir}; set XDG_CACHE_HOME to a folder that you can write to, or ${fix}`;
}

/** Uses the platform package directly; the main package would load a module just for a path. */
function findPackaged(): string | null {
  const program = process.platform === "win32" ? "rg.exe" : "rg";
  try {
    const found = Bun.resolveSync(
      `@vscode/ripgrep-${process.platform}-${process.arch}/bin/${program}`,
      import.meta.dir,
    );
    return existsSync(found) ? found : null;
  } catch {
    return null;
  }
}
