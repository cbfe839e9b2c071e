// What a shell command is made of: every simple command anywhere in it, with words, assignments and redirections.
// It only reads; `decide.ts` judges. Loading it loads the parser (25 ms from source), so callers import it late.

import { forEachChild, parse, type Command as ParsedCommand, type SyntaxNode } from "unbash";
import { accountOf, agrees } from "./account/agreement.ts";
import { piecesOf } from "./account/pieces.ts";
import { constantText } from "./account/quoted-text.ts";
import { onlyReads } from "./account/read-expansion.ts";
import { ANY_NAME } from "./builtins.ts";
import { knownOutput } from "./printed.ts";
import {
  assignedDescriptors,
  assignmentOf,
  assignmentWord,
  isExpandedTwice,
  redirectionOf,
  testWords,
  commandText,
} from "./parts.ts";
import { isReadOnly } from "../read-only/read-only.ts";
import { codeInVariable, isExpandedLater, loadsUnknown, sensitiveAssignments } from "./variables.ts";
import { literal, wordsOf, type Word } from "./word.ts";
import { startedBy } from "./wrapper.ts";

/** Where a simple command stands, besides lists, pipelines, conditions and loops. */
type Enclosure =
  "substitution" | "subshell" | "group" | "function" | "background" | "coproc" | "time" | "expansion" | "shell";

export interface Assignment {
  readonly name: string;
  /** Absent for arrays, subscripts and appends. */
  readonly value?: Word;
}

export interface Redirection {
  /** copy: another descriptor. text: a here-document or here-string, in `target` when it is constant. */
  readonly kind: "read" | "write" | "copy" | "text";
  readonly target: Word;
}

export interface SimpleCommand {
  /** The program first. Empty for a bare assignment or redirection. */
  readonly words: readonly Word[];
  /** As written, without assignments and redirections, the program's name de-quoted: what allow rules see. */
  readonly text: string;
  readonly assignments: readonly Assignment[];
  readonly redirections: readonly Redirection[];
  readonly within: readonly Enclosure[];
  /** Stands in a pipeline. Decides nothing; for those who explain. */
  readonly piped?: true;
  /** What this one would start: behind `sudo`, in `bash -c`, after `find -exec`. */
  readonly runs: readonly SimpleCommand[];
  /** The wrapper changes nothing about what it starts, so that an allow rule for the inner command may speak. */
  readonly transparent: boolean;
  /** Starts something that cannot be read from the text, as `bash -c "$x"` does. */
  readonly opaque: boolean;
  /** A builtin that was given code, as `trap 'rm x' EXIT` is. */
  readonly code?: true;
}

export interface CommandAnalysis {
  readonly command: string;
  readonly commands: readonly SimpleCommand[];
  /** Set when the command could not be read whole. `commands` is then not to be trusted. */
  readonly problem?: string;
}

const MOST_CHARACTERS = 100_000;
const MOST_NODES = 50_000;
const MOST_WORDS = 2_000;
const DEEPEST_SHELL = 6;
const MOST_TEXTS = 50;
/** A substitution, in text that was quoted. */
const HIDDEN = /\$[({[]|`|[<>]\(/;

/** A program that only running the command would tell. */
const UNKNOWN: Word = { kind: "unknown", value: "", text: "" };

export function analyseCommand(command: string): CommandAnalysis {
  const commands: SimpleCommand[] = [];
  const reading: Reading = { nodes: 0, defined: new Set(), texts: new Set(), evaluates: false };
  readScript(command, { within: [], shells: 0, into: commands }, reading);
  if (reading.evaluates) commands.push(...readTexts(reading));
  const named = reading.defined.size > 0 ? commands.map((each) => renamed(each, reading.defined)) : commands;
  return { command, commands: named, ...(reading.problem && { problem: reading.problem }) };
}

/** True when every part of the command only looks. Says nothing about where it looks. */
export function isReadOnlyCommand(command: string): boolean {
  return isReadOnly(analyseCommand(command));
}

interface Reading {
  nodes: number;
  problem?: string | undefined;
  /** Names the command gives to functions and aliases, which are then not the programs of that name. */
  readonly defined: Set<string>;
  /** Quoted texts with substitutions in them. They are data unless something evaluates them. */
  readonly texts: Set<string>;
  /** Set when something does: arithmetic, `${x@P}`, a builtin that takes subscripts. */
  evaluates: boolean;
}

interface Place {
  readonly source: string;
  readonly within: readonly Enclosure[];
  readonly piped?: true;
  /** The texts the command reads from its input; undefined when unknown. */
  readonly input?: readonly Word[] | undefined;
  readonly shells: number;
  /** The list to add commands to. */
  readonly into: SimpleCommand[];
}

function readScript(source: string, place: Omit<Place, "source">, reading: Reading): void {
  const account = accountFor(source, place.shells);
  if ("problem" in account) {
    reading.problem ??= account.problem;
    return;
  }
  try {
    const script = parse(source);
    if (script.errors?.length) reading.problem ??= script.errors[0]!.message;
    else if (!agrees(account.facts, script)) reading.problem ??= "part of it could not be read";
    else visit(script, { ...place, source }, reading);
  } catch {
    // Whatever the parser stumbles over, the stack's end included, must end in a question, not in a crash.
    reading.problem ??= "it could not be parsed";
  }
}

/** The parser sees only what our own reader, whose work is bounded by the length of the text, has accepted. */
function accountFor(source: string, shells: number): ReturnType<typeof accountOf> {
  if (source.length > MOST_CHARACTERS) return { problem: `it is longer than ${MOST_CHARACTERS} characters` };
  if (shells > DEEPEST_SHELL) return { problem: "shells are nested too deeply" };
  return accountOf(source);
}

/** Reads text that may not be a complete command. Returns false when it cannot be read, which is no problem for the rest. */
function readDraft(source: string, place: Omit<Place, "source">, reading: Reading): boolean {
  const before = reading.problem;
  const found: SimpleCommand[] = [];
  reading.problem = undefined;
  readScript(source, { ...place, into: found }, reading);
  const readable = reading.problem === undefined;
  if (readable) place.into.push(...found);
  reading.problem = before;
  return readable;
}

/** The substitutions in quoted texts, when the command may evaluate them. */
function readTexts(reading: Reading): SimpleCommand[] {
  const texts = [...reading.texts];
  if (texts.length === 0) return [];
  const runs: SimpleCommand[] = [];
  const read = texts.slice(0, MOST_TEXTS).map((text) => {
    let delimiter = "END";
    while (text.includes(delimiter)) delimiter += "_";
    const template = `: <<${delimiter}\n${text}\n${delimiter}`;
    return readDraft(template, { within: ["expansion"], shells: 1, into: runs }, reading);
  });
  const opaque = read.includes(false) || texts.length > MOST_TEXTS || texts.some((text) => /[<>]\(/.test(text));
  return [simple({ runs, words: opaque ? [UNKNOWN] : [] }, { within: ["expansion"] })];
}

/** Marks calls of names the command defines as inside a function, so that no rule for a program of that name covers them. */
function renamed(command: SimpleCommand, defined: ReadonlySet<string>): SimpleCommand {
  const runs = command.runs.map((each) => renamed(each, defined));
  const name = command.words[0]?.value ?? "";
  const within: readonly Enclosure[] =
    defined.has(name) || defined.has(ANY_NAME) ? [...command.within, "function"] : command.within;
  return { ...command, runs, within };
}

function visit(node: SyntaxNode, place: Place, reading: Reading): void {
  if (reading.problem) return;
  if (++reading.nodes > MOST_NODES) {
    reading.problem = "it has too many parts";
    return;
  }
  const inner: Place = { ...place, input: undefined };
  const inside = (enclosure: Enclosure): Place => ({ ...inner, within: [...place.within, enclosure] });
  const descend = (into: Place) => forEachChild(node, (child) => visit(child, into, reading));
  const add = (part: Partial<SimpleCommand>, at: Place = inner) => place.into.push(simple(part, at));
  const evaluate = () => {
    reading.evaluates = true;
    add({}, inside("expansion"));
  };

  switch (node.type) {
    case "Script":
      return descend({ ...inner, source: node.source ?? place.source });
    case "Command":
      place.into.push(commandOf(node, place, reading));
      return descend(inner);
    case "Statement":
      return descend(node.background ? inside("background") : inner);
    case "Pipeline": {
      const at = node.prefixes.some((prefix) => prefix.type === "Time") ? inside("time") : inner;
      if (node.commands.length < 2) return descend(at);
      for (const [index, command] of node.commands.entries()) {
        visit(
          command,
          { ...at, piped: true, input: index > 0 ? knownOutput(node.commands[index - 1]!) : undefined },
          reading,
        );
      }
      return;
    }
    case "Subshell":
      return descend(inside("subshell"));
    case "BraceGroup":
      return descend(inside("group"));
    case "Function":
      reading.defined.add(node.name.text);
      return descend(inside("function"));
    case "Coproc":
      return descend(inside("coproc"));
    case "Redirected":
      add({ redirections: node.redirects.map(redirectionOf), assignments: assignedDescriptors(node.redirects) });
      return descend(inner);
    case "Redirect":
      if (isExpandedTwice(node)) evaluate();
      return descend(inner);
    case "For":
    case "Select":
      add({ assignments: [{ name: node.name.value }] });
      return descend(inner);
    case "TestCommand":
      place.into.push(
        started(simple({ words: [literal("[["), ...testWords(node.expression)] }, inner), inner, reading),
      );
      return descend(inner);
    case "CommandExpansion":
      // Read where it stands: all it does is print text that is there to be seen.
      return descend(constantText(node.text) === undefined ? inside("substitution") : inner);
    case "ProcessSubstitution":
    case "ArithmeticCommandExpansion":
      return descend(inside("substitution"));
    case "ArithmeticExpansion":
    case "ArithmeticCommand":
    case "ArithmeticFor":
      // Arithmetic evaluates variables again, subscripts and all: never "only looking".
      evaluate();
      return descend(inner);
    case "Assignment":
      if (node.index) evaluate();
      return descend(inner);
    case "ParameterExpansion":
      if (!onlyReads(node.text)) evaluate();
      return descend(inner);
    case "Word":
      keepText(node.text, reading);
      return descend(inner);
    case "HereDocBody":
      if (HIDDEN.test(node.text)) reading.texts.add(node.text.replaceAll("\\", ""));
      return descend(inner);
    default:
      return descend(inner);
  }
}

/** Remembers quoted substitutions: they run if something evaluates the text. */
function keepText(source: string, reading: Reading): void {
  if (!/['"\\]/.test(source)) return;
  for (const piece of piecesOf(source) ?? []) {
    const fixed = piece.type === "text" ? piece.value : (piece.fixed ?? "");
    if (HIDDEN.test(fixed)) reading.texts.add(fixed);
  }
}

function simple(part: Partial<SimpleCommand>, place: Pick<Place, "within" | "piped">): SimpleCommand {
  const words = part.words ?? [];
  return {
    words,
    text: words.map((word) => word.text).join(" "),
    assignments: [],
    redirections: [],
    within: place.within,
    ...(place.piped && { piped: true }),
    runs: [],
    transparent: false,
    opaque: false,
    ...part,
  };
}

function commandOf(node: ParsedCommand, place: Place, reading: Reading): SimpleCommand {
  const words = node.name ? wordsOf(node.name.text) : [];
  for (const argument of node.args) {
    if (argument.type === "Word") words.push(...wordsOf(argument.text));
    else words.push(assignmentWord(argument));
    if (words.length > MOST_WORDS) {
      reading.problem = "it has too many words";
      break;
    }
  }
  const assigned = node.prefix.flatMap((part) => (part.type === "Assignment" ? [assignmentOf(part)] : []));
  const redirections = node.redirects.map(redirectionOf);
  const assignments = [...assigned, ...assignedDescriptors(node.redirects), ...sensitiveAssignments(words)];
  const command = simple({ words, text: commandText(node, place.source), assignments, redirections }, place);
  return started(command, { ...place, input: inputOf(node, redirections, place.input) }, reading);
}

/** A here-document or here-string, else what is piped in. */
function inputOf(
  { redirects }: ParsedCommand,
  redirections: readonly Redirection[],
  piped: readonly Word[] | undefined,
): readonly Word[] | undefined {
  if (redirects.some(({ operator }) => operator === "<" || operator === "<&" || operator === "<>")) return undefined;
  const texts = redirections.flatMap(({ kind, target }) => (kind === "text" ? [target] : []));
  return texts.length > 0 ? texts : piped;
}

/** Adds what the command would start in turn. */
function started(command: SimpleCommand, place: Place, reading: Reading): SimpleCommand {
  const start = startedBy(command, place.input);
  if (command.assignments.some(isExpandedLater) || start?.evaluates) reading.evaluates = true;
  for (const name of start?.defines ?? []) reading.defined.add(name);
  const handed = command.assignments.flatMap((assignment) => codeInVariable(assignment) ?? []);
  const loads = command.assignments.some(loadsUnknown);
  if (start === undefined && handed.length === 0 && !loads) return command;

  const runs: SimpleCommand[] = [];
  const shells = place.shells + 1;
  const within: readonly Enclosure[] = [...place.within, "shell"];
  for (const script of start?.scripts ?? []) readScript(script, { within, shells, into: runs }, reading);
  for (const draft of start?.drafts ?? []) readDraft(draft, { within, shells, into: runs }, reading);
  const known = handed.every((text) => readDraft(text, { within, shells, into: runs }, reading)) && !loads;
  if (!known) runs.push(simple({ words: [UNKNOWN] }, { within }));
  if (start?.tooMany) reading.problem ??= "it has too many words behind a wrapper";
  for (const words of start?.commands ?? []) {
    // Each is judged by every rule: dearer than a node of the tree.
    if ((reading.nodes += 25) > MOST_NODES) reading.problem ??= "it has too many parts";
    if (shells > DEEPEST_SHELL) reading.problem ??= "commands are nested too deeply";
    if (reading.problem) break;
    const assignments = sensitiveAssignments(words);
    runs.push(started(simple({ words, assignments }, place), { ...place, shells }, reading));
  }
  const { transparent = false, opaque = false, code } = start ?? {};
  return { ...command, runs, transparent, opaque, ...(code && { code: true }) };
}
