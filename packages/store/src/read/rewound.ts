// A conversation that went back: a line of its file says to which entry. It counts until another entry follows.

import { liveChain, type Chain } from "./chain.ts";
import type { Link } from "./link.ts";

export interface Rewindable {
  readonly links: readonly Link[];
  /** The entry it went back to; null for its start. Undefined if it did not, or if something followed. */
  readonly rewoundTo: string | null | undefined;
}

/** What a `keelson-rewind` line says. */
export function rewindIn({ leafUuid }: Readonly<Record<string, unknown>>): string | null | undefined {
  return typeof leafUuid === "string" || leafUuid === null ? leafUuid : undefined;
}

/** The conversation as it was left, or up to an entry. */
export function chainIn({ links, rewoundTo }: Rewindable, at: string | undefined): Chain {
  if (at !== undefined || rewoundTo === undefined) return liveChain(links, { at });
  if (rewoundTo === null) return { steps: [], leafUuid: null };
  const chain = liveChain(links, { at: rewoundTo, wentBack: true });
  return chain.steps.length > 0 ? chain : liveChain(links);
}
