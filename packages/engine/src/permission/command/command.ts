// What a shell command is made of: every simple command anywhere in it, with words, assignments and redirections.
// It only reads; `decide.ts` judges. Loading it loads the parser (25 ms from source), so callers import it late.

import {
  forEachChild,
  parse,
  type Assignment as ParsedAssignment,
  type Command as ParsedCommand,
  type Redirection as ParsedRedirection,
  type SyntaxNode,
  type TestExpression,
} from "unbash";
import { isTorn, leavesText, standsAlone } from "./command-whole.ts";
import { isReadOnly } from "../read-only/read-only.ts";
import { constantText, literal, wordsOf, type Word } from "./word.ts";
import { startedBy } from "./wrapper.ts";

/** Where a simple command stands, besides lists, pipelines, conditions and loops. */
type Enclosure =
  "substitution" | "subshell" | "group" | "function" | "background" | "coproc" | "time" | "expansion" | "shell";

interface Assignment {
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
const DEEPEST = 1_000;
const DEEPEST_SHELL = 6;
/** The parser's time grows with the square of these. */
const MOST_PARENTHESES = 10_000;
const MOST_BRACES = 4_000;

export function analyseCommand(command: string): CommandAnalysis {
  const reading: Reading = { commands: [], nodes: 0 };
  readScript(command, [], 0, reading);
  return { command, commands: reading.commands, ...(reading.problem && { problem: reading.problem }) };
}

/** True when every part of the command only looks. Says nothing about where it looks. */
export function isReadOnlyCommand(command: string): boolean {
  return isReadOnly(analyseCommand(command));
}

interface Reading {
  commands: SimpleCommand[];
  nodes: number;
  problem?: string;
}

interface Place {
  readonly within: readonly Enclosure[];
  readonly piped?: true;
  readonly source: string;
  readonly depth: number;
  readonly shells: number;
}

function readScript(source: string, within: readonly Enclosure[], shells: number, reading: Reading): void {
  const tooMuch = budgetProblem(source) ?? (shells > DEEPEST_SHELL ? "shells are nested too deeply" : undefined);
  if (tooMuch) {
    reading.problem ??= tooMuch;
    return;
  }
  try {
    visit(parse(source), { within, source, depth: 0, shells }, reading);
  } catch {
    // Whatever the parser stumbles over, the stack's end included, must end in a question, not in a crash.
    reading.problem ??= "it could not be parsed";
  }
}

function budgetProblem(source: string): string | undefined {
  if (source.length > MOST_CHARACTERS) return `it is longer than ${MOST_CHARACTERS} characters`;
  if (source.includes("\0")) return "it contains a null character";
  if (/(?:^|[^\\])(?:\\\\)*\\$/.test(source)) return "it ends in a backslash";
  let parentheses = 0;
  let braces = 0;
  for (let at = 0; at < source.length; at++) {
    const character = source.charCodeAt(at);
    if (character === 40) parentheses++;
    else if (character === 123) braces++;
    else if (character === 32 || character === 10) braces = 0;
    if (parentheses > MOST_PARENTHESES || braces > MOST_BRACES) return "it has too many brackets";
  }
  return undefined;
}

function visit(node: SyntaxNode, place: Place, reading: Reading): void {
  if (reading.problem) return;
  if (++reading.nodes > MOST_NODES || place.depth > DEEPEST) {
    reading.problem = "it has too many parts";
    return;
  }
  const inner = { ...place, depth: place.depth + 1 };
  const inside = (enclosure: Enclosure): Place => ({ ...inner, within: [...place.within, enclosure] });
  const descend = (into: Place) => forEachChild(node, (child) => visit(child, into, reading));
  const add = (part: Partial<SimpleCommand>, at: Place = inner) => reading.commands.push(simple(part, at));

  switch (node.type) {
    case "Script":
      if (node.errors && node.errors.length > 0) reading.problem = node.errors[0]!.message;
      return descend({ ...inner, source: node.source ?? place.source });
    case "Command":
      if (leavesText(node, place.source)) reading.problem = "part of it could not be read";
      reading.commands.push(commandOf(node, inner, reading));
      return descend(inner);
    case "Statement":
      return descend(node.background ? inside("background") : inner);
    case "Pipeline":
      // `! || x` is an error to bash; `!` by itself is of no use to anybody.
      if (node.commands.length === 0) reading.problem = "a command is missing";
      return descend({
        ...(node.prefixes.some((prefix) => prefix.type === "Time") ? inside("time") : inner),
        ...(node.commands.length > 1 && { piped: true }),
      });
    case "Subshell":
      return descend(inside("subshell"));
    case "BraceGroup":
      return descend(inside("group"));
    case "Function":
      return descend(inside("function"));
    case "Coproc":
      return descend(inside("coproc"));
    case "Redirected":
      if (node.redirects.some(isTorn)) reading.problem = "a here-document could not be read";
      add({ redirections: node.redirects.map(redirectionOf) });
      return descend(inner);
    case "For":
    case "Select":
      add({ assignments: [{ name: node.name.value }] });
      return descend(inner);
    case "TestCommand":
      add({ words: [literal("[["), ...testWords(node.expression)] });
      return descend(inner);
    case "CommandExpansion":
      // Read where it stands: all it does is print text that is there to be seen.
      if (constantText(node) !== undefined) return descend(inner);
      if (node.script === undefined) reading.problem = "a substitution could not be read";
      return descend(inside("substitution"));
    case "ProcessSubstitution":
      if (!standsAlone(node, place.source)) reading.problem = "a process substitution is part of a longer word";
      if (node.script === undefined) reading.problem = "a substitution could not be read";
      return descend(inside("substitution"));
    case "ArithmeticCommandExpansion":
      if (node.script === undefined) reading.problem = "a substitution could not be read";
      return descend(inside("substitution"));
    case "ArithmeticExpansion":
    case "ArithmeticCommand":
      // Arithmetic evaluates variables again, subscripts and all: never "only looking".
      if (node.expression === undefined) reading.problem = "an arithmetic expression could not be read";
      add({}, inside("expansion"));
      return descend(inner);
    case "ArithmeticFor":
      add({}, inside("expansion"));
      return descend(inner);
    case "Assignment":
      if (node.index) add({}, inside("expansion"));
      return descend(inner);
    case "ParameterExpansion":
      if (changesThings(node)) add({}, inside("expansion"));
      return descend(inner);
    default:
      return descend(inner);
  }
}

/** `${v:=x}` assigns, `${v@P}` and `${!v}` evaluate, subscripts are arithmetic. */
function changesThings(node: Extract<SyntaxNode, { type: "ParameterExpansion" }>): boolean {
  if (node.prefix === "!" || node.index) return true;
  const operation = node.operation;
  if (operation === undefined) return false;
  if (operation.type === "Default") return operation.operator.endsWith("=");
  return operation.type !== "Remove" && operation.type !== "Replace" && operation.type !== "CaseModification";
}

function simple(part: Partial<SimpleCommand>, place: Place): SimpleCommand {
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
  const words = node.name ? wordsOf(node.name) : [];
  for (const argument of node.args) {
    if (argument.type === "Word") words.push(...wordsOf(argument));
    else words.push(assignmentWord(argument));
    if (words.length > MOST_WORDS) {
      reading.problem = "it has too many words";
      break;
    }
  }
  return started(
    simple(
      {
        words,
        text: textOf(node, place.source),
        assignments: node.prefix.flatMap((part) => (part.type === "Assignment" ? [assignmentOf(part)] : [])),
        redirections: node.redirects.map(redirectionOf),
      },
      place,
    ),
    place,
    reading,
  );
}

/** Adds what the command would start in turn. */
function started(command: SimpleCommand, place: Place, reading: Reading): SimpleCommand {
  const start = startedBy(command);
  if (start === undefined) return command;
  const within: readonly Enclosure[] = [...place.within, "shell"];
  const shells = place.shells + 1;
  const inner: Reading = { commands: [], nodes: reading.nodes, ...(reading.problem && { problem: reading.problem }) };
  for (const script of start.scripts) readScript(script, within, shells, inner);
  if (start.tooMany) inner.problem ??= "it has too many words behind a wrapper";
  for (const words of start.commands) {
    // Each is judged by every rule: dearer than a node of the tree.
    if ((inner.nodes += 25) > MOST_NODES) inner.problem ??= "it has too many parts";
    if (shells > DEEPEST_SHELL) inner.problem ??= "commands are nested too deeply";
    if (inner.problem) break;
    inner.commands.push(started(simple({ words }, { ...place, shells }), { ...place, shells }, inner));
  }
  reading.nodes = inner.nodes;
  if (inner.problem) reading.problem ??= inner.problem;
  return { ...command, runs: inner.commands, transparent: start.transparent, opaque: start.opaque };
}

function textOf(node: ParsedCommand, source: string): string {
  if (node.name === undefined) return "";
  const [first] = wordsOf(node.name);
  let text = first!.kind === "literal" ? first!.value : first!.text;
  let end = node.name.end;
  for (const argument of node.args) {
    const gap = source.slice(end, argument.pos).replaceAll("\\\n", " ").replaceAll("\t", " ");
    // Between quotes a backslash before a newline may be there to stay.
    const written = /["']/.test(argument.text) ? argument.text : argument.text.replaceAll("\\\n", "");
    text += (/^ +$/.test(gap) ? gap : " ") + written;
    end = argument.end;
  }
  return text;
}

function assignmentOf(node: ParsedAssignment): Assignment {
  if (node.value.type !== "Word" || node.index || node.append) return { name: node.name };
  const values = wordsOf(node.value);
  return values.length === 1 ? { name: node.name, value: values[0]! } : { name: node.name };
}

/** `export A=1`: an assignment that is an argument. */
function assignmentWord(node: ParsedAssignment): Word {
  const { value } = assignmentOf(node);
  if (value?.kind !== "literal") return { kind: "unknown", value: node.text, text: node.text };
  return { kind: "literal", value: `${node.name}=${value.value}`, text: node.text };
}

const NOTHING: Word = { kind: "unknown", value: "", text: "" };

function redirectionOf(node: ParsedRedirection): Redirection {
  if (node.type === "HereDoc") {
    const constant = node.delimiter?.quoted === true || node.body.parts?.every((part) => part.type === "Literal");
    const text = node.body.text;
    return { kind: "text", target: { kind: (constant ?? true) ? "literal" : "unknown", value: text, text } };
  }
  const words = node.target ? wordsOf(node.target) : [];
  const target = words.length === 1 ? words[0]! : NOTHING;
  if (node.type === "HereString") return { kind: "text", target };
  const duplicates = node.operator === ">&" || node.operator === "<&";
  if (duplicates && target.kind === "literal" && /^(\d+-?|-)$/.test(target.value)) return { kind: "copy", target };
  return { kind: node.operator === "<" ? "read" : "write", target };
}

function testWords(test: TestExpression): Word[] {
  switch (test.type) {
    case "TestUnary":
      return [literal(test.operator), ...wordsOf(test.operand)];
    case "TestBinary":
      return [...wordsOf(test.left), literal(test.operator), ...wordsOf(test.right)];
    case "TestLogical":
      return test.operands.flatMap(testWords);
    case "TestNot":
      return testWords(test.operand);
    case "TestGroup":
      return testWords(test.expression);
  }
}
