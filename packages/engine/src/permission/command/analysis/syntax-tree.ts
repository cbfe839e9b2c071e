// Walks the parser's tree and collects every simple command in it, with words, assignments and redirections.

import { forEachChild, type Command as ParsedCommand, type SyntaxNode } from "unbash";
import { piecesOf } from "../account/pieces.ts";
import { constantText } from "../account/quoted-text.ts";
import { isConstant, onlyReads } from "../account/read-expansion.ts";
import {
  assignedDescriptors,
  assignmentOf,
  assignmentWord,
  commandText,
  isExpandedTwice,
  redirectionOf,
  testWords,
} from "./parts.ts";
import { knownOutput, onlyPrints } from "../inner/printed.ts";
import { simpleCommand, type Enclosure, type Redirection, type SimpleCommand } from "./simple-command.ts";
import { sensitiveAssignments } from "./variables.ts";
import { literal, withoutNumbers, wordsOf, type Word } from "./word.ts";

export const MOST_NODES = 50_000;
const MOST_WORDS = 2_000;
/** A substitution in quoted text. */
const HIDDEN = /\$[({[]|`|[<>]\(/;

export interface CommandReading {
  nodes: number;
  problem?: string | undefined;
  modern?: true;
  /** Names that the command defines as functions and aliases, so they no longer run the program of that name. */
  readonly defined: Set<string>;
  /** Quoted texts with substitutions. They are data unless something evaluates them. */
  readonly texts: Set<string>;
  /** Whether something does: arithmetic, `${x@P}`, a builtin that takes subscripts. */
  evaluates: boolean;
  /** Adds to a command what it would start. */
  readonly withStarted: (command: SimpleCommand, place: ReadingPlace, reading: CommandReading) => SimpleCommand;
}

export interface ReadingPlace {
  readonly source: string;
  readonly within: readonly Enclosure[];
  readonly piped?: true;
  readonly repeated?: true;
  /** In a command that only prints its words. */
  readonly printing?: true;
  /** The texts the command reads from its input; undefined if unknown. */
  readonly input?: readonly Word[] | undefined;
  readonly shells: number;
  /** The list to add commands to. */
  readonly into: SimpleCommand[];
}

export function visitTree(node: SyntaxNode, place: ReadingPlace, reading: CommandReading): void {
  if (reading.problem) return;
  if (++reading.nodes > MOST_NODES) {
    reading.problem = "it has too many parts";
    return;
  }
  const inner: ReadingPlace = { ...place, input: undefined };
  const inside = (enclosure: Enclosure): ReadingPlace => {
    const { printing: _, ...rest } = inner;
    return { ...rest, within: [...place.within, enclosure] };
  };
  const descend = (into: ReadingPlace) => forEachChild(node, (child) => visitTree(child, into, reading));
  const add = (part: Partial<SimpleCommand>, at: ReadingPlace = inner) => place.into.push(simpleCommand(part, at));
  const evaluate = () => {
    reading.evaluates = true;
    add({}, inside("expansion"));
  };

  switch (node.type) {
    case "Script":
      return descend({ ...inner, source: node.source ?? place.source });
    case "Command":
      place.into.push(commandOf(node, place, reading));
      return descend({ ...inner, ...(onlyPrints(node.name?.value ?? "") && { printing: true }) });
    case "Statement":
      return descend(node.background ? inside("background") : inner);
    case "Pipeline": {
      const at = node.prefixes.some((prefix) => prefix.type === "Time") ? inside("time") : inner;
      if (node.commands.length < 2) return descend(at);
      for (const [index, command] of node.commands.entries()) {
        visitTree(
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
      return descend({ ...inner, repeated: true });
    case "While":
      return descend({ ...inner, repeated: true });
    case "TestCommand":
      place.into.push(
        reading.withStarted(
          simpleCommand({ words: [literal("[["), ...testWords(node.expression)] }, inner),
          inner,
          reading,
        ),
      );
      return descend(inner);
    case "CommandExpansion":
      // It only prints constant text, so it does not count as a substitution.
      if (constantText(node.text) !== undefined) return descend(inner);
      return descend(inside(place.printing ? "printed" : "substitution"));
    case "ProcessSubstitution":
    case "ArithmeticCommandExpansion":
      return descend(inside("substitution"));
    case "ArithmeticExpansion":
      if (isConstant(node.text)) return;
      evaluate();
      return descend(inner);
    case "ArithmeticCommand":
    case "ArithmeticFor":
      // Arithmetic evaluates variables again, including subscripts, so it is never read-only.
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

/** Collects quoted substitutions: they run if something evaluates the text. */
function keepText(source: string, reading: CommandReading): void {
  if (!/['"\\]/.test(source)) return;
  for (const piece of piecesOf(source) ?? []) {
    const fixed = piece.type === "text" ? piece.value : (piece.fixed ?? "");
    if (HIDDEN.test(fixed)) reading.texts.add(fixed);
  }
}

function commandOf(node: ParsedCommand, place: ReadingPlace, reading: CommandReading): SimpleCommand {
  const words = node.name ? wordsOf(node.name.text).map(withoutNumbers) : [];
  for (const argument of node.args) {
    if (argument.type === "Word") words.push(...argumentWords(argument.text, words));
    else words.push(assignmentWord(argument));
    if (words.length > MOST_WORDS) {
      reading.problem = "it has too many words";
      break;
    }
  }
  const assigned = node.prefix.flatMap((part) => (part.type === "Assignment" ? [assignmentOf(part)] : []));
  const redirections = node.redirects.map(redirectionOf);
  const assignments = [...assigned, ...assignedDescriptors(node.redirects), ...sensitiveAssignments(words)];
  const text = commandText(node, place.source);
  const input = place.input && { input: place.input };
  const command = simpleCommand({ words, text, assignments, redirections, ...input }, place);
  return reading.withStarted(command, { ...place, input: inputOf(node, redirections, place.input) }, reading);
}

/** One argument, after the words before it. A number may be the name of a file, except where it cannot. */
function argumentWords(source: string, before: readonly Word[]): Word[] {
  const words = wordsOf(source);
  const program = before[0]?.value ?? "";
  const isCount = /^(head|tail)$/.test(program) && /^-[cn]$/.test(before.at(-1)!.value) && !hasEnd(before);
  return isCount || onlyPrints(program) || /^(\[|test)$/.test(program) ? words : words.map(withoutNumbers);
}

const hasEnd = (words: readonly Word[]) => words.some(({ value }) => value === "--");

/** A here-document or here-string, or else what is piped in. */
function inputOf(
  { redirects }: ParsedCommand,
  redirections: readonly Redirection[],
  piped: readonly Word[] | undefined,
): readonly Word[] | undefined {
  if (redirects.some(({ operator }) => operator === "<" || operator === "<&" || operator === "<>")) return undefined;
  const texts = redirections.flatMap(({ kind, target }) => (kind === "text" ? [target] : []));
  return texts.length > 0 ? texts : piped;
}
