// Where ripgrep is: named by the user, brought along, installed as a package, or on the PATH.

import { existsSync } from "node:fs";
import { extractProgram } from "./extract-program.ts";
import { findProgram } from "./find-program.ts";

export interface RipgrepOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The copy inside the executable; it is put on disk before it can run. */
  readonly embedded?: string;
  /** Where copies are kept. */
  readonly cacheDir?: string;
}

export function findRipgrep({ env, embedded, cacheDir }: RipgrepOptions): string | null {
  if (env["KEELSON_RG"]) return existsSync(env["KEELSON_RG"]) ? env["KEELSON_RG"] : null;
  if (embedded && cacheDir) {
    const extracted = extractProgram(embedded, cacheDir);
    if (extracted !== null) return extracted;
  }
  return findPackaged() ?? findProgram("rg", env["PATH"]);
}

/** The platform package is asked directly; the package that fronts it would load a module for one path. */
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
