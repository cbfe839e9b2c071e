// Analyzes a shell command: finds every simple command in it, and what those would start in turn.
// It only reads; `decide.ts` judges. Loading it loads the parser (25 ms from source), so callers import it late.

import { parse } from "unbash";
import { accountOf, agrees } from "../account/agreement.ts";
import { ANY_NAME } from "../inner/builtins.ts";
import { simpleCommand, type CommandAnalysis, type Enclosure, type SimpleCommand } from "./simple-command.ts";
import { MOST_NODES, visitTree, type ReadingPlace, type CommandReading } from "./syntax-tree.ts";
import { codeInVariable, isExpandedLater, loadsUnknown, sensitiveAssignments } from "./variables.ts";
import type { Word } from "./word.ts";
import { startedBy } from "../inner/wrapper.ts";

export type { Assignment, CommandAnalysis, Redirection, SimpleCommand } from "./simple-command.ts";

const MOST_CHARACTERS = 100_000;
const DEEPEST_SHELL = 6;
const MOST_TEXTS = 50;

/** A program that is only known when the command runs. */
const UNKNOWN: Word = { kind: "unknown", value: "", text: "" };

export function analyseCommand(command: string): CommandAnalysis {
  const commands: SimpleCommand[] = [];
  const reading: CommandReading = { nodes: 0, defined: new Set(), texts: new Set(), evaluates: false, withStarted };
  readScript(command, { within: [], shells: 0, into: commands }, reading);
  if (reading.evaluates) commands.push(...readTexts(reading));
  const named = reading.defined.size > 0 ? commands.map((each) => renamed(each, reading.defined)) : commands;
  const { problem, modern } = reading;
  return { command, commands: named, ...(problem && { problem }), ...(modern && { modern }) };
}

function readScript(source: string, place: Omit<ReadingPlace, "source">, reading: CommandReading): void {
  const account = accountFor(source, place.shells);
  if ("problem" in account) {
    reading.problem ??= account.problem;
    return;
  }
  try {
    const script = parse(source);
    if (script.errors?.length) reading.problem ??= script.errors[0]!.message;
    else if (!agrees(account.facts, script)) reading.problem ??= "part of it could not be read";
    else visitTree(script, { ...place, source }, reading);
    if (account.modern) reading.modern = true;
  } catch {
    // Whatever makes the parser fail, even a stack overflow, must end in a question, not in a crash.
    reading.problem ??= "it could not be parsed";
  }
}

/** The parser only gets text that our own reader, whose work is bounded, has accepted. */
function accountFor(source: string, shells: number): ReturnType<typeof accountOf> {
  if (source.length > MOST_CHARACTERS) return { problem: `it is longer than ${MOST_CHARACTERS} characters` };
  if (shells > DEEPEST_SHELL) return { problem: "shells are nested too deeply" };
  return accountOf(source);
}

/** Reads text that may be an incomplete command. Returns false if it cannot be read; the rest is unaffected. */
function readDraft(source: string, place: Omit<ReadingPlace, "source">, reading: CommandReading): boolean {
  const before = reading.problem;
  const found: SimpleCommand[] = [];
  reading.problem = undefined;
  readScript(source, { ...place, into: found }, reading);
  const readable = reading.problem === undefined;
  if (readable) place.into.push(...found);
  reading.problem = before;
  return readable;
}

/** The substitutions in quoted texts, for a command that may evaluate them. */
function readTexts(reading: CommandReading): SimpleCommand[] {
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
  return [simpleCommand({ runs, words: opaque ? [UNKNOWN] : [] }, { within: ["expansion"] })];
}

/** Marks calls of names the command defines as inside a function, so no rule for a program of that name covers them. */
function renamed(command: SimpleCommand, defined: ReadonlySet<string>): SimpleCommand {
  const runs = command.runs.map((each) => renamed(each, defined));
  const name = command.words[0]?.value ?? "";
  const within: readonly Enclosure[] =
    defined.has(name) || defined.has(ANY_NAME) ? [...command.within, "function"] : command.within;
  return { ...command, runs, within };
}
/** Adds what the command would start. */
function withStarted(command: SimpleCommand, place: ReadingPlace, reading: CommandReading): SimpleCommand {
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
  if (!known) runs.push(simpleCommand({ words: [UNKNOWN] }, { within }));
  if (start?.tooMany) reading.problem ??= "it has too many words behind a wrapper";
  for (const words of start?.commands ?? []) {
    // Every rule is checked for each of these, which costs more than a node of the tree.
    if ((reading.nodes += 25) > MOST_NODES) reading.problem ??= "it has too many parts";
    if (shells > DEEPEST_SHELL) reading.problem ??= "commands are nested too deeply";
    if (reading.problem) break;
    const assignments = sensitiveAssignments(words);
    runs.push(withStarted(simpleCommand({ words, assignments }, place), { ...place, shells }, reading));
  }
  const { transparent = false, opaque = false, code } = start ?? {};
  return { ...command, runs, transparent, opaque, ...(code && { code: true }) };
}
