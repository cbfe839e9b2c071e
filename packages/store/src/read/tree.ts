// The links of a file, joined: who hangs on whom, looked up once. Pure.

import type { Link } from "./link.ts";

export interface Tree {
  readonly links: readonly Link[];
  readonly byUuid: ReadonlyMap<string, number>;
  /** Beside each link, the index of its parent, NO_PARENT or LOST_PARENT. */
  readonly parents: Int32Array;
  /** Beside each link, FOLLOWED, OUTDATED or 0. */
  readonly marks: Uint8Array;
  /** Beside each link, the first entry of this conversation that hangs on it; beyond all of them if there is none. */
  readonly firstFollower: Int32Array;
  /** Whether an entry belongs to this conversation rather than to a subagent noted in the same file. */
  readonly isMain: (link: Link) => boolean;
}

export const NO_PARENT = -1;
/** It has a parent, but not in this file. */
export const LOST_PARENT = -2;

/** Another entry of this conversation hangs on it. */
const FOLLOWED = 1;
/** The same entry stands in the file once more, and counts there. */
export const OUTDATED = 2;

export function treeOf(links: readonly Link[]): Tree {
  // A line written twice counts where it stands last; what could be read wins over what could not.
  const byUuid = new Map<string, number>();
  links.forEach((link, index) => {
    const known = byUuid.get(link.uuid);
    if (known === undefined || !link.isGhost || links[known]!.isGhost) byUuid.set(link.uuid, index);
  });

  // A subagent's own file holds nothing else; there it is the conversation.
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
