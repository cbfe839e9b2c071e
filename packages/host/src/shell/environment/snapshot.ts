// A snapshot of the user's interactive login shell: functions, aliases, options and PATH. Taken once per session and
// sourced before each command. Reads only the user's startup files, never the project's.
// If the user has zsh and commands run in bash, only variables are copied: see `zsh-variables.ts`.

import { closeSync, existsSync, writeSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createPrivateFile } from "../../files/private-file.ts";
import { carrierOf, uncarry } from "../../programs/loader-variables.ts";
import type { ShellProgram } from "./choose.ts";
import { isKeptOption } from "./cleared-variables.ts";
import { quote } from "../script.ts";
import { readShellOutput, type StartFiles } from "./start-files.ts";
import { zshVariables } from "./zsh-variables.ts";
import { randomHex } from "../../random.ts";

/** Functions, aliases, options before, options after, PATH. */
const PARTS = 5;

export interface SnapshotOptions extends StartFiles {
  readonly shell: ShellProgram;
  /** The zsh to copy variables from. */
  readonly userZsh?: string | undefined;
  readonly directory: string;
  mayInherit?: ((name: string) => boolean) | undefined;
}

/** The path of the snapshot; null if there is nothing to save or it took too long. */
export async function takeSnapshot(options: SnapshotOptions): Promise<string | null> {
  const { shell, env, directory, userZsh } = options;
  const source = userZsh === undefined ? shell : ({ path: userZsh, kind: "zsh" } as const);
  if (!hasStartFiles(source, env)) return null;
  const text = await (userZsh === undefined ? readShellState(options) : zshExports(userZsh, options));
  return text ? saveSnapshot(text, directory, shell) : null;
}

async function readShellState(options: SnapshotOptions): Promise<string | null> {
  const { shell, env } = options;
  const line = `--${randomHex(12)}--`;
  const start = shell.kind === "bash" ? ["--noprofile", "--norc", "-l", "-i", "-c"] : ["-l", "-i", "-c"];
  const script = (shell.kind === "bash" ? BASH : ZSH).replaceAll("LINE", line);
  const isWhole = (text: string) => text.split(`${line}\n`).length > PARTS;
  const whole = [...uncarry(env), script].join("\n");
  const printed = await readShellOutput([shell.path, ...start, whole], isWhole, options);
  const parts = printed?.split(`${line}\n`);
  if (parts?.length !== PARTS + 1) return null;
  const state = { functions: parts[0]!, aliases: parts[1]!, before: parts[2]!, after: parts[3]!, path: parts[4]! };
  return snapshotText(state, shell, env["PATH"] ?? "");
}

/** Quotes names and values for bash, so nothing that zsh printed is executed. */
async function zshExports(zsh: string, options: SnapshotOptions): Promise<string> {
  const { env, mayInherit = () => true } = options;
  const isGiven = (name: string) => Object.hasOwn(env, name) || Object.hasOwn(env, carrierOf(name));
  const lines: string[] = [];
  for (const [name, value] of await zshVariables(zsh, options)) {
    if (name === "PATH") {
      const path = joinPaths(env["PATH"] ?? "", value);
      if (path !== env["PATH"]) lines.push(`export PATH=${quote(path)}\n`);
    } else if (!isGiven(name) && mayInherit(name)) lines.push(`export ${name}=${quote(value)}\n`);
  }
  return lines.join("");
}

export interface ShellState {
  readonly functions: string;
  readonly aliases: string;
  /** Options as commands that set them, before and after the startup files. */
  readonly before: string;
  readonly after: string;
  readonly path: string;
}

/** Pure. Empty if a plain shell would behave the same. */
export function snapshotText(state: ShellState, shell: ShellProgram, currentPath: string): string {
  const before = new Set(state.before.split("\n"));
  const isCarried = (line: string) => (shell.kind === "bash" ? isKeptOption(line) : !UNSETTABLE_OPTIONS.test(line));
  const options = state.after.split("\n").filter((line) => line !== "" && !before.has(line) && isCarried(line));
  const path = joinPaths(currentPath, state.path.trim());
  const expand = shell.kind === "bash" ? "shopt -s expand_aliases\n" : "";
  // Some functions need this option to be parsed; commands are parsed without it.
  const isExtended = shell.kind === "bash" && state.functions !== "" && /^shopt -s extglob$/m.test(state.after);
  return [
    isExtended ? `shopt -s extglob\n${state.functions}shopt -u extglob\n` : state.functions,
    options.map((line) => `${line}\n`).join(""),
    state.aliases === "" ? "" : expand + state.aliases,
    path === currentPath ? "" : `export PATH=${quote(path)}\n`,
  ].join("");
}

/** Options that a running zsh cannot or must not change: job control and the editor need a terminal. */
const UNSETTABLE_OPTIONS = /\b(login|interactive|monitor|zle|shinstdin|privileged|restricted)$/;

/** Keeps our own PATH first and appends new entries from the user's shell. */
function joinPaths(current: string, fromShell: string): string {
  const known = new Set(current.split(delimiter));
  const more = fromShell.split(delimiter).filter((entry) => entry.startsWith("/") && !known.has(entry));
  return [...(current === "" ? [] : [current]), ...new Set(more)].join(delimiter);
}

function hasStartFiles(shell: ShellProgram, env: Readonly<Record<string, string>>): boolean {
  const home = env["HOME"];
  if (!home || shell.kind === "sh") return false;
  const names =
    shell.kind === "bash"
      ? [".bashrc", ".bash_profile", ".bash_login", ".profile"].map((name) => join(home, name))
      : [".zshenv", ".zshrc", ".zprofile", ".zlogin"].map((name) => join(env["ZDOTDIR"] ?? home, name));
  return names.some((name) => existsSync(name));
}

function saveSnapshot(text: string, directory: string, shell: ShellProgram): string | null {
  try {
    const name = `snapshot-${shell.kind}-${Date.now()}-${randomHex(4)}.sh`;
    const { fd, path } = createPrivateFile(directory, name);
    writeSync(fd, text);
    closeSync(fd);
    return path;
  } catch {
    return null;
  }
}

// bash reads either the login or the interactive files, so this sources both; a profile that mentions bashrc is assumed
// to source it. Functions with one leading underscore are completions, which commands do not need.
const BASH = `
__keelson_before=$(shopt -p)
{
  [ -r /etc/profile ] && . /etc/profile
  __keelson_profile=
  for __keelson_file in ~/.bash_profile ~/.bash_login ~/.profile; do
    if [ -r "$__keelson_file" ]; then __keelson_profile=$__keelson_file; . "$__keelson_file"; break; fi
  done
  if [ -r ~/.bashrc ] && ! { [ -n "$__keelson_profile" ] && command grep -q bashrc "$__keelson_profile"; }; then
    . ~/.bashrc
  fi
} >/dev/null 2>&1
declare -F | while read -r _ _ name; do
  case $name in _[!_]*) ;; *) declare -f -- "$name" ;; esac
done
echo LINE
alias -p
echo LINE
printf '%s\\n' "$__keelson_before"
echo LINE
shopt -p
echo LINE
printf '%s\\n' "$PATH"
echo LINE
`;

const ZSH = `
for name in \${(k)functions}; do
  [[ $name == _[^_]* ]] || functions -- $name
done
echo LINE
alias -L
echo LINE
echo LINE
setopt | while read -r name; do echo "setopt $name"; done
echo LINE
print -r -- "$PATH"
echo LINE
`;
