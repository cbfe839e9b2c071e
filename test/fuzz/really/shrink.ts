// Makes a failing command smaller: pieces are cut out for as long as the gate still allows it and it still does wrong.

import type { CommandAnalysis } from "@keelson/engine/command";
import { complaintAbout } from "./account.ts";
import { judged, type Agreement } from "./judge.ts";
import { runErrands } from "./sandbox.ts";
import type { Errand, Shell } from "./trace.ts";
import type { FuzzWorld } from "./world.ts";

export interface Shrinking extends Errand {
  readonly agreement: Agreement;
  readonly complaint: string;
  readonly shell: Shell;
  readonly world: FuzzWorld;
}

export async function shrink(given: Shrinking): Promise<string> {
  let smallest = given.command;
  for (let size = Math.ceil(smallest.length / 2); size >= 1;) {
    const next = await stillWrong(shorter(smallest, size), given);
    if (next === undefined) size = Math.floor(size / 2);
    else smallest = next;
  }
  return smallest;
}

async function stillWrong(texts: Iterable<string>, given: Shrinking): Promise<string | undefined> {
  const { cwd, logsBuiltins, agreement, complaint, shell, world } = given;
  const candidates: (Errand & { readonly analysis: CommandAnalysis })[] = [];
  for (const command of texts) {
    const analysis = await judged({ command, cwd }, agreement, world, shell);
    if (analysis) candidates.push({ command, cwd, logsBuiltins, analysis });
  }
  const traces = await runErrands(world, candidates, shell);
  return candidates.find(({ analysis }, at) => complaintAbout(traces[at], analysis, agreement, world) === complaint)
    ?.command;
}

/** The text without one piece of this size. */
function shorter(text: string, size: number): Set<string> {
  const found = new Set<string>();
  for (let at = 0; at + size <= text.length; at += size) found.add(text.slice(0, at) + text.slice(at + size));
  return found;
}
