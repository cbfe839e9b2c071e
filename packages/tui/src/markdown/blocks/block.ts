// What Markdown is cut into. Code and HTML come line by line, so that a long block can be shown while it arrives.

import type { Alignment } from "./table-rows.ts";

/** Around blocks, from the outside in. An item is the same object in all of its blocks. */
export type BlockContainer =
  | { readonly kind: "quote" }
  | {
      readonly kind: "item";
      /** `-` or `12.` */
      readonly marker: string;
      readonly ordered: boolean;
      /** Where the marker is, and where the text behind it starts. */
      readonly offset: number;
      readonly indent: number;
      readonly task?: "open" | "done";
    };

export interface PlacedBlock {
  readonly containers: readonly BlockContainer[];
  /** An empty line came before it. */
  readonly gap: boolean;
}

export type MarkdownBlock = PlacedBlock &
  (
    | { readonly kind: "paragraph"; readonly text: string }
    | { readonly kind: "heading"; readonly level: number; readonly text: string }
    | { readonly kind: "rule" }
    | { readonly kind: "table"; readonly table: MarkdownTable }
    /** One line of a code block. */
    | { readonly kind: "code"; readonly line: string; readonly code: CodeBlock; readonly first: boolean }
    /** One line of HTML. */
    | { readonly kind: "html"; readonly line: string; readonly first: boolean }
  );

export interface CodeBlock {
  /** All that stands behind the opening fence. */
  readonly info: string;
}

export interface MarkdownTable {
  readonly header: readonly string[];
  readonly alignments: readonly Alignment[];
  readonly rows: readonly (readonly string[])[];
}
