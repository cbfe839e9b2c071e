// What a frontmatter says, as a tree of texts, lists and maps.

export interface HeadText {
  readonly kind: "text";
  readonly text: string;
  /** In quotes or a block, so `true` and `1` are words. */
  readonly quoted: boolean;
  readonly line: number;
}

export interface HeadList {
  readonly kind: "list";
  readonly items: readonly HeadNode[];
  /** As written, if it is on one line. */
  readonly raw?: string;
  readonly line: number;
}

export interface HeadMap {
  readonly kind: "map";
  readonly entries: ReadonlyMap<string, HeadNode>;
  readonly raw?: string;
  readonly line: number;
}

export type HeadNode = HeadText | HeadList | HeadMap;

export interface HeadProblem {
  readonly line: number;
  /** One sentence with the fix. */
  readonly why: string;
}
