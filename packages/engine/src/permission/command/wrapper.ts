// Programs that start other programs, and what they would start: `sudo`, `env`, `xargs`, `bash -c`, `find -exec`.
// When an option is not known here, every word that could be the inner program is taken for one: deny rules must not miss.

import { basename } from "node:path/posix";
import type { SimpleCommand } from "./command.ts";
import { literal, type Word } from "./word.ts";

interface Started {
  readonly commands: readonly (readonly Word[])[];
  /** Shell text to be read in turn. */
  readonly scripts: readonly string[];
  readonly transparent: boolean;
  readonly opaque: boolean;
  /** There were more readings than we are willing to judge. */
  readonly tooMany?: true;
}

const MOST_READINGS = 200;

interface Wrapper {
  /** Options that take the next word, or the rest of their own, as a value. */
  readonly valued?: string;
  readonly flags?: string;
  /** Operands of its own before the inner command begins. */
  readonly operands?: number;
  /** `A=1` may stand before the inner command. */
  readonly assigns?: true;
  readonly transparent?: true;
}

/** Short options are listed as letters; any long option makes us careful, see above. */
const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  builtin: {},
  busybox: {},
  command: { flags: "p", transparent: true },
  chroot: { operands: 1 },
  doas: { valued: "uC", flags: "ns" },
  env: { valued: "uC", flags: "i0v", assigns: true },
  exec: { valued: "a", flags: "cl" },
  ionice: { valued: "cn", flags: "t" },
  nice: { valued: "n", transparent: true },
  nohup: { transparent: true },
  setsid: { flags: "cfw" },
  stdbuf: { valued: "ioe", transparent: true },
  sudo: { valued: "ughpCDRTUrt", flags: "nEHSbkAPB", assigns: true },
  time: { valued: "fo", flags: "pv", transparent: true },
  timeout: { valued: "sk", flags: "v", operands: 1, transparent: true },
  toybox: {},
  xargs: { valued: "InPLsdEa", flags: "0rtpx" },
};

/** Wrappers whose options are many: every later word may be the inner program. */
const CARELESS = new Set(
  "arch chrt entr firejail flatpak-spawn flock ltrace nsenter parallel proot rlwrap runuser script setarch setpriv ssh strace su systemd-run taskset torsocks unbuffer unshare watch".split(
    " ",
  ),
);

const SHELLS = new Set(["ash", "bash", "dash", "ksh", "mksh", "rbash", "sh", "zsh"]);

export function isShell(program: string): boolean {
  return SHELLS.has(program);
}

/** Undefined when the command starts nothing but itself. */
export function startedBy(command: Pick<SimpleCommand, "words" | "redirections">): Started | undefined {
  const [program, ...words] = command.words;
  if (program === undefined || program.kind === "unknown") return undefined;
  const name = basename(program.value);

  if (SHELLS.has(name)) return shell(words, command.redirections);
  if (name === "eval") return scripts([words]);
  if (name === "trap") return scripts(words.slice(0, 1).map((word) => [word]));
  if (name === "find" || name === "fd" || name === "fdfind") return name === "find" ? find(words) : fd(words);
  if (CARELESS.has(name)) return { ...anyOf(words), scripts: constantTexts(words) };
  if (name === "command" && looksUp(words)) return undefined;

  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name]! : undefined;
  return wrapper && (words.length > 0 ? wrapped(wrapper, words, name) : undefined);
}

/** `command -v rm` only says where `rm` is; in `command rm -v` the option is not its own. */
function looksUp(words: readonly Word[]): boolean {
  const own = words.findIndex((word) => !/^-[pvV]+$/.test(word.value));
  return (own < 0 ? words : words.slice(0, own)).some((word) => /[vV]/.test(word.value));
}

function wrapped(wrapper: Wrapper, words: readonly Word[], name: string): Started {
  let at = 0;
  let operands = wrapper.operands ?? 0;
  let bare = true;
  for (; at < words.length; at++) {
    const word = words[at]!;
    if (word.kind === "unknown") return anyOf(words.slice(at));
    if (word.value === "--") continue;
    if (word.value.startsWith("-") && word.value !== "-") {
      // How many words at a time, and what divides them, changes nothing about what is started.
      if (!/^-[0rtx]*([nPL]\d*)?$/.test(word.value)) bare = false;
      if (name === "nice" && /^-\d+$/.test(word.value)) continue;
      const next = skipOption(wrapper, word.value);
      if (next === undefined) return { ...anyOf(words), scripts: splitStrings(words) };
      at += next;
    } else if (word.value === "-" || (wrapper.assigns && /^[A-Za-z_]\w*=/.test(word.value))) {
      continue;
    } else if (operands > 0) {
      operands--;
    } else break;
  }
  const rest = words.slice(at);
  const transparent = wrapper.transparent === true || (name === "xargs" && bare);
  return { commands: rest.length > 0 ? [rest] : [], scripts: [], transparent, opaque: rest[0]?.kind === "unknown" };
}

/** How many further words the option takes; undefined when we do not know it. */
function skipOption(wrapper: Wrapper, option: string): number | undefined {
  if (option.startsWith("--")) return undefined;
  for (let at = 1; at < option.length; at++) {
    if (wrapper.valued?.includes(option[at]!)) return at === option.length - 1 ? 1 : 0;
    if (!wrapper.flags?.includes(option[at]!)) return undefined;
  }
  return 0;
}

/** Every tail of the words that could be a command. */
function anyOf(words: readonly Word[]): Started {
  const commands = words.flatMap((word, at) => (word.value.startsWith("-") ? [] : [words.slice(at)]));
  const started = { commands, scripts: [], transparent: false, opaque: words.some(isUnknown) };
  return commands.length > MOST_READINGS ? { ...started, commands: [], tooMany: true } : started;
}

/** `env -S 'rm -rf x'` splits one word into a command. */
function splitStrings(words: readonly Word[]): string[] {
  return words.flatMap((word, at) => {
    if (word.kind !== "literal") return [];
    const attached = /^(?:-[a-zA-Z0]*S|--split-string=)(.+)$/s.exec(word.value)?.[1];
    if (attached !== undefined) return [attached];
    return /^(-[a-zA-Z0]*S|--split-string)$/.test(words[at - 1]?.value ?? "") ? [word.value] : [];
  });
}

/** Words with blanks in them are command lines to `watch`, `ssh`, `su -c` and their like. */
function constantTexts(words: readonly Word[]): string[] {
  return words.flatMap((word) => (word.kind === "literal" && /\s/.test(word.value) ? [word.value] : []));
}

function shell(words: readonly Word[], redirections: SimpleCommand["redirections"]): Started {
  const texts = redirections.filter((redirection) => redirection.kind === "text").map(({ target }) => [target]);
  for (let at = 0; at < words.length; at++) {
    const option = words[at]!.value;
    if (words[at]!.kind === "unknown") return { ...scripts(texts), opaque: true };
    if (!/^[-+]/.test(option)) break;
    if (/^-[a-zA-Z]*c/.test(option)) {
      const rest = words.slice(at + 1).filter((word) => !/^[-+]/.test(word.value));
      return scripts([...texts, ...rest.slice(0, 1).map((word) => [word])]);
    }
    if (/^[-+][oO]$/.test(option) || option === "--rcfile" || option === "--init-file") at++;
  }
  return scripts(texts);
}

function scripts(texts: readonly (readonly Word[])[]): Started {
  const readable = texts.filter((words) => !words.some(isVague));
  return {
    commands: [],
    scripts: readable.map((words) => words.map((word) => word.value).join(" ")),
    transparent: false,
    opaque: readable.length < texts.length,
  };
}

const FOUND = literal("{}");
const ACTIONS = new Set(["-exec", "-execdir", "-ok", "-okdir"]);
const NARROWS_NOTHING =
  /^-(type|xtype|depth|d|mindepth|maxdepth|print|print0|delete|mount|xdev|follow|o|a|or|and|not)$/;

const NAME_TEST = /^-(i?name|i?path|i?regex|newer|type|size|mtime|mmin|maxdepth|mindepth|user|group|perm)$/;

/** `-delete` is `rm` on what was found; `{}` stands for the folders searched, or for something in them when names narrow it. */
function find(words: readonly Word[]): Started | undefined {
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
  const opaque = expression.some((word, at) => isUnknown(word) && !NAME_TEST.test(expression[at - 1]?.value ?? ""));
  return commands.length === 0 && !opaque ? undefined : { commands, scripts: [], transparent: false, opaque };
}

function fd(words: readonly Word[]): Started | undefined {
  const at = words.findIndex((word) => /^(-[a-zA-Z0]*[xX]|--exec(-batch)?)/.test(word.value));
  return at < 0 ? undefined : anyOf(words.slice(at + 1));
}

const isUnknown = (word: Word) => word.kind === "unknown";
const isVague = (word: Word) => word.kind !== "literal";
