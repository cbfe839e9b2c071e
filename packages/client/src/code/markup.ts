// Colors for HTML and its relatives: tags, attributes, values and comments. Text between tags is left alone.

import type { LineHighlighter } from "./code-colors.ts";
import type { CodePiece, CodeStyle } from "./piece.ts";

export function isMarkup(name: string): boolean {
  return ["html", "htm", "xml", "svg", "vue", "svelte", "xhtml", "astro"].includes(name);
}

type Mode = "text" | "tag" | "comment" | '"' | "'";

const TAG = /<[/!?]?[a-zA-Z][\w:.-]*/y;
const ENTITY = /&#?\w{1,20};/y;
const NAME = /[\w:@.-]+/y;

export class MarkupHighlighter implements LineHighlighter {
  readonly known = true;
  #mode: Mode = "text";

  fork(): MarkupHighlighter {
    const fork = new MarkupHighlighter();
    fork.#mode = this.#mode;
    return fork;
  }

  line(text: string): readonly CodePiece[] {
    const pieces: CodePiece[] = [];
    let plain = 0;
    let at = 0;
    const take = (end: number, style: CodeStyle) => {
      if (at > plain) pieces.push({ text: text.slice(plain, at), styles: [] });
      if (end > at) pieces.push({ text: text.slice(at, end), styles: [style] });
      at = end;
      plain = end;
    };
    const upTo = (close: string, style: CodeStyle, next: Mode) => {
      const end = text.indexOf(close, at);
      take(end === -1 ? text.length : end + close.length, style);
      if (end !== -1) this.#mode = next;
    };
    while (at < text.length) {
      if (this.#mode === "comment") upTo("-->", "comment", "text");
      else if (this.#mode === '"' || this.#mode === "'") upTo(this.#mode, "string", "tag");
      else if (this.#mode === "tag") {
        const character = text[at]!;
        const name = matchAt(NAME, text, at);
        if (character === ">" || (character === "/" && text[at + 1] === ">")) {
          take(at + (character === ">" ? 1 : 2), "keyword");
          this.#mode = "text";
        } else if (character === '"' || character === "'") {
          take(at + 1, "string");
          this.#mode = character;
        } else if (name > 0) take(at + name, "name");
        else at++;
      } else {
        const tag = matchAt(TAG, text, at);
        const entity = matchAt(ENTITY, text, at);
        if (text.startsWith("<!--", at)) this.#mode = "comment";
        else if (tag > 0) {
          take(at + tag, "keyword");
          this.#mode = "tag";
        } else if (entity > 0) take(at + entity, "number");
        else at++;
      }
    }
    if (at > plain) pieces.push({ text: text.slice(plain), styles: [] });
    return pieces;
  }
}

function matchAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}
