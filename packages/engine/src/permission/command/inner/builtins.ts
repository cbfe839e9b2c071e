// Builtins that run or evaluate their words, or redefine names.

import type { WrappedProgram } from "./wrapper.ts";
import type { Word } from "../analysis/word.ts";

/** Stands for any name. */
export const ANY_NAME = "*";

/** Undefined for every other command. */
export function startedByBuiltin(
  name: string,
  words: readonly Word[],
  input: readonly Word[] | undefined,
): WrappedProgram | undefined {
  const started = Object.hasOwn(BUILTINS, name) ? BUILTINS[name]!(words, input) : undefined;
  if (started === undefined) return undefined;
  const { commands, scripts, drafts = [], opaque } = started;
  return { ...started, code: opaque || commands.length + scripts.length + drafts.length > 0 };
}

type Builtin = (words: readonly Word[], input: readonly Word[] | undefined) => WrappedProgram | undefined;

const operandsOf = (words: readonly Word[]) => words.slice(words[0]?.value === "--" ? 1 : 0);

const source: Builtin = (words, input) => {
  const [file] = operandsOf(words);
  if (file === undefined) return undefined;
  if (isDescriptor(file)) return scripts(input?.map((text) => [text]));
  return file.kind === "unknown" ? scripts(undefined) : undefined;
};

const mapfile: Builtin = (words) => optionValue(words, "C", "dnOsuCc");

const alias: Builtin = (words) => {
  const defined = words.filter((word) => word.kind !== "literal" || word.value.includes("="));
  if (defined.length === 0) return undefined;
  const names = defined.map((word) => (word.kind === "literal" ? word.value.split("=", 1)[0]! : ANY_NAME));
  const values = defined.flatMap(({ kind, value }) =>
    kind === "literal" ? [value.slice(value.indexOf("=") + 1)] : [],
  );
  // The words after the alias are appended to its text, so the text alone does not show what runs.
  return { ...OPAQUE, drafts: values, defines: names };
};

/** `hash -p file name` makes the name run the file. */
const hash: Builtin = (words) => {
  if (!words.some((word) => word.kind !== "literal" || /^-[a-z]*p/.test(word.value))) return undefined;
  const named = words.flatMap((word) => {
    const attached = /^-[a-z]*p(.+)$/s.exec(word.value)?.[1];
    return attached === undefined ? (word.value.startsWith("-") ? [] : [word]) : [{ ...word, value: attached }];
  });
  return { ...scripts([]), commands: named.map((word) => [word]), defines: namesIn(named) };
};

const enable: Builtin = (words) => {
  if (words.length === 0) return undefined;
  return { ...(words.some((word) => /^-[a-z]*f/.test(word.value)) ? OPAQUE : scripts([])), defines: namesIn(words) };
};

/** Completion runs commands and functions, and expands its words. */
const completion: Builtin = (words) => {
  const drafts = words.flatMap(({ kind, value }) => (kind === "literal" ? [value] : []));
  return { ...scripts([]), drafts, evaluates: true, opaque: drafts.length < words.length };
};

const trap: Builtin = (words) => {
  if (/^-[lpP]+$/.test(words[0]?.value ?? "")) return undefined;
  const [action] = operandsOf(words);
  return action === undefined || action.value === "-" ? undefined : scripts([[action]]);
};

const jobs: Builtin = (words) => {
  const at = words.findIndex((word) => word.kind !== "literal" || /^-[a-z]*x/.test(word.value));
  return at < 0 ? undefined : { ...scripts([]), commands: [words.slice(at + 1)] };
};

const evaluator: Builtin = () => ({ ...scripts([]), evaluates: true });

/** Values are only evaluated for integers, references and subscripts. */
const declaration: Builtin = (words) =>
  words.some(({ value }) => /^[-+][a-zA-Z]*[inaA]|^\w+\[/.test(value)) ? evaluator(words, undefined) : undefined;

const printf: Builtin = (words) => (words[0]?.value.startsWith("-v") ? evaluator(words, undefined) : undefined);

/** `-v` evaluates subscripts. */
const test: Builtin = (words) =>
  words.some(({ value }) => /^-[vR]$/.test(value)) ? evaluator(words, undefined) : undefined;

/** In `[[`, numeric comparisons evaluate their operands too. */
const condition: Builtin = (words) =>
  words.some(({ value }) => /^-(?:v|R|eq|ne|lt|le|gt|ge)$/.test(value)) ? evaluator(words, undefined) : undefined;

const BUILTINS: Readonly<Record<string, Builtin>> = {
  ".": source,
  "[": test,
  "[[": condition,
  alias,
  bind: () => OPAQUE,
  compgen: completion,
  complete: completion,
  declare: declaration,
  enable,
  eval: (words) => scripts([operandsOf(words)]),
  export: declaration,
  fc: () => OPAQUE,
  getopts: evaluator,
  hash,
  jobs,
  let: evaluator,
  local: declaration,
  mapfile,
  printf,
  read: evaluator,
  readarray: mapfile,
  readonly: declaration,
  source,
  test,
  trap,
  typeset: declaration,
  unset: evaluator,
  wait: evaluator,
};

/** A path that refers to an open descriptor. */
export function isDescriptor({ value }: Word): boolean {
  return /^(?:-|\/dev\/stdin|\/dev\/fd\/\d+|\/proc\/(?:self|thread-self|\$\$|\d+)\/fd\/\d+)$/.test(value);
}

/** Texts to read as scripts, each made of words; undefined if unknown. */
export function scripts(texts: readonly (readonly Word[])[] | undefined): WrappedProgram {
  const isReadable = (words: readonly Word[]) => words.every((word) => word.kind === "literal");
  const joined = (words: readonly Word[]) => words.map((word) => word.value).join(" ");
  const drafts = texts?.filter((words) => !isReadable(words)) ?? [];
  return {
    commands: [],
    scripts: texts?.filter(isReadable).map(joined) ?? [],
    ...(drafts.length > 0 && { drafts: drafts.map(joined) }),
    transparent: false,
    opaque: texts === undefined || drafts.length > 0,
  };
}

const OPAQUE: WrappedProgram = { commands: [], scripts: [], transparent: false, opaque: true };

/** The values of a one-letter option, attached or in the next word, read as scripts. */
function optionValue(words: readonly Word[], letter: string, valued: string): WrappedProgram {
  const found: Word[][] = [];
  for (let at = 0; at < words.length; at++) {
    const { kind, value } = words[at]!;
    if (kind !== "literal") return { ...scripts(undefined), evaluates: true };
    if (!/^-./.test(value)) break;
    const own = [...value].findIndex((each, index) => index > 0 && valued.includes(each));
    if (own < 0) continue;
    const attached = value.slice(own + 1);
    if (value[own] === letter) found.push(attached === "" ? words.slice(at + 1, at + 2) : [literalOf(attached)]);
    if (attached === "") at++;
  }
  return { ...scripts(found), evaluates: true };
}

const literalOf = (value: string): Word => ({ kind: "literal", value, text: value });

function namesIn(words: readonly Word[]): string[] {
  return words.flatMap(({ kind, value }) => (kind === "literal" ? (value.startsWith("-") ? [] : [value]) : [ANY_NAME]));
}
