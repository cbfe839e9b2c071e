// Whether a deny or ask rule is about a PowerShell command. It matches in any case, through aliases, and at any word of
// any statement, because a word may be a program that another one starts.

import { wildcard } from "../match/wildcard.ts";
import { hidesCommand, programName, ruleWords, statementsByQuotes, statementsIn } from "./words.ts";

/** maybe: the rule names a program of this command, or the command hides what it runs. */
export type PowerShellReach = "yes" | "maybe" | "no";

/** More words are not compared one by one. */
const MOST_WORDS = 800;

export function powershellReach(command: string): (content: string) => PowerShellReach {
  const statements = [...statementsIn(command), ...statementsByQuotes(command)];
  const isLong = statements.reduce((sum, { words }) => sum + words.length, 0) > MOST_WORDS;
  const starts = isLong ? [] : statements.flatMap(({ words }) => words.map((_, at) => textFrom(words, at)));
  const programs = new Set(statements.flatMap(({ words }) => words.map(programName)));
  const isHidden = isLong || hidesCommand(command);
  const line = command.trim().toLowerCase();
  return (content) => {
    const asked = ruleWords(content);
    const pattern = asked.join(" ");
    if (wildcard(content.trim().toLowerCase(), line) || starts.some((text) => matches(pattern, text))) return "yes";
    const program = asked[0];
    return isHidden || program === undefined || program.includes("*") || programs.has(program) ? "maybe" : "no";
  };
}

const textFrom = (words: readonly string[], at: number) => [programName(words[at]!), ...words.slice(at + 1)].join(" ");

/** A rule that ends with a star also matches the command without arguments. */
function matches(pattern: string, text: string): boolean {
  return wildcard(pattern, text) || (pattern.endsWith(" *") && wildcard(pattern.slice(0, -2), text));
}
