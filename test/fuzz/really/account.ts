// Holds what a command did against what was judged: every program that started must be one the gate read in the text,
// with the words it read, and no file may change that was not agreed to.

import { basename } from "node:path";
import type { CommandAnalysis } from "@keelson/engine/command";
import type { Agreement } from "./judge.ts";
import type { Trace } from "./trace.ts";
import { DENIED, type FuzzWorld } from "./world.ts";

type Judged = CommandAnalysis["commands"][number];
type Word = Judged["words"][number];

/** What went wrong, in words that are the same for every command of the same class. */
export function complaintAbout(
  trace: Trace | undefined,
  analysis: CommandAnalysis,
  agreement: Agreement,
  world: FuzzWorld,
): string | undefined {
  if (trace === undefined) return "it ended the sandbox";
  const commands = everyCommand(analysis.commands);
  for (const [path = "", ...words] of trace.ran) {
    const name = basename(path);
    if (path !== `${world.bin}/${name}`) return `ran a program of the folder, ${name}`;
    const same = commands.filter((command) => programOf(command) === name);
    if (same.length === 0 && !isHelper(name, commands)) return `ran ${name}, which was not judged`;
    if (same.length > 0 && !same.some((command) => matches(expected(command, commands), words, world)))
      return `ran ${name} with words that were not judged`;
  }
  if (trace.left) return "left a process running";
  const changed = trace.changed.find((name) => !mayChange(name, agreement, trace));
  if (changed !== undefined) return `changed a file ${place(changed)}`;
  return glance(trace, agreement);
}

/** What was looked at without leave. A rule for a program that writes lets it read anywhere. */
function glance({ opened, printed }: Trace, { changes, deny }: Agreement): string | undefined {
  if (printed.includes("environment")) return "printed the environment";
  const denied = printed.includes("denied") || opened.includes(DENIED);
  if (denied && deny !== undefined) return "read the denied file";
  const outside = printed.includes("outside") || opened.some((name) => name !== DENIED);
  return outside && changes !== "anywhere" ? "read a file outside" : undefined;
}

function everyCommand(commands: readonly Judged[]): Judged[] {
  return commands.flatMap((command) => [command, ...everyCommand(command.runs)]);
}

const programOf = ({ words }: Judged): string => basename(words[0]?.value ?? "");

/** Programs that others start by design. */
const HELPERS: Readonly<Record<string, readonly string[]>> = {
  grep: ["egrep", "fgrep"],
  gzip: ["tar"],
  // What xargs starts when it is not told.
  echo: ["xargs"],
  git: ["git"],
  // Some of git's own commands are scripts.
  uname: ["git"],
  sed: ["git"],
  basename: ["git"],
};

function isHelper(name: string, commands: readonly Judged[]): boolean {
  return commands.some((command) => HELPERS[name]?.includes(programOf(command)));
}

const ANYTHING: Word = { kind: "unknown", value: "", text: "" };

/** The words after the program; those of what xargs starts come from its input. */
function expected(command: Judged, commands: readonly Judged[]): readonly Word[] {
  const fromInput = commands.some((each) => programOf(each) === "xargs" && everyCommand(each.runs).includes(command));
  return fromInput ? [ANYTHING] : command.words.slice(1);
}

/** Patterns and unknown words may become any number of words, others are one, exactly as read. */
function matches(words: readonly Word[], given: readonly string[], world: FuzzWorld): boolean {
  const [first, ...rest] = words;
  if (first === undefined) return given.length === 0;
  if (first.kind === "glob" || first.kind === "unknown") {
    for (let taken = 0; taken <= given.length; taken++) if (matches(rest, given.slice(taken), world)) return true;
    return false;
  }
  return given.length > 0 && isSame(first, given[0]!, world) && matches(rest, given.slice(1), world);
}

function isSame({ kind, value }: Word, given: string, { home }: FuzzWorld): boolean {
  if (kind === "home") return given === value.replace(/^~/, home);
  if (kind === "braces" && given === value.replace(/^~(?=\/|$)/, home)) return true;
  if (given === value) return true;
  // `$?`, `$#`, `$$` and constant arithmetic are kept as they are written; they become digits.
  if (!/\$[?#$(]/.test(value)) return false;
  const signs = /\$[?#$]|\$\(\([\d \t+*/%()]*\)\)|[\\^$.*+?()[\]{}|]/g;
  const pattern = value.replaceAll(signs, (sign) => (sign.length > 1 ? "\\d+" : `\\${sign}`));
  return new RegExp(`^${pattern}$`, "s").test(given);
}

/** No one agreed to changes here, whatever the mode or the rule: the gate asks before each. */
const PROTECTED = /^(home(\/|$)|.*\/\.(claude|git)\/)/;

function mayChange(name: string, { changes }: Agreement, { folders }: Trace): boolean {
  if (changes === "nothing") return false;
  if (changes === "anywhere") return true;
  if (changes === "out") return /^work\/out(\/|$)/.test(name);
  if (name !== "work" && !name.startsWith("work/")) return false;
  // A folder may be moved or removed whole, together with the repository in it.
  return (
    !PROTECTED.test(name) || folders.some((folder) => name.startsWith(`${folder}/`) && !PROTECTED.test(`${folder}/`))
  );
}

function place(name: string): string {
  if (PROTECTED.test(name)) return "in a protected place";
  return name === "work" || name.startsWith("work/") ? "in the working directory" : "outside";
}
