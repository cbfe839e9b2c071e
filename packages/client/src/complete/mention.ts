// The `@` word at the cursor, and what a chosen entry makes of it.

/** What can be named besides files: agents, resources of MCP servers. */
export interface MentionItem {
  /** What is written after the `@`. */
  readonly value: string;
  readonly description?: string;
}

export interface MentionWord {
  /** Where the `@` is. */
  readonly start: number;
  readonly query: string;
}

/** Longer words are no names. */
const LONGEST = 512;

/** The word at the cursor, if it starts with `@` at the start of a word. */
export function mentionAt(line: string, offset: number): MentionWord | undefined {
  const from = Math.max(0, offset - LONGEST);
  const before = line.slice(from, offset);
  const match = /(?:^|[\s([{,;])@(?:"([^"]*)|([^\s"]*))$/.exec(before);
  if (!match) return undefined;
  const at = from + match.index + match[0].indexOf("@");
  return { start: at, query: match[1] ?? match[2] ?? "" };
}

/** What replaces the word. A folder stays open, so that the next names are completed in it. */
export function mentionText(value: string): { text: string; open: boolean } {
  const open = value.endsWith("/");
  if (!/[\s"]/.test(value)) return { text: open ? `@${value}` : `@${value} `, open };
  return { text: open ? `@"${value}` : `@"${value}" `, open };
}
