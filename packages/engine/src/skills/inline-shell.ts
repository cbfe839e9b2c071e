// Commands inside the text of a skill: !`git status`, and blocks fenced with ```!. Their output replaces them.

export interface InlineCommand {
  /** The range that the output replaces. */
  readonly start: number;
  readonly end: number;
  readonly command: string;
}

const MOST = 50;
const FENCE = /^[ \t]*```![^\n]*\n([\s\S]*?)\n?^[ \t]*```[ \t]*$/gm;
const INLINE = /(?<=^|\s)!`([^`\n]+)`/gm;

/** In the order they stand in the text. Inline ones also count inside ordinary code blocks. */
export function inlineCommands(text: string): readonly InlineCommand[] {
  const blocks = [...text.matchAll(FENCE)].map((match) => rangeOf(match));
  const inBlock = ({ start }: InlineCommand) => blocks.some((block) => start >= block.start && start < block.end);
  const inline = [...text.matchAll(INLINE)].map((match) => rangeOf(match)).filter((each) => !inBlock(each));
  const all = [...blocks, ...inline].filter(({ command }) => command.trim() !== "");
  return all.toSorted((a, b) => a.start - b.start).slice(0, MOST);
}

function rangeOf(match: RegExpExecArray): InlineCommand {
  return { start: match.index, end: match.index + match[0].length, command: match[1]!.trim() };
}
