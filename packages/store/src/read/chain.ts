// Finds the entries of a file that make up the conversation, in order. Pure. Whatever the links are, each entry in the
// result comes after its parent.

import type { Link, Preserved } from "./link.ts";
import { withParallelCalls } from "./parallel.ts";
import { LOST_PARENT, NO_PARENT, OUTDATED, treeOf, type Tree } from "./tree.ts";

export interface ChainStep {
  /** Index into the given links. */
  readonly index: number;
  /** The parent in this chain; differs from the entry's own parent if entries between them are unreadable. */
  readonly parentUuid: string | null;
}

export interface Chain {
  /** Oldest first. */
  readonly steps: readonly ChainStep[];
  /** The parent of the next entry. Results of parallel calls may come after it in `steps`. */
  readonly leafUuid: string | null;
}

export interface ChainOptions {
  /** Ends the conversation at this entry instead of the newest branch. */
  readonly at?: string | undefined;
  /** The conversation went back to `at` after all compactions in the file, so they apply to it. */
  readonly wentBack?: boolean;
}

/** Empty if there is no conversation or `at` is not in the file. */
export function liveChain(links: readonly Link[], { at, wentBack = false }: ChainOptions = {}): Chain {
  const tree = treeOf(links);
  const tip = at === undefined ? newestTip(tree) : (tree.byUuid.get(at) ?? NO_PARENT);
  if (tip < 0) return { steps: [], leafUuid: null };
  const path = walk(tree, tip, wentBack ? links.length : tip);
  const leaf = path.at(-1);
  return {
    steps: stepsOf(links, withParallelCalls(tree, path)),
    leafUuid: leaf === undefined ? null : links[leaf]!.uuid,
  };
}

/** The leaf whose branch has the newest message. */
function newestTip(tree: Tree): number {
  const { links, marks, isMain } = tree;
  const known = new Map<number, number>();
  let best = NO_PARENT;
  let newest = -1;
  for (let tip = 0; tip < links.length; tip++) {
    if (marks[tip] !== 0 || !isMain(links[tip]!)) continue;
    const said = lastSaid(tree, tip, known);
    if (said >= 0 && said >= newest) {
      newest = said;
      best = tip;
    }
  }
  if (best >= 0) return best;
  // Only if all entries are part of cycles.
  return links.findLastIndex((link, index) => isMain(link) && isSaid(link) && marks[index] !== OUTDATED);
}

const isSaid = (link: Link) => (link.type === "user" || link.type === "assistant") && !link.isGhost;

/** The nearest message at or above an entry; -1 for a branch without messages. */
function lastSaid({ links, parents }: Tree, from: number, known: Map<number, number>): number {
  const path: number[] = [];
  let said = -1;
  for (let at = from; at >= 0; at = parents[at]!) {
    const earlier = known.get(at);
    said = earlier ?? (isSaid(links[at]!) && !links[at]!.isMeta ? at : -1);
    if (earlier !== undefined) break;
    known.set(at, said);
    path.push(at);
    if (said >= 0) break;
  }
  for (const at of path) known.set(at, said);
  return said;
}

/** From the root, or the last compaction before `end`, to the tip, without unreadable entries. */
function walk(tree: Tree, tip: number, end: number): number[] {
  const { links, parents } = tree;
  const { moved, ends } = movedByCompaction(tree, end);
  const seen = new Set<number>();
  const path: number[] = [];
  // The program may have ended right after a summary: what the compaction kept belongs to the conversation all the same.
  for (let at = ends.get(tip) ?? tip; at >= 0 && !seen.has(at);) {
    seen.add(at);
    const link = links[at]!;
    if (!link.isGhost) path.push(at);
    if (link.isBoundary) break;
    const parent = moved.get(at) ?? parents[at]!;
    at = parent === LOST_PARENT && !link.isSummary ? before(tree, at, seen) : parent;
  }
  return path.reverse();
}

const LOOK_BACK = 1_000;

/**
 * Replaces a lost parent: the newest earlier entry without a child, because its only child is the lost one; otherwise the
 * entry before.
 */
function before({ links, marks, firstFollower, isMain }: Tree, from: number, seen: ReadonlySet<number>): number {
  let fallback = NO_PARENT;
  for (let at = from - 1; at >= Math.max(0, from - LOOK_BACK); at--) {
    const link = links[at]!;
    if (!isMain(link) || link.isGhost || seen.has(at) || marks[at] === OUTDATED) continue;
    if (firstFollower[at]! > from) return at;
    if (fallback === NO_PARENT) fallback = at;
  }
  return fallback;
}

/**
 * A compaction may keep some messages. They are before the boundary in the file but after the summary in the conversation,
 * so the first gets the summary as parent, each other one its predecessor, and children of the summary get the last one.
 */
function movedByCompaction(tree: Tree, end: number): Moved {
  const { links, byUuid, parents, marks, isMain } = tree;
  const moved = new Map<number, number>();
  const ends = new Map<number, number>();
  for (let at = 0; at < end; at++) {
    const { preserved } = links[at]!;
    if (preserved === undefined || marks[at] === OUTDATED || !isMain(links[at]!)) continue;
    const root = byUuid.get(preserved.anchor) ?? at;
    const kept = keptBy(tree, preserved).filter((index) => index !== root && !links[index]!.isGhost);
    const last = kept.at(-1);
    if (last === undefined) continue;
    const staying = new Set([root, ...kept]);
    ends.set(root, last);
    kept.forEach((index, place) => moved.set(index, place === 0 ? root : kept[place - 1]!));
    for (let index = at + 1; index < links.length; index++) {
      if (parents[index] === root && !staying.has(index)) moved.set(index, last);
    }
  }
  return { moved, ends };
}

interface Moved {
  /** The new parents. */
  readonly moved: ReadonlyMap<number, number>;
  /** By summary, the last message that was kept. */
  readonly ends: ReadonlyMap<number, number>;
}

function keptBy({ links, byUuid, parents }: Tree, preserved: Preserved): number[] {
  if ("uuids" in preserved) return [...new Set(preserved.uuids.flatMap((uuid) => byUuid.get(uuid) ?? []))];
  const found = new Set<number>();
  const head = byUuid.get(preserved.head);
  for (let at = byUuid.get(preserved.tail) ?? NO_PARENT; at >= 0; at = parents[at]!) {
    if (found.has(at) || links[at]!.isBoundary) break;
    found.add(at);
    if (at === head) return [...found].reverse();
  }
  return [];
}

/** Gives every entry a parent that comes before it. */
function stepsOf(links: readonly Link[], order: readonly number[]): ChainStep[] {
  const placed = new Set<string>();
  let previous: string | null = null;
  return order.map((index) => {
    const { uuid, parentUuid } = links[index]!;
    const parent = parentUuid !== null && placed.has(parentUuid) ? parentUuid : previous;
    placed.add(uuid);
    previous = uuid;
    return { index, parentUuid: parent };
  });
}
