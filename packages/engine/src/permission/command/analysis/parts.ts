// Converts the parser's commands to words, assignments and redirections.

import type {
  Assignment as ParsedAssignment,
  Command as ParsedCommand,
  Redirection as ParsedRedirection,
  TestExpression,
} from "unbash";
import type { Assignment, Redirection } from "./command.ts";
import { literal, withoutNumbers, wordsOf, type Word } from "./word.ts";

/** As written, without assignments and redirections, and with the program's name unquoted. */
export function commandText(node: ParsedCommand, source: string): string {
  if (node.name === undefined) return "";
  const [first] = wordsOf(node.name.text);
  let text = first!.kind === "literal" ? first!.value : first!.text;
  let end = node.name.end;
  for (const argument of node.args) {
    const gap = source.slice(end, argument.pos).replaceAll("\\\n", " ").replaceAll("\t", " ");
    // Between quotes, a backslash before a newline may be literal.
    const written = /["']/.test(argument.text) ? argument.text : argument.text.replaceAll("\\\n", "");
    text += (/^ +$/.test(gap) ? gap : " ") + written;
    end = argument.end;
  }
  return text;
}

export function assignmentOf(node: ParsedAssignment): Assignment {
  if (node.value.type !== "Word" || node.index || node.append) return { name: node.name };
  const values = wordsOf(node.text.slice(node.name.length + 1));
  return values.length === 1 ? { name: node.name, value: values[0]! } : { name: node.name };
}

/** `{fd}>file` stores the number of a descriptor in a variable. */
export function assignedDescriptors(redirects: readonly ParsedRedirection[]): Assignment[] {
  return redirects.flatMap(({ descriptor }) =>
    descriptor?.type === "FileDescriptorVariable" ? [{ name: descriptor.name }] : [],
  );
}

/** `export A=1`: an assignment that is an argument. */
export function assignmentWord(node: ParsedAssignment): Word {
  const { value } = assignmentOf(node);
  if (value?.kind !== "literal") return { kind: "unknown", value: node.text, text: node.text };
  return { kind: "literal", value: `${node.name}=${value.value}`, text: node.text };
}

const NOTHING: Word = { kind: "unknown", value: "", text: "" };

export function redirectionOf(node: ParsedRedirection): Redirection {
  if (node.type === "HereDoc") {
    const constant = node.delimiter?.quoted === true || !/[$`\\]/.test(node.body.text);
    const text = node.operator === "<<-" ? node.body.text.replace(/^\t+/gm, "") : node.body.text;
    return { kind: "text", target: { kind: constant ? "literal" : "unknown", value: text, text } };
  }
  const words = node.target ? wordsOf(node.target.text) : [];
  const target = words.length === 1 ? words[0]! : NOTHING;
  if (node.type === "HereString") return { kind: "text", target };
  if (target.numbers) return { kind: node.operator === "<" ? "read" : "write", target: withoutNumbers(target) };
  const duplicates = node.operator === ">&" || node.operator === "<&";
  if (duplicates && target.kind === "literal" && /^(\d+-?|-)$/.test(target.value)) return { kind: "copy", target };
  return { kind: node.operator === "<" ? "read" : "write", target };
}

/** Bash expands the value of a variable after `>&` a second time. */
export function isExpandedTwice(node: ParsedRedirection): boolean {
  return node.type === "Redirect" && /^[<>]&$/.test(node.operator) && (node.target?.text.includes("$") ?? false);
}

export function testWords(test: TestExpression): Word[] {
  switch (test.type) {
    case "TestUnary":
      return [literal(test.operator), ...wordsOf(test.operand.text)];
    case "TestBinary":
      return [...wordsOf(test.left.text), literal(test.operator), ...wordsOf(test.right.text)];
    case "TestLogical":
      return test.operands.flatMap(testWords);
    case "TestNot":
      return testWords(test.operand);
    case "TestGroup":
      return testWords(test.expression);
  }
}
