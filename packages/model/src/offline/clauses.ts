// Splits a request into clauses, one for each thing to do. Quoted text is replaced by marks first, so that nothing
// looks for clauses or patterns inside a command or the text of a file.

export interface Clause {
  /** The clause, with marks in place of quoted text. */
  readonly text: string;
  /** Replaces the marks in a piece of `text` by the quoted text. */
  spell(piece: string): string;
  /** The clause as typed, quotes included. */
  readonly source: string;
}

/** More text than this outside quotes is not a plain request. */
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

/** Sets aside fences, backticks, quotes, and the rest of a line after `run:` or `$`. */
function setAside(prompt: string): { readonly text: string; readonly quoted: readonly Quoted[] } {
  const quoted: Quoted[] = [];
  const mark = (typed: string, meant: string) => `\u0001${quoted.push({ typed, meant }) - 1}\u0002`;
  const text = prompt
    // Mark characters in the prompt itself would stand for the wrong text.
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
