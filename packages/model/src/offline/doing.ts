// The type of a step in progress, and how to read results of Read.

import type { JsonObject } from "@keelson/protocol";
import type { Result } from "./conversation.ts";

export interface OfflineCall {
  readonly name: string;
  readonly input: JsonObject;
}

export interface OfflineOutcome {
  readonly text: string;
  /** Do not run the steps after this one. */
  readonly stop?: true;
}

/** Yields calls that can be made together, receives their results, and returns the outcome. */
export type Doing = Generator<readonly OfflineCall[], OfflineOutcome, readonly Result[]>;

/** The text of a file from numbered lines; undefined if the result has another form. */
export function contentOf(numbered: string): string | undefined {
  if (numbered === "") return "";
  const lines = numbered.split("\n");
  const bare = lines.map((line) => /^ *\d+(?:\t|→)([\s\S]*)$/.exec(line)?.[1]);
  return bare.every((line) => line !== undefined) ? bare.join("\n") : undefined;
}
