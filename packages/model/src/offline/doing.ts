// The shape of a step in progress, and how it reads what Read shows.

import type { JsonObject } from "@keelson/protocol";
import type { Result } from "./conversation.ts";

export interface OfflineCall {
  readonly name: string;
  readonly input: JsonObject;
}

export interface OfflineOutcome {
  readonly text: string;
  /** Nothing after this makes sense. */
  readonly stop?: true;
}

/** Calls that may be made together, then their answers, and so on until the outcome. */
export type Doing = Generator<readonly OfflineCall[], OfflineOutcome, readonly Result[]>;

/** A file's text out of numbered lines; undefined when the answer has another form. */
export function contentOf(numbered: string): string | undefined {
  if (numbered === "") return "";
  const lines = numbered.split("\n");
  const bare = lines.map((line) => /^ *\d+(?:\t|→)([\s\S]*)$/.exec(line)?.[1]);
  return bare.every((line) => line !== undefined) ? bare.join("\n") : undefined;
}
