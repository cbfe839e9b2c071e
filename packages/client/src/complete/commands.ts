// Completion of slash commands: which match what was typed, best first.

import { fuzzyScore } from "./fuzzy.ts";

export interface CommandItem {
  /** Without the slash. */
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly description: string;
  readonly argumentHint?: string;
}

/** A name that starts with the query comes before one that contains it, then aliases, then descriptions. */
export function matchCommands(query: string, commands: readonly CommandItem[]): CommandItem[] {
  if (query === "") return commands.toSorted((a, b) => rankOf(a) - rankOf(b));
  const scored = commands.flatMap((command) => {
    const score = scoreCommand(query.toLowerCase(), command);
    return score === undefined ? [] : { command, score };
  });
  return scored
    .sort((a, b) => b.score - a.score || a.command.name.length - b.command.name.length)
    .map(({ command }) => command);
}

/** Looked for most, in the order they are shown in when nothing is typed yet. The others keep theirs. */
const COMMON =
  "help model config clear compact resume rewind permissions memory context usage tasks diff mcp agents init review status login export".split(
    " ",
  );

function rankOf({ name }: CommandItem): number {
  const at = COMMON.indexOf(name);
  return at < 0 ? COMMON.length : at;
}

/** The command of this name or alias. */
export function commandNamed(name: string, commands: readonly CommandItem[]): CommandItem | undefined {
  return (
    commands.find((command) => command.name === name) ?? commands.find((command) => command.aliases?.includes(name))
  );
}

/** Whether a name of the command, or a word in one, starts with the query: `/rev` for `/security-review`. */
export function startsWord(query: string, { name, aliases = [] }: CommandItem): boolean {
  const typed = query.toLowerCase();
  return [name, ...aliases].some((each) => {
    const lower = each.toLowerCase();
    return lower.startsWith(typed) || ["-", ":", "_"].some((mark) => lower.includes(mark + typed));
  });
}

function scoreCommand(query: string, { name, aliases = [], description }: CommandItem): number | undefined {
  const names = Math.max(scoreName(query, name), ...aliases.map((alias) => scoreName(query, alias) - 1));
  if (names > 0) return names;
  // Words of the description only as they are: letters in order match almost any sentence.
  return query.length > 1 && description.toLowerCase().includes(query) ? 1 : undefined;
}

function scoreName(query: string, name: string): number {
  const lower = name.toLowerCase();
  if (lower === query) return 1_000_000;
  if (lower.startsWith(query)) return 100_000;
  const score = fuzzyScore(query, name);
  return score === undefined ? 0 : 10_000 + score;
}
