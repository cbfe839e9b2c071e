// Compares the parser's tree with our own strict reading. The parser is forgiving: it turns what it cannot read into
// plain words, where a command could hide. Both must find the same constructs, or the command is not trusted.

import {
  forEachChild,
  type Assignment,
  type Redirection,
  type Script,
  type SyntaxNode,
  type TestExpression,
} from "unbash";
import { readAccount, type Account } from "./read-script.ts";
import { UnreadError } from "./reader.ts";

/** Our own reading, or why it failed. Call it before the parser. */
export function accountOf(source: string): Account | { problem: string } {
  try {
    return readAccount(source);
  } catch (error) {
    if (error instanceof UnreadError) return { problem: error.message };
    throw error;
  }
}

/** True when both found the same constructs, each the same number of times. */
export function agrees(facts: readonly string[], script: Script): boolean {
  const seen: string[] = [];
  collect(script, seen);
  if (seen.length !== facts.length) return false;
  const sorted = facts.toSorted();
  return seen.sort().every((fact, at) => fact === sorted[at]);
}

/** Constructs that are only counted. */
const MARKERS: Partial<Record<SyntaxNode["type"], string>> = {
  ArithmeticFor: "for",
  BraceGroup: "{",
  Case: "case",
  Coproc: "coproc",
  For: "for",
  Function: "function",
  If: "if",
  Negation: "!",
  Select: "select",
  Subshell: "(",
  TestCommand: "[[",
  Time: "time",
};

function collect(node: SyntaxNode, seen: string[]): void {
  const note = (kind: string, ...texts: readonly string[]) => seen.push([kind, ...texts].join("\0"));
  const marker = MARKERS[node.type];
  if (marker !== undefined) note(marker);
  switch (node.type) {
    case "Statement":
      if (node.background) note("background");
      break;
    case "Pipeline":
      if (node.commands.length > 1) note("pipeline", String(node.commands.length));
      break;
    case "Command":
      note("command", ...[...node.prefix, ...(node.name ? [node.name] : []), ...node.suffix].map(partText));
      break;
    case "Redirected":
      note("redirected", ...node.redirects.map(partText));
      break;
    case "HereDocBody":
      note("here-document", node.text);
      break;
    case "CommandExpansion":
    case "ProcessSubstitution":
    case "ArithmeticCommandExpansion":
      note("substitution", node.text);
      break;
    case "ParameterExpansion":
      note("parameter", node.text);
      break;
    case "ArithmeticExpansion":
      note("arithmetic", node.text);
      break;
    case "ArithmeticCommand":
      note("((", node.body);
      break;
    case "While":
      note(node.kind);
      break;
    case "For":
    case "Select":
      note("loop", node.name.text, ...(node.wordlist ?? []).map(({ text }) => text));
      break;
    case "Case":
      note("subject", node.word.text);
      break;
    case "CaseItem":
      note("patterns", ...node.pattern.map(({ text }) => text));
      break;
    case "TestCommand":
      note("test", ...testTexts(node.expression));
      return testOperands(node.expression, (word) => collect(word, seen));
    case "Function":
      note("name", node.name.text);
      break;
    case "Coproc":
      note("coprocess", node.name?.text ?? "");
      break;
    case "ArrayValue":
      for (const element of node.elements) note("element", element.text);
      break;
  }
  forEachChild(node, (child) => collect(child, seen));
}

type Part = Assignment | Redirection | Extract<SyntaxNode, { type: "Word" }>;

function partText(part: Part): string {
  if (part.type === "Word" || part.type === "Assignment") return part.text;
  const { descriptor } = part;
  const before =
    descriptor === undefined ? "" : descriptor.type === "FileDescriptor" ? descriptor.value : `{${descriptor.name}}`;
  return before + part.operator + (part.type === "HereDoc" ? (part.delimiter?.text ?? "") : (part.target?.text ?? ""));
}

function testTexts(test: TestExpression): string[] {
  switch (test.type) {
    case "TestUnary":
      // `[[ x ]]` is read as `[[ -n x ]]`.
      return test.pos === test.operand.pos ? [test.operand.text] : [test.operator, test.operand.text];
    case "TestBinary":
      return [test.left.text, test.operator, test.right.text];
    case "TestLogical":
      return test.operands.flatMap(testTexts);
    case "TestNot":
      return testTexts(test.operand);
    case "TestGroup":
      return testTexts(test.expression);
  }
}

/** Skips negations: those of a pipeline are noted, those in a test are not. */
function testOperands(test: TestExpression, visit: (word: SyntaxNode) => void): void {
  forEachChild(test, (child) => {
    if (child.type === "Word") visit(child);
    else if (child.type.startsWith("Test")) testOperands(child as TestExpression, visit);
  });
}
