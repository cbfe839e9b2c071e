// The parents and children of all entries of a file. Pure.

import type { Link } from "./link.ts";

export interface Tree {
  readonly links: readonly Link[];
  readonly byUuid: ReadonlyMap<string, number>;
  /** For each link: the index of its parent, NO_PARENT or LOST_PARENT. */
  readonly parents: Int32Array;
  /** For each link: FOLLOWED, OUTDATED or 0. */
  readonly marks: Uint8Array;
  /** For each link: its first child in this conversation, or the number of links if it has none. */
  readonly firstFollower: Int32Array;
  /** Whether an entry belongs to this conversation and not to a subagent in the same file. */
  readonly isMain: (link: Link) => boolean;
}

export const NO_PARENT = -1;
/** Its parent is not in this file. */
export const LOST_PARENT = -2;

/** It has a child in this conversation. */
const FOLLOWED = 1;
/** A later copy of the entry in the file replaces it. */
export const OUTDATED = 2;

export function treeOf(links: readonly Link[]): Tree {
  // The last copy of an entry wins, but readable copies win over unreadable ones.
  const byUuid = new Map<string, number>();
  links.forEach((link, index) => {
    const known = byUuid.get(link.uuid);
    if (known === undefined || !link.isGhost || links[known]!.isGhost) byUuid.set(link.uuid, index);
  });

  // In a subagent's own file, its entries are the conversation.
  const allAside = links.every((link) => link.isAside || link.isGhost);
  const isMain = (link: Link) => allAside || !link.isAside;

  const parents = new Int32Array(links.length).fill(NO_PARENT);
  const firstFollower = new Int32Array(links.length).fill(links.length);
  const marks = new Uint8Array(links.length).fill(OUTDATED);
  for (const index of byUuid.values()) marks[index] = 0;
  links.forEach((link, index) => {
    if (link.parentUuid === null) return;
    const parent = byUuid.get(link.parentUuid) ?? LOST_PARENT;
    parents[index] = parent;
    if (parent < 0 || parent === index || marks[index] === OUTDATED || !isMain(link)) return;
    marks[parent] = FOLLOWED;
    firstFollower[parent] = Math.min(firstFollower[parent]!, index);
  });
  return { links, byUuid, parents, marks, firstFollower, isMain };
}
