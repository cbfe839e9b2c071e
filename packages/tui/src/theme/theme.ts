// The styles that rows are painted in. Code names what a text is; the theme knows how that looks.

export type StyleName =
  | "text"
  | "dim"
  | "bold"
  | "italic"
  | "strike"
  | "underline"
  | "accent"
  | "success"
  | "warning"
  | "error"
  | "suggestion"
  | "user"
  | "border"
  | "shell"
  | "memory"
  | "planMode"
  | "acceptMode"
  | "autoMode"
  | "bypassMode"
  | "added"
  | "removed"
  | "addedWord"
  | "removedWord"
  | "heading"
  | "code"
  | "link"
  | "quote"
  | "keyword"
  | "string"
  | "number"
  | "comment"
  | "name"
  | "type";

export interface Theme {
  readonly name: string;
  /** 0 with NO_COLOR: bold and the like are kept, colors are not. */
  readonly colors: 0 | 16 | 256 | 16_777_216;
  readonly hyperlinks: boolean;
  /** Spinners stand still. */
  readonly reducedMotion: boolean;
  /** Only ASCII signs, for terminals that cannot show others. */
  readonly ascii: boolean;
  /** For screen readers: no rules and frames. */
  readonly spoken?: boolean;
  /** The text in a style, and back to the style around it. The text is clean or painted already. */
  paint(style: StyleName, text: string): string;
  link(url: string, text: string): string;
}
