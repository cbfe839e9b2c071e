// Which shell runs commands. Commands are judged as bash reads them, so bash runs them wherever there is one, whatever
// shell the user types in; theirs only provides the environment.

import { accessSync, constants, statSync } from "node:fs";
import { basename, delimiter, isAbsolute } from "node:path";
import { findProgram } from "../../programs/find-program.ts";
import { realPathOf } from "../../files/real-path.ts";

export interface ShellProgram {
  readonly path: string;
  /** Anything but bash reads text in its own way, so that nothing can be told from it beforehand. */
  readonly kind: "bash" | "zsh" | "sh";
}

export interface ShellChoice {
  readonly program: ShellProgram;
  /** The zsh the user works in, when commands run in bash: its variables are taken over. */
  readonly userZsh?: string;
}

/** Looked at when the PATH names none: the usual systems, FreeBSD, Homebrew, NixOS. */
const FOLDERS = ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", "/run/current-system/sw/bin"];

export interface ChooseShellOptions {
  /** CLAUDE_CODE_SHELL, SHELL, PATH. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The project: a program inside it is never taken for the shell. */
  readonly cwd?: string;
}

export function chooseShell({ env, cwd }: ChooseShellOptions, canRun = isProgram): ShellChoice {
  const named = [env["CLAUDE_CODE_SHELL"], env["SHELL"]].filter((path) => path !== undefined && isAbsolute(path));
  const path = (env["PATH"] ?? "").split(delimiter).filter((folder) => cwd === undefined || !isWithin(cwd, folder));
  const find = (kind: ShellProgram["kind"]): ShellProgram | undefined => {
    const isOne = (place: string | null | undefined) => place && canRun(place) && isRealShell(kind, place);
    const given = named.find((each) => basename(each!) === kind && isOne(each));
    if (given) return { path: given, kind };
    const onPath = findProgram(kind, path.join(delimiter));
    const found = [onPath, ...FOLDERS.map((folder) => `${folder}/${kind}`)].find(isOne);
    return found ? { path: found, kind } : undefined;
  };
  const program = find("bash") ?? find("zsh") ?? find("sh") ?? { path: "/bin/bash", kind: "bash" };
  const [own] = named.filter((each) => canRun(each!));
  return program.kind === "bash" && own && basename(own) === "zsh" ? { program, userZsh: own } : { program };
}

/** `bash` may be a link to something else, such as busybox, which reads text in its own way. */
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
