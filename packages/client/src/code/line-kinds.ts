// Texts whose lines can be colored one by one, by how they start: patches and Markdown.

import type { CodePiece, CodeStyle } from "./piece.ts";

export function lineKind(name: string): ((line: string) => readonly CodePiece[]) | undefined {
  if (name === "diff" || name === "patch") return diffLine;
  if (name === "markdown" || name === "md" || name === "mdx") return markdownLine;
  return undefined;
}

function diffLine(text: string): readonly CodePiece[] {
  if (/^(\+\+\+|---|diff |index )/.test(text)) return [{ text, styles: ["bold"] }];
  if (text.startsWith("@@")) return [{ text, styles: ["accent"] }];
  const style: CodeStyle | undefined = text.startsWith("+") ? "added" : text.startsWith("-") ? "removed" : undefined;
  return [{ text, styles: style ? [style] : [] }];
}

function markdownLine(text: string): readonly CodePiece[] {
  if (/^ {0,3}#{1,6}( |$)/.test(text)) return [{ text, styles: ["heading"] }];
  if (/^ {0,3}>/.test(text)) return [{ text, styles: ["quote"] }];
  if (/^ {0,3}(```|~~~)/.test(text)) return [{ text, styles: ["keyword"] }];
  const marker = /^\s*(?:[-*+]|\d{1,9}[.)]) /.exec(text)?.[0] ?? "";
  const pieces: CodePiece[] = marker === "" ? [] : [{ text: marker, styles: ["keyword"] }];
  // Every second part is between backticks.
  for (const [at, part] of text
    .slice(marker.length)
    .split(/(`[^`]*`)/)
    .entries())
    if (part !== "") pieces.push({ text: part, styles: at % 2 === 1 ? ["string"] : [] });
  return pieces;
}
