// The block that is being read: what is known of it before it ends.

import type { CodeBlock, PlacedBlock } from "./block.ts";
import type { Fence } from "./line.ts";
import type { Alignment } from "./table-rows.ts";

export type Leaf =
  | (PlacedBlock & { readonly kind: "paragraph"; readonly lines: string[]; length: number })
  | (PlacedBlock & {
      readonly kind: "table";
      readonly header: readonly string[];
      readonly alignments: readonly Alignment[];
      readonly rows: (readonly string[])[];
    })
  | (PlacedBlock & { readonly kind: "fence"; readonly fence: Fence; readonly code: CodeBlock; first: boolean })
  | (PlacedBlock & { readonly kind: "indented"; readonly code: CodeBlock; first: boolean; blank: string[] })
  | (PlacedBlock & { readonly kind: "html"; readonly until: RegExp | undefined; first: boolean });

/** A copy that can be changed. Of a long block it has only the last part. */
export function lastPart(leaf: Leaf, maxCharacters: number, maxRows: number): Leaf {
  if (leaf.kind === "table") return { ...leaf, rows: leaf.rows.slice(-maxRows) };
  if (leaf.kind === "indented") return { ...leaf, blank: leaf.blank.slice(-maxRows) };
  if (leaf.kind !== "paragraph") return { ...leaf };
  const keep = leaf.length - skippedLength(leaf.length, maxCharacters);
  const lines: string[] = [];
  let length = 0;
  for (let at = leaf.lines.length - 1; at >= 0 && length < keep; at--) {
    const line = leaf.lines[at]!;
    lines.push(line.length > keep - length ? line.slice(length - keep) : line);
    length += line.length + 1;
  }
  return { ...leaf, lines: lines.reverse(), length };
}

/**
 * How much of the start of a long text is left out when only its end is shown. It grows in steps, so that the rows stay
 * where they are while the text grows.
 */
export function skippedLength(length: number, maxCharacters: number): number {
  return length <= 2 * maxCharacters ? 0 : (Math.floor(length / maxCharacters) - 1) * maxCharacters;
}
