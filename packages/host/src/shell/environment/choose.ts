// Chooses the shell that runs commands. The gate reads commands as bash does, so bash runs them if available. The user's
// own shell only provides the environment.

import { accessSync, constants, statSync } from "node:fs";
import { basename, delimiter, isAbsolute } from "node:path";
import { findProgram } from "../../programs/find-program.ts";
import { realPathOf } from "@keelson/disk/real-path";

export interface ShellProgram {
  readonly path: string;
  /** The gate cannot analyze commands for any shell but bash. */
  readonly kind: "bash" | "zsh" | "sh";
}

export interface ShellChoice {
  readonly program: ShellProgram;
  /** The user's zsh, if commands run in bash: its variables are copied. */
  readonly userZsh?: string;
}

/** Common systems, FreeBSD, Homebrew, NixOS. */
const FOLDERS = ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", "/run/current-system/sw/bin"];

export interface ChooseShellOptions {
  /** CLAUDE_CODE_SHELL, SHELL, PATH. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The project; a program inside it is never used as the shell. */
  readonly cwd?: string;
}

export function chooseShell(
  { env, cwd }: ChooseShellOptions,
  canRun = isProgram,
  platform = process.platform,
): ShellChoice {
  const named = [env["CLAUDE_CODE_SHELL"], env["SHELL"]].filter((path) => path !== undefined && isAbsolute(path));
  const path = (env["PATH"] ?? "").split(delimiter).filter((folder) => cwd === undefined || !isWithin(cwd, folder));
  const find = (kind: ShellProgram["kind"]): ShellProgram | undefined => {
    const isOne = (candidate: string | null | undefined) =>
      candidate && canRun(candidate) && isRealShell(kind, candidate);
    const given = named.find((each) => basename(each!) === kind && isOne(each));
    if (given) return { path: given, kind };
    const onPath = findProgram(kind, path.join(delimiter));
    const common = FOLDERS.map((folder) => `${folder}/${kind}`);
    // It reads the user's start files outside the shield, so not one that a command could have put on the PATH. The bash
    // of macOS is old; people install another one.
    const found = (platform === "darwin" ? [onPath, ...common] : [...common, onPath]).find(isOne);
    return found ? { path: found, kind } : undefined;
  };
  const program = find("bash") ?? find("zsh") ?? find("sh") ?? { path: "/bin/bash", kind: "bash" };
  const [own] = named.filter((each) => canRun(each!));
  return program.kind === "bash" && own && basename(own) === "zsh" ? { program, userZsh: own } : { program };
}

/** How the gate has to read commands for this shell. */
export function readsAs({ path, kind }: ShellProgram, platform = process.platform): "bash" | "old bash" | "other" {
  if (kind !== "bash") return "other";
  // Bash 3.2, which comes with macOS.
  return platform === "darwin" && [path, realPathOf(path)].includes("/bin/bash") ? "old bash" : "bash";
}

/** `bash` may be a link to another shell, such as busybox. */
function isRealShell(kind: ShellProgram["kind"], path: string): boolean {
  return kind === "sh" || basename(realPathOf(path)).startsWith(kind);
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
