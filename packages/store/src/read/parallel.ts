// Parallel tool calls make branches: each result has its call as parent, and the next reply has only one of the results.
// This puts the other calls of that reply, their results and what these added back in place. Pure.

import type { Link } from "./link.ts";
import { LOST_PARENT, OUTDATED, type Tree } from "./tree.ts";

const LOOK_UP = 1_000;

/** The path from root to tip, plus the parallel calls and results beside it. */
export function withParallelCalls(tree: Tree, path: readonly number[]): number[] {
  const { links, parents, marks, isMain } = tree;
  const replyOf = (index: number) => links[index]!.replyId ?? links[index]!.uuid;
  const isReply = (index: number) => index >= 0 && links[index]!.type === "assistant";
  const isResult = (index: number) => links[index]!.answers.length > 0 || links[index]!.isDeferral;

  const lastOfReply = new Map<string, number>();
  // Continuing from a result keeps the whole reply; continuing from one of its blocks drops the later blocks.
  const wholeReplies = new Set<string>();
  // By reply and call, because some servers reuse call ids in every reply.
  const answered = new Set<string>();
  const callIn = (reply: string, call: string) => `${reply}\n${call}`;
  let reply = "";
  for (const index of path) {
    const { answers } = links[index]!;
    if (isReply(index)) lastOfReply.set((reply = replyOf(index)), index);
    if (isResult(index) && isReply(parents[index]!)) wholeReplies.add(replyOf(parents[index]!));
    for (const id of answers) answered.add(callIn(reply, id));
  }

  const calls = new Map<string, number[]>();
  const results = new Map<string, number[]>();
  /** By result beside the path, and by what follows it, the reply it belongs to. */
  const beside = new Map<number, string>();
  for (const index of besides()) {
    if (isReply(index)) group(calls, replyOf(index)).push(index);
    else group(results, beside.get(index)!).push(index);
  }

  const order: number[] = [];
  let waiting: number[] = [];
  for (const index of path) {
    if (isReply(index)) {
      const others = calls.get(replyOf(index)) ?? [];
      const isLast = lastOfReply.get(replyOf(index)) === index;
      // A reply that was still streaming continues after the result of an earlier call; its other results come later.
      if (waiting !== results.get(replyOf(index))) release(waiting, Number.POSITIVE_INFINITY);
      waiting = results.get(replyOf(index)) ?? [];
      release(others, index);
      order.push(index);
      if (isLast) release(others, Number.POSITIVE_INFINITY);
    } else {
      release(waiting, isResult(index) ? index : Number.POSITIVE_INFINITY);
      order.push(index);
    }
  }
  release(waiting, Number.POSITIVE_INFINITY);
  return order;

  function release(held: number[], before: number): void {
    while (held.length > 0 && held[0]! < before) order.push(held.shift()!);
  }

  /** The nearest readable ancestor of an entry. */
  function anchorOf(index: number): number {
    let at = parents[index]!;
    for (let steps = 0; at >= 0 && links[at]!.isGhost && steps < LOOK_UP; steps++) at = parents[at]!;
    return at;
  }

  /** Whether an entry between this one and the path is lost; then only the reply shows where it belongs. */
  function isAdrift(index: number, included: ReadonlySet<number>): boolean {
    let at = parents[index]!;
    for (let steps = 0; at >= 0 && !included.has(at) && steps < LOOK_UP; steps++) at = parents[at]!;
    return at === LOST_PARENT;
  }

  function* besides(): Generator<number> {
    const included = new Set(path);
    for (let index = 0; index < links.length; index++) {
      const link = links[index]!;
      if (link.isGhost || marks[index] === OUTDATED || !isMain(link) || included.has(index)) continue;
      const parent = anchorOf(index);
      if (isReply(index)) {
        if (!wholeReplies.has(replyOf(index)) || !lastOfReply.has(replyOf(index))) continue;
        if (!included.has(parent) && !isAdrift(index, included)) continue;
      } else if (beside.has(parent) && isAddition(link)) {
        beside.set(index, beside.get(parent)!);
      } else {
        if (!included.has(parent)) continue;
        if (!isResult(index) || !isReply(parent) || !lastOfReply.has(replyOf(parent))) continue;
        const answers = link.answers.map((id) => callIn(replyOf(parent), id));
        if (answers.some((call) => answered.has(call))) continue;
        for (const call of answers) answered.add(call);
        beside.set(index, replyOf(parents[index]!));
      }
      included.add(index);
      yield index;
    }
  }
}

/** What a call added behind its result: a reminder, the text of a skill. */
const isAddition = ({ type, isMeta, answers }: Link) =>
  type === "attachment" || (type === "user" && isMeta && answers.length === 0);

function group(groups: Map<string, number[]>, key: string): number[] {
  let members = groups.get(key);
  if (members === undefined) groups.set(key, (members = []));
  return members;
}
