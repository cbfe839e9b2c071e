// A part of a line of code.

/** `bold`, `accent`, `added` and `removed` are of patches, `heading` and `quote` of Markdown. */
export type CodeStyle =
  | "comment"
  | "keyword"
  | "name"
  | "number"
  | "string"
  | "type"
  | "bold"
  | "accent"
  | "added"
  | "removed"
  | "heading"
  | "quote";

export interface CodePiece {
  readonly text: string;
  /** One, or none. */
  readonly styles: readonly CodeStyle[];
}

/** One list for all text without a style: neighbors that share a list can be drawn at once. */
export const PLAIN_CODE: readonly CodeStyle[] = [];
