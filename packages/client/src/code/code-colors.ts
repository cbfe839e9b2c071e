// Colors for code, as the names of what each part is. A small tokenizer driven by tables: it knows comments, strings, numbers,
// words and calls, not grammar. Each character is looked at a bounded number of times, so a line of any length costs what it is
// long.

import { languageNamed } from "./languages.ts";
import { lineKind } from "./line-kinds.ts";
import { isMarkup, MarkupHighlighter } from "./markup.ts";
import { PLAIN_CODE, type CodePiece } from "./piece.ts";
import { Tokenizer } from "./tokenizer.ts";

export type { CodePiece, CodeStyle } from "./piece.ts";

/** Colors one line after the other; strings and comments continue from line to line. */
export interface LineHighlighter {
  /** The language is one it has colors for. */
  readonly known: boolean;
  /** Its parts, which join to the line. */
  line(text: string): readonly CodePiece[];
  /** One that continues from here without changing this one. */
  fork(): LineHighlighter;
}

/** For a name as it stands behind a fence, or the extension of a file. */
export function lineHighlighter(language: string | undefined): LineHighlighter {
  const name = (language ?? "").toLowerCase().replace(/^[{.]+|[},:].*$/g, "");
  const kind = lineKind(name);
  if (kind) return byLine(kind);
  if (isMarkup(name)) return new MarkupHighlighter();
  const grammar = languageNamed(name);
  return grammar ? new Tokenizer(grammar) : byLine((text) => [{ text, styles: PLAIN_CODE }], PLAIN.has(name));
}

/** By the name of a file: its extension, or all of it. */
export function fileHighlighter(path: string): LineHighlighter {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1).toLowerCase();
  if (/^(dockerfile|makefile)\b/.test(name)) return lineHighlighter(/^[a-z]+/.exec(name)![0]);
  return lineHighlighter(name.includes(".") ? name.slice(name.lastIndexOf(".") + 1) : "");
}

/** Not worth a label above the code, although there is nothing to color. */
const PLAIN = new Set(["", "text", "txt", "plain", "plaintext", "output", "log"]);

function byLine(line: (text: string) => readonly CodePiece[], known = true): LineHighlighter {
  const highlighter: LineHighlighter = { known, line, fork: () => highlighter };
  return highlighter;
}
