// Programs that start other programs, and what they would start: `sudo`, `env`, `xargs`, `bash -c`, `find -exec`. If an
// option is unknown, every word that could be the inner program counts as one, so deny rules miss nothing.

import { basename } from "node:path/posix";
import { startedByBuiltin, isDescriptor, scripts } from "./builtins.ts";
import type { SimpleCommand } from "../analysis/command.ts";
import { possibleCommands, constantTexts, startedByGit, startedBySubcommand } from "./runners.ts";
import { codeInVariable } from "../analysis/variables.ts";
import { literal, type Word } from "../analysis/word.ts";

export interface WrappedProgram {
  readonly commands: readonly (readonly Word[])[];
  /** Shell text to read in turn. */
  readonly scripts: readonly string[];
  /** Shell text that may be incomplete; ignored if it cannot be read. */
  readonly drafts?: readonly string[];
  readonly transparent: boolean;
  readonly opaque: boolean;
  /** Names that are redefined. */
  readonly defines?: readonly string[];
  /** Evaluates its words, so a quoted substitution may run after all. */
  readonly evaluates?: true;
  /** A builtin that was given code. */
  readonly code?: boolean;
  /** There were more readings than we are willing to judge. */
  readonly tooMany?: true;
}

interface Wrapper {
  /** Options that take the next word, or the rest of their own word, as a value. */
  readonly valued?: string;
  readonly flags?: string;
  /** Its own operands before the inner command. */
  readonly operands?: number;
  /** `A=1` may come before the inner command. */
  readonly assigns?: true;
  readonly transparent?: true;
}

/** Short options as letters; any long option makes us treat every word as a possible program. */
const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  builtin: {},
  busybox: {},
  command: { flags: "p", transparent: true },
  chroot: { operands: 1 },
  coreutils: {},
  doas: { valued: "uC", flags: "ns" },
  env: { valued: "uC", flags: "i0v", assigns: true },
  exec: { valued: "a", flags: "cl" },
  ionice: { valued: "cn", flags: "t" },
  nice: { valued: "n", transparent: true },
  nohup: { transparent: true },
  setsid: { flags: "cfw" },
  stdbuf: { valued: "ioe", transparent: true },
  sudo: { valued: "ughpCDRTUrt", flags: "nEHSbkAPB", assigns: true },
  // `-o` writes a file.
  time: { valued: "f", flags: "pv", transparent: true },
  timeout: { valued: "sk", flags: "v", operands: 1, transparent: true },
  toybox: {},
  xargs: { valued: "InPLsdEa", flags: "0rtpx" },
};

/** Wrappers with many options: every later word may be the inner program. */
const CARELESS = new Set(
  [
    "abduco arch aws-vault bwrap caffeinate capsh chpst chronic chrt cpulimit cross-env csh daemonize dbus-run-session direnv dotenv dtach dumb-init",
    "eatmydata entr env-cmd envdir faketime fakeroot firejail fish flatpak-spawn flock gosu hyperfine i386 linux32 linux64 ltrace nsenter numactl nvm",
    "parallel perf pkexec prlimit proot proxychains proxychains4 pwsh retry rlwrap runuser s6-setuidgid script sem setarch",
    "setpriv setuidgid sg shx softlimit ssh start-stop-daemon strace su su-exec systemd-run taskset tcsh tini torsocks tsp",
    "uname26 unbuffer unshare valgrind watch with-contenv x86_64 xvfb-run",
  ].flatMap((line) => line.split(" ")),
);

const SHELLS = new Set(["ash", "bash", "dash", "ksh", "mksh", "rbash", "sh", "yash", "zsh"]);

export function isShell(program: string): boolean {
  return SHELLS.has(program);
}

/** Undefined if the command starts nothing else. `input`: the texts it may read from its input, if known. */
export function startedBy(
  { words: all }: Pick<SimpleCommand, "words">,
  input?: readonly Word[],
): WrappedProgram | undefined {
  const [program, ...words] = all;
  if (program === undefined || program.kind === "unknown") return undefined;
  const name = basename(program.value);
  const usual = usualName(name);
  if (usual !== undefined) return started([{ ...program, value: usual }, ...words]);

  if (SHELLS.has(name)) return shell(words, input);
  if (name === "find" || name === "fd" || name === "fdfind") return name === "find" ? find(words) : fd(words);
  const subcommand = name === "git" ? startedByGit(words) : startedBySubcommand(name, words);
  if (subcommand !== undefined) return subcommand;
  if (CARELESS.has(name)) return { ...possibleCommands(words), scripts: constantTexts(words) };
  if (name === "command" && looksUp(words)) return undefined;

  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name]! : undefined;
  if (wrapper === undefined) return startedByBuiltin(name, words, input);
  return words.length > 0 ? wrapped(wrapper, words, name) : undefined;
}

/** The tools of GNU where the system has others: Homebrew's `grm`, `gxargs`, `gtimeout`. */
const GNU =
  /^g((?:base64|cat|chgrp|chmod|chown|chroot|cp|cut|date|dd|echo|env|find|grep|head|install|ln|ls|mkdir|mv|nice|nohup|od|printf|rm|rmdir|sed|shred|sort|split|stdbuf|tac|tail|tar|tee|timeout|touch|truncate|unlink|xargs))$/;

/** The name that rules know a program by, if it is another: `rm` for `grm` and `rm.exe`. */
function usualName(name: string): string | undefined {
  const plain = name.replace(/\.exe$/i, "");
  return GNU.exec(plain)?.[1] ?? (plain === name || plain === "" ? undefined : plain);
}

const started = (words: readonly Word[]): WrappedProgram => ({
  commands: [words],
  scripts: [],
  transparent: false,
  opaque: false,
});

/** `command -v rm` only prints where `rm` is; in `command rm -v`, the option belongs to `rm`. */
function looksUp(words: readonly Word[]): boolean {
  const own = words.findIndex((word) => !/^-[pvV]+$/.test(word.value));
  return (own < 0 ? words : words.slice(0, own)).some((word) => /[vV]/.test(word.value));
}

function wrapped(wrapper: Wrapper, words: readonly Word[], name: string): WrappedProgram {
  let at = 0;
  let operands = wrapper.operands ?? 0;
  let bare = true;
  const handed: string[] = [];
  for (; at < words.length; at++) {
    const word = words[at]!;
    if (word.kind === "unknown") return possibleCommands(words.slice(at));
    if (word.value === "--") continue;
    if (word.value.startsWith("-") && word.value !== "-") {
      // The number of words and their separator do not change what is started.
      if (!/^-[0rtx]*([nPL]\d*)?$/.test(word.value)) bare = false;
      if (name === "nice" && /^-\d+$/.test(word.value)) continue;
      const next = skipOption(wrapper, word.value);
      if (next === undefined) {
        const started = possibleCommands(words);
        const opaque = started.opaque || (name === "xargs" && startsMark(words));
        return { ...started, opaque, scripts: splitStrings(words) };
      }
      at += next;
    } else if (wrapper.assigns && /^[^=]+=/.test(word.value)) {
      const [variable] = word.value.split("=", 1);
      handed.push(codeInVariable({ name: variable!, value: literal(word.value.slice(variable!.length + 1)) }) ?? "");
    } else if (word.value === "-") {
      continue;
    } else if (operands > 0) {
      operands--;
    } else break;
  }
  const rest = words.slice(at);
  const transparent = wrapper.transparent === true || (name === "xargs" && bare);
  const [inner] = rest;
  const opaque = inner?.kind === "unknown" || (name === "xargs" && takesProgram(rest, words.slice(0, at), bare));
  return { commands: rest.length > 0 ? [rest] : [], scripts: handed.filter(Boolean), transparent, opaque };
}

/** Options of xargs whose value is the next word. */
const XARGS_VALUE = /^(-[0oprtx]*[adEIJLnPRSs]|--(a|d|max-[acp]|p)[a-z-]*)$/;

/** Whether the program of an xargs with long options is a name that it reads. */
function startsMark(words: readonly Word[]): boolean {
  const program = words.find(
    ({ value }, at) => !value.startsWith("-") && !XARGS_VALUE.test(words[at - 1]?.value ?? ""),
  );
  return program !== undefined && hasMark(program, words);
}

/** Whether xargs puts a name that it reads into this word: `{}`, or what `-I` and `--replace` set. */
function hasMark({ value: word }: Word, options: readonly Word[]): boolean {
  const marks = options.flatMap(({ value }, at) => {
    const set = /^(?:-[a-zA-Z0-9]*[Ii]|--r[a-z]*=)(.*)$/s.exec(value)?.[1];
    // Only `-I` takes the next word.
    return set === "" && value.endsWith("I") ? (options[at + 1]?.value ?? []) : set || [];
  });
  return ["{}", ...marks].some((mark) => word.includes(mark));
}

/** Whether the names that xargs adds become a program, or part of a script: `xargs -I{} {} x`, `xargs env`. */
function takesProgram(inner: readonly Word[], own: readonly Word[], bare: boolean): boolean {
  const [program, ...rest] = inner;
  if (program === undefined) return false;
  if (hasMark(program, own)) return true;
  const name = basename(program.value);
  if (isShell(name)) return !bare;
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name]! : undefined;
  return wrapper !== undefined && name !== "xargs" && wrapped(wrapper, rest, name).commands.length === 0;
}

/** How many further words the option takes; undefined if it is unknown. */
function skipOption(wrapper: Wrapper, option: string): number | undefined {
  if (option.startsWith("--")) return undefined;
  for (let at = 1; at < option.length; at++) {
    if (wrapper.valued?.includes(option[at]!)) return at === option.length - 1 ? 1 : 0;
    if (!wrapper.flags?.includes(option[at]!)) return undefined;
  }
  return 0;
}

/** `env -S 'rm -rf x'` splits one word into a command. */
function splitStrings(words: readonly Word[]): string[] {
  return words.flatMap((word, at) => {
    if (word.kind !== "literal") return [];
    const attached = /^(?:-[a-zA-Z0]*S|--s[a-z-]*=)(.+)$/s.exec(word.value)?.[1];
    if (attached !== undefined) return [attached];
    return /^(-[a-zA-Z0]*S|--s[a-z-]*)$/.test(words[at - 1]?.value ?? "") ? [word.value] : [];
  });
}

/** A shell runs an argument, a file, or its input. It is opaque if that is unknown. */
function shell(words: readonly Word[], input: readonly Word[] | undefined): WrappedProgram {
  const fromInput = scripts(input?.map((text) => [text]));
  let standard = false;
  for (let at = 0; at < words.length; at++) {
    const { kind, value } = words[at]!;
    if (kind === "unknown") return { ...fromInput, opaque: true };
    if (!/^[-+]./.test(value)) return standard || isDescriptor(words[at]!) ? fromInput : scripts([]);
    if (/^--(?:version|help)$/.test(value)) return scripts([]);
    if (/^-[a-zA-Z]*c/.test(value)) return scripts(argumentsOf(words.slice(at), value));
    if (/^-[a-zA-Z]*s/.test(value)) standard = true;
    if (/^[-+][a-zA-Z]*[oO]$|^--(?:rcfile|init-file)$/.test(value) && words[++at]?.kind === "unknown") {
      return { ...fromInput, opaque: true };
    }
  }
  return fromInput;
}

/** The script after `-c`. If another option takes a value, any word may be the script. */
function argumentsOf(words: readonly Word[], bundle: string): readonly (readonly Word[])[] | undefined {
  const rest = words.slice(1).filter((word) => word.kind !== "literal" || !/^[-+]/.test(word.value));
  const valued = words.some((word) => /^[-+][a-zA-Z]*[oO]/.test(word.value)) || /[oO]/.test(bundle);
  if (rest.length === 0) return undefined;
  return (valued ? rest : rest.slice(0, 1)).map((word) => [word]);
}

const FOUND = literal("{}");
const ACTIONS = new Set(["-exec", "-execdir", "-ok", "-okdir"]);
const NARROWS_NOTHING =
  /^-(type|xtype|depth|d|mindepth|maxdepth|print|print0|delete|mount|xdev|follow|o|a|or|and|not)$/;

const NAME_TEST = /^-(i?name|i?path|i?regex|newer|type|size|mtime|mmin|maxdepth|mindepth|user|group|perm)$/;

/**
 * `-delete` is `rm` on what was found; `{}` stands for the searched folders, or for something in them if tests narrow
 * it.
 */
function find(words: readonly Word[]): WrappedProgram | undefined {
  const first = words.findIndex((word) => /^[-(!,]/.test(word.value) && !/^-([HLP]|D.*|O\d?)$/.test(word.value));
  const starts = (first < 0 ? words : words.slice(0, first)).filter((word) => !word.value.startsWith("-"));
  const expression = first < 0 ? [] : words.slice(first);
  const tests: Word[] = [];
  const actions: Word[][] = [];
  for (let at = 0; at < expression.length; at++) {
    const { value } = expression[at]!;
    if (value === "-delete") actions.push([literal("rm"), literal("-r"), FOUND]);
    if (!ACTIONS.has(value)) {
      tests.push(expression[at]!);
      continue;
    }
    const inner: Word[] = [];
    while (++at < expression.length && expression[at]!.value !== ";") {
      if (expression[at]!.value === "+" && expression[at - 1]!.value === "{}") break;
      inner.push(expression[at]!);
    }
    if (inner.length > 0) actions.push(inner);
  }

  const narrowed = tests.some((word) => /^-[a-z]/.test(word.value) && !NARROWS_NOTHING.test(word.value));
  const found = (starts.length > 0 ? starts : [literal(".")]).map((word) => {
    if (!narrowed) return word;
    return { ...word, value: `${word.value.replace(/\/$/, "")}/found`, text: `${word.text}/found` };
  });
  const commands = actions.map((words) => words.flatMap((word) => (word.value === "{}" ? found : [word])));
  // In `-exec {} x`, whatever was found is the program.
  const runsFound = actions.some(([program]) => program!.value.includes("{}"));
  const opaque =
    runsFound || expression.some((word, at) => isUnknown(word) && !NAME_TEST.test(expression[at - 1]?.value ?? ""));
  return commands.length === 0 && !opaque ? undefined : { commands, scripts: [], transparent: false, opaque };
}

function fd(words: readonly Word[]): WrappedProgram | undefined {
  const at = words.findIndex((word) => /^(-[a-zA-Z0]*[xX]|--exec(-batch)?)/.test(word.value));
  return at < 0 ? undefined : possibleCommands(words.slice(at + 1));
}

const isUnknown = (word: Word) => word.kind === "unknown";
