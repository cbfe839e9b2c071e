// Which program to start, and the arguments before its flags.

import { existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join, resolve } from "node:path";
import process from "node:process";
import { CLINotFoundError } from "../errors.ts";
import type { Options } from "../options/options.ts";

export interface ProgramLine {
  readonly command: string;
  readonly args: readonly string[];
}

const FIX =
  'Install the package "keelson" beside this one, put keelson on the PATH, or set its path in pathToKeelsonExecutable or KEELSON_BIN';

/** Throws CLINotFoundError. */
export function findCommand(options: Options): ProgramLine {
  const program = findProgram(options);
  const before = options.executableArgs ?? [];
  if (!/\.(?:[cm]?js|[cm]?ts|jsx|tsx)$/.test(program)) return { command: program, args: before };
  const { executable } = options;
  const isDeno = executable === "deno" || (executable === undefined && process.versions["deno"] !== undefined);
  const words = isDeno && before.length === 0 ? ["run", "--allow-all"] : before;
  // The current runtime need not be on the PATH.
  return { command: executable ?? process.execPath, args: [...words, program] };
}

function findProgram(options: Options): string {
  const given = options.pathToKeelsonExecutable ?? options.pathToClaudeCodeExecutable;
  const env = options.env ?? process.env;
  if (given !== undefined) {
    // A custom spawn function may use paths that do not exist here; the system looks up a bare name.
    const isName = !/[\\/]/.test(given);
    if (options.spawnClaudeCodeProcess !== undefined || isName || existsSync(resolve(given))) return given;
    throw new CLINotFoundError(`No program at "${given}". ${FIX}`);
  }
  const fromEnv = env["KEELSON_BIN"] ?? process.env["KEELSON_BIN"];
  if (fromEnv !== undefined && fromEnv !== "") {
    if (existsSync(fromEnv)) return fromEnv;
    throw new CLINotFoundError(`KEELSON_BIN is "${fromEnv}", which does not exist. ${FIX}`);
  }
  const found = installed() ?? onPath(env["PATH"] ?? process.env["PATH"] ?? "");
  if (found !== undefined) return found;
  if (options.spawnClaudeCodeProcess !== undefined) return "keelson";
  throw new CLINotFoundError(`The program keelson was not found. ${FIX}`);
}

const FILE = process.platform === "win32" ? "keelson.exe" : "keelson";

/** The installed package's executable, without its launcher, which would cost another process. */
function installed(): string | undefined {
  // Bundlers that produce CommonJS leave no URL to resolve from.
  if (!import.meta.url) return undefined;
  const platform = `keelson-${process.platform}-${process.arch}`;
  const here = createRequire(import.meta.url);
  return (
    tryResolve(here, `${platform}/bin/${FILE}`) ??
    // With strict package managers, only the package "keelson" itself can resolve its platform packages.
    (tryResolve(here, "keelson/package.json") === undefined
      ? undefined
      : (tryResolve(createRequire(here.resolve("keelson/package.json")), `${platform}/bin/${FILE}`) ??
        tryResolve(here, "keelson/bin/npm-launcher.mjs")))
  );
}

function tryResolve(require: NodeJS.Require, path: string): string | undefined {
  try {
    return require.resolve(path);
  } catch {
    return undefined;
  }
}

function onPath(path: string): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, FILE))
    .find((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
}
