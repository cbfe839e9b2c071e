// What a process and its children looked up, opened and executed outside the shield, from the log of strace. A process
// that executes bubblewrap is inside the shield from then on, and so is everything it starts.

import { readFileSync } from "node:fs";
import { join, normalize } from "node:path";

/** Names on disk, absolute, as they were given: links are not resolved. */
export interface Traced {
  /** Opened for reading, or looked for: whoever makes one of these up is believed. */
  readonly read: ReadonlySet<string>;
  readonly executed: ReadonlySet<string>;
}

const CALLS = "open,openat,openat2,stat,lstat,newfstatat,statx,access,faccessat,faccessat2,readlink,readlinkat";

/** Starts the program given after it and writes the log. As root, because Keelson closes its memory to its own user. */
export function tracing(log: string, user: string): readonly string[] {
  return [
    ...["strace", "--follow-forks", "--quiet=all", "--decode-fds=path", "--string-limit=4096", "--seccomp-bpf"],
    // Inside a sandbox, processes are given numbers of its own.
    "--pidns-translation",
    ...[`--trace=${CALLS},execve,clone,clone3,fork,vfork`, `--output=${log}`, `--user=${user}`],
  ];
}

/** Reads the logs of one or more programs. */
export function readTrace(logs: readonly string[]): Traced {
  const traced = { read: new Set<string>(), executed: new Set<string>() };
  for (const log of logs) readLog(readFileSync(log, "latin1"), traced);
  return traced;
}

type Call = { readonly pid: string; readonly name: string; readonly args: string; readonly result: string };

const isOk = ({ result }: Call) => result.startsWith("0");
const isShield = (call: Call) => call.name === "execve" && isOk(call) && pathOf(call)?.endsWith("/bwrap") === true;

function readLog(text: string, traced: { readonly read: Set<string>; readonly executed: Set<string> }): void {
  const calls = [...callsIn(text)];
  const parents = new Map(
    calls.flatMap(({ pid, name, result }) => (/^(?:clone3?|v?fork)$/.test(name) ? [[startedIn(result), pid]] : [])),
  );
  const shieldedFrom = new Map(calls.flatMap((call, at) => (isShield(call) ? [[call.pid, at]] : [])));
  const isChildOfShield = (pid: string): boolean => {
    const parent = parents.get(pid);
    return parent !== undefined && (shieldedFrom.has(parent) || isChildOfShield(parent));
  };
  const unshielded = calls.filter(({ pid }, at) => at <= (shieldedFrom.get(pid) ?? at) && !isChildOfShield(pid));
  for (const call of unshielded) {
    const path = pathOf(call);
    if (path === undefined || /\bO_WRONLY\b/.test(call.args)) continue;
    if (call.name === "execve" && isOk(call)) traced.executed.add(path);
    else traced.read.add(path);
  }
}

const startedIn = (result: string) => /\/\* (\d+) in strace's PID NS/.exec(result)?.[1] ?? result.split(" ")[0]!;

/** The calls in the order in which they began, those interrupted by another process put together. */
function* callsIn(text: string): Generator<Call> {
  const begun = new Map<string, string>();
  for (const line of text.split("\n")) {
    const [, pid, rest] = /^(\d+) +(.*)$/s.exec(line) ?? [];
    if (pid === undefined || rest === undefined) continue;
    if (rest.endsWith("<unfinished ...>")) {
      begun.set(pid, rest.slice(0, -"<unfinished ...>".length));
      continue;
    }
    const [, ending] = /^<\.\.\. \w+ resumed>(.*)$/s.exec(rest) ?? [];
    const whole = ending === undefined ? rest : `${begun.get(pid) ?? ""}${ending}`;
    const [, name, args, result] = /^(\w+)\((.*)\) += (.*)$/s.exec(whole) ?? [];
    if (name !== undefined) yield { pid, name, args: args!, result: result! };
  }
}

/** The name in the arguments of a call, made absolute; undefined if it has none. */
function pathOf({ name, args }: Call): string | undefined {
  const [, descriptor, folder, quoted] =
    /^(?:(AT_FDCWD|\d+)(?:<((?:[^>\\]|\\.)*)>)?, )?"((?:[^"\\]|\\.)*)"/s.exec(args) ?? [];
  // A call on a descriptor has an empty name.
  if (!quoted || /^(?:clone3?|v?fork)$/.test(name)) return undefined;
  const path = unquoted(quoted);
  if (path.startsWith("/")) return normalize(path);
  return descriptor === undefined || folder === undefined ? undefined : join(unquoted(folder), path);
}

function unquoted(text: string): string {
  const bytes = text.replaceAll(/\\(?:([0-7]{1,3})|x([0-9a-f]{2})|(.))/g, (_, octal, hex, letter) => {
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
    return hex === undefined ? letter : String.fromCharCode(Number.parseInt(hex, 16));
  });
  return Buffer.from(bytes, "latin1").toString("utf8");
}
