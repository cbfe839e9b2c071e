// The user's shell as they know it: functions, aliases, options and PATH of a login, interactive shell, taken once
// per session and sourced before each command. Only the user's own start files are read, never the project's.

import { closeSync, existsSync, writeSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createPrivateFile } from "../private-file.ts";
import type { Groups } from "./groups.ts";
import { quote, type ShellProgram } from "./script.ts";
import { randomHex } from "../random.ts";

const LIMIT_MS = 10_000;
const LARGEST = 2 * 1024 * 1024;
/** Functions, aliases, options before and after, PATH. */
const PARTS = 5;

export interface SnapshotOptions {
  readonly shell: ShellProgram;
  readonly env: Readonly<Record<string, string>>;
  readonly directory: string;
  readonly limitMs?: number;
  /** Told of the process group that reads the start files, so that it is ended with us. */
  readonly groups: Pick<Groups, "add" | "leaderEnded">;
}

/** The path of the snapshot; null when there is nothing to remember or it could not be taken in time. */
export async function takeSnapshot(options: SnapshotOptions): Promise<string | null> {
  const { shell, env, directory } = options;
  if (!hasStartFiles(shell, env)) return null;
  const delimiterLine = `--${randomHex(12)}--`;
  const printed = await printedBy(options, delimiterLine);
  const parts = printed?.split(`${delimiterLine}\n`);
  if (parts?.length !== PARTS + 1) return null;

  const text = snapshotText(
    { functions: parts[0]!, aliases: parts[1]!, before: parts[2]!, after: parts[3]!, path: parts[4]! },
    shell,
    env["PATH"] ?? "",
  );
  return text === "" ? null : keep(text, directory, shell);
}

export interface ShellState {
  readonly functions: string;
  readonly aliases: string;
  /** Options as commands that would set them, before and after the start files. */
  readonly before: string;
  readonly after: string;
  readonly path: string;
}

/** Pure. "" when a plain shell would behave the same. */
export function snapshotText(state: ShellState, shell: ShellProgram, currentPath: string): string {
  const before = new Set(state.before.split("\n"));
  const options = state.after.split("\n").filter((line) => line !== "" && !before.has(line) && !FIXED.test(line));
  const path = joinPaths(currentPath, state.path.trim());
  const expand = shell.kind === "bash" ? "shopt -s expand_aliases\n" : "";
  return [
    state.functions,
    options.map((line) => `${line}\n`).join(""),
    state.aliases === "" ? "" : expand + state.aliases,
    path === currentPath ? "" : `export PATH=${quote(path)}\n`,
  ].join("");
}

/** Options a running shell cannot change or must not: job control and the editor belong to terminals. */
const FIXED =
  /\b(login_shell|restricted_shell|expand_aliases|login|interactive|monitor|zle|shinstdin|privileged|restricted)$/;

/** What we were started with goes first; what only the user's shell knows is added. */
function joinPaths(current: string, fromShell: string): string {
  const known = new Set(current.split(delimiter));
  const more = fromShell.split(delimiter).filter((entry) => entry.startsWith("/") && !known.has(entry));
  return [...(current === "" ? [] : [current]), ...new Set(more)].join(delimiter);
}

function hasStartFiles(shell: ShellProgram, env: Readonly<Record<string, string>>): boolean {
  const home = env["HOME"];
  if (!home) return false;
  const names =
    shell.kind === "bash"
      ? [".bashrc", ".bash_profile", ".bash_login", ".profile"].map((name) => join(home, name))
      : [".zshrc", ".zprofile", ".zlogin"].map((name) => join(env["ZDOTDIR"] ?? home, name));
  return names.some((name) => existsSync(name));
}

async function printedBy(
  { shell, env, groups, limitMs = LIMIT_MS }: SnapshotOptions,
  line: string,
): Promise<string | null> {
  const start = shell.kind === "bash" ? ["--noprofile", "--norc", "-l", "-i", "-c"] : ["-l", "-i", "-c"];
  const script = (shell.kind === "bash" ? BASH : ZSH).replaceAll("LINE", line);
  const child = Bun.spawn([shell.path, ...start, script], {
    cwd: env["HOME"],
    env: { ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
    detached: true,
  });
  groups.add(child.pid);
  void child.exited.then(() => groups.leaderEnded(child.pid));
  const end = () => {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // already gone
    }
  };
  const timer = setTimeout(end, limitMs);
  try {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of child.stdout) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > LARGEST) return null;
      // Something a start file left in the background may hold the pipe open: the last line is the end.
      const text = Buffer.concat(chunks).toString();
      if (text.split(`${line}\n`).length > PARTS) return text;
    }
    return null;
  } finally {
    clearTimeout(timer);
    end();
  }
}

function keep(text: string, directory: string, shell: ShellProgram): string | null {
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

// bash reads either the login or the interactive files, so both are sourced here; a profile that mentions bashrc
// is trusted to source it. Functions with one leading underscore are completions: many, long, and of no use here.
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
