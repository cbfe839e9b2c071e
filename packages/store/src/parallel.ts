// Calls made together branch: each result hangs on the entry with its call, and the next reply on one result only.
// Puts the other calls of that reply, and their results, back where they were said. Pure.

import { OUTDATED, type Tree } from "./tree.ts";

/** The path from root to tip with everything beside it that belongs. */
export function withParallelCalls(tree: Tree, path: readonly number[]): number[] {
  const { links, parents, marks, isMain } = tree;
  const replyOf = (index: number) => links[index]!.replyId ?? links[index]!.uuid;
  const isReply = (index: number) => index >= 0 && links[index]!.type === "assistant";

  const lastOfReply = new Map<string, number>();
  // Going on from a result means the whole reply stands; going on from a block itself drops the blocks after it.
  const wholeReplies = new Set<string>();
  const answered = new Set<string>();
  for (const index of path) {
    const { answers } = links[index]!;
    if (isReply(index)) lastOfReply.set(replyOf(index), index);
    if (answers.length > 0 && isReply(parents[index]!)) wholeReplies.add(replyOf(parents[index]!));
    for (const id of answers) answered.add(id);
  }

  const calls = new Map<string, number[]>();
  const results = new Map<string, number[]>();
  for (const index of besides()) {
    if (isReply(index)) group(calls, replyOf(index)).push(index);
    else group(results, replyOf(parents[index]!)).push(index);
  }

  const order: number[] = [];
  let waiting: number[] = [];
  const release = (before: number) => {
    while (waiting.length > 0 && waiting[0]! < before) order.push(waiting.shift()!);
  };
  for (const index of path) {
    release(links[index]!.answers.length > 0 ? index : Number.POSITIVE_INFINITY);
    order.push(index);
    if (!isReply(index) || lastOfReply.get(replyOf(index)) !== index) continue;
    order.push(...(calls.get(replyOf(index)) ?? []));
    waiting = results.get(replyOf(index)) ?? [];
  }
  release(Number.POSITIVE_INFINITY);
  return order;

  function* besides(): Generator<number> {
    const included = new Set(path);
    for (let index = 0; index < links.length; index++) {
      const link = links[index]!;
      const parent = parents[index]!;
      if (included.has(index) || !included.has(parent)) continue;
      if (link.isGhost || marks[index] === OUTDATED || !isMain(link)) continue;
      if (isReply(index)) {
        if (!wholeReplies.has(replyOf(index)) || !lastOfReply.has(replyOf(index))) continue;
      } else {
        if (link.answers.length === 0 || !isReply(parent) || !lastOfReply.has(replyOf(parent))) continue;
        if (link.answers.some((id) => answered.has(id))) continue;
        for (const id of link.answers) answered.add(id);
      }
      included.add(index);
      yield index;
    }
  }
}

function group(groups: Map<string, number[]>, key: string): number[] {
  let members = groups.get(key);
  if (members === undefined) groups.set(key, (members = []));
  return members;
}
