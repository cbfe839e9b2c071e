// What a tool says about a call, for people.

/** The input of a call, read for people. The model may have sent anything: what is missing or no text is an empty one. */
export interface ShownInput {
  text(field: string): string;
  /** A path as people read it, relative to where the session works. The call counts as touching it, there. */
  path(field: string, line?: number): string;
}

export interface DescribedCall {
  /** What the call is about. Empty if the name says it all; absent if only its arguments can say it. */
  readonly title?: string;
  /** A better name for people than the tool's own. */
  readonly name?: string;
  /** What the model says that it does. */
  readonly note?: string;
}
