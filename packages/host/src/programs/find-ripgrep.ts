// Finds ripgrep: set by the user, embedded, installed as a package, or installed on the system.

import { existsSync } from "node:fs";
import { switchIn } from "@keelson/protocol";
import { extractProgram } from "./extract-program.ts";
import type * as Helpers from "./registry/helpers.ts";

const TRY_MS = 10_000;

export interface RipgrepOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The copy inside the executable; it must be extracted to run. */
  readonly embedded?: string;
  /** Where to extract it. */
  readonly cacheDir?: string;
}

export function findRipgrep({ env, embedded, cacheDir }: RipgrepOptions): string | null {
  if (env["KEELSON_RG"]) return existsSync(env["KEELSON_RG"]) ? env["KEELSON_RG"] : null;
  const installed = () => (require("./registry/helpers.ts") as typeof Helpers).findHelper("rg", env["PATH"]);
  const first = switchIn(env["USE_BUILTIN_RIPGREP"]) === false ? installed() : null;
  if (first !== null) return first;
  if (embedded && cacheDir) {
    const extracted = extractProgram(embedded, cacheDir);
    if (extracted !== null) return extracted;
  }
  const packaged = findPackaged();
  return packaged ?? installed();
}

/** Runs it once. Its version, or why it does not work. */
export function tryRipgrep(path: string): { readonly version: string } | { readonly problem: string } {
  try {
    const child = Bun.spawnSync([path, "--no-config", "--version"], { env: {}, stdin: "ignore", timeout: TRY_MS });
    const version = /^ripgrep (\S+)/.exec(child.stdout.toString())?.[1];
    if (child.success && version !== undefined) return { version };
    const how = child.signalCode ? `was ended by ${child.signalCode}` : `exited with code ${child.exitCode}`;
    const said = child.stderr.toString().trim().split("\n", 1)[0]!;
    return { problem: `${path} ${how}${said === "" ? ", without its version" : `: ${said.slice(0, 300)}`}` };
  } catch (error) {
    return { problem: `${path} cannot be started: ${(error as Error).message}` };
  }
}

/** What makes a ripgrep that does not work work, by where it comes from. */
export function ripgrepFix({ env, cacheDir }: RipgrepOptions, path: string): string {
  if (path === env["KEELSON_RG"]) return "set KEELSON_RG to a ripgrep that works, or unset it";
  if (cacheDir !== undefined && path.startsWith(cacheDir))
    return "set KEELSON_RG to a ripgrep that runs on this machine";
  return "install ripgrep again, or set KEELSON_RG to its path";
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
