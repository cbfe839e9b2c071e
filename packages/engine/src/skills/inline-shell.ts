// Commands inside the text of a skill: !`git status`, and blocks fenced with ```!. Their output replaces them.

export interface InlineCommand {
  /** The range that the output replaces. */
  readonly start: number;
  readonly end: number;
  readonly command: string;
}

const MOST = 50;

/** In the order they stand in the text. Inline ones also count inside ordinary code blocks. */
export function inlineCommands(text: string): readonly InlineCommand[] {
  const blocks = fencedCommands(text);
  const all = [...blocks, ...commandsBetween(text, blocks)].filter(({ command }) => command !== "");
  return all.toSorted((a, b) => a.start - b.start).slice(0, MOST);
}

/** Two searches instead of one pattern: a text full of fences that are never closed must not take long. */
function fencedCommands(text: string): readonly InlineCommand[] {
  const opening = /^[ \t]*```![^\n]*\n/gm;
  const closing = /^[ \t]*```[ \t]*$/gm;
  const found: InlineCommand[] = [];
  for (let open = opening.exec(text); open && found.length < MOST; open = opening.exec(text)) {
    closing.lastIndex = opening.lastIndex;
    const close = closing.exec(text);
    if (!close) break;
    const command = text.slice(opening.lastIndex, close.index).trim();
    found.push({ start: open.index, end: closing.lastIndex, command });
    opening.lastIndex = closing.lastIndex;
  }
  return found;
}

function commandsBetween(text: string, blocks: readonly InlineCommand[]): readonly InlineCommand[] {
  const found: InlineCommand[] = [];
  let next = 0;
  for (const { 0: whole, 1: command = "", index: start } of text.matchAll(/(?<=^|\s)!`([^`\n]+)`/gm)) {
    while (next < blocks.length && blocks[next]!.end <= start) next++;
    if (found.length === MOST) break;
    if (next < blocks.length && start >= blocks[next]!.start) continue;
    found.push({ start, end: start + whole.length, command: command.trim() });
  }
  return found;
}
