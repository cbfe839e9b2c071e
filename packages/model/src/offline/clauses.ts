// Cuts a request into clauses, one for each thing to do. What is quoted is set aside first, so that neither the
// cutting nor the patterns that follow ever look inside a command or a file's text.

export interface Clause {
  /** With a mark in place of everything quoted. */
  readonly text: string;
  /** The words behind a captured piece of `text`: marks replaced by what they stand for. */
  spell(piece: string): string;
  /** The same as it was typed, quotes and all. */
  readonly source: string;
}

/** Longer than this, outside quotes, is a letter and not a request. */
const LONGEST = 2_000;
const MARK = /\u0001(\d+)\u0002/g;

export function clausesOf(prompt: string): readonly Clause[] {
  const { text, quoted } = setAside(prompt);
  if (text.length > LONGEST) return [clause(text.slice(0, LONGEST), quoted)];
  return text
    .split(/\s*(?:[,.;]\s+|\s)(?:and\s+)?then\b[,:]?\s+|\s*;\s+|(?:^|\n)\s*(?:\d{1,3}[.)]|[-*•])\s+/i)
    .map((piece) => piece.trim().replace(/[\s,;]+$/, ""))
    .filter(Boolean)
    .map((piece) => clause(piece, quoted));
}

interface Quoted {
  readonly typed: string;
  readonly meant: string;
}

function clause(text: string, quoted: readonly Quoted[]): Clause {
  const put = (piece: string, which: keyof Quoted) =>
    piece.replace(MARK, (_, number: string) => quoted[Number(number)]?.[which] ?? "");
  return { text, spell: (piece) => put(piece, "meant"), source: put(text, "typed") };
}

/** Fences, backticks and quotes, and the rest of a line after `run:` or `$`. */
function setAside(prompt: string): { readonly text: string; readonly quoted: readonly Quoted[] } {
  const quoted: Quoted[] = [];
  const mark = (typed: string, meant: string) => `\u0001${quoted.push({ typed, meant }) - 1}\u0002`;
  const text = prompt
    // Marks of our own in the prompt would stand for somebody else's words.
    .replaceAll(/[\u0001\u0002]/g, "")
    .replaceAll(/```[^\n`]*\n([\s\S]*?)\n?```/g, (typed, meant: string) => mark(typed, `${meant}\n`))
    .replaceAll(/^([ \t]*(?:\$|(?:please )?(?:run|execute):))[ \t]+(\S.*)$/gim, (_, head: string, rest: string) => {
      const bare = /^`([^`]+)`$/.exec(rest.trim());
      return `${head} ${mark(rest, bare ? bare[1]! : rest.trim())}`;
    })
    .replaceAll(/`([^`\n]+)`|"([^"\n]*)"|“([^”\n]*)”|(?<!\w)'([^'\n]*)'(?!\w)/g, (typed, ...groups) =>
      mark(typed, groups.slice(0, 4).find((group) => group !== undefined) ?? ""),
    );
  return { text, quoted };
}
