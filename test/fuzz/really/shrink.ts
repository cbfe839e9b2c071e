// Makes a failing command smaller: pieces are cut out for as long as the gate still allows it and it still does wrong.

import type { CommandAnalysis } from "@keelson/engine/command";
import { complaintAbout } from "./account.ts";
import type { Agreement, Judge } from "./judge.ts";
import { runErrands } from "./sandbox.ts";
import type { Errand, Shell } from "./trace.ts";
import type { FuzzWorld } from "./world.ts";

export interface Shrinking extends Errand {
  readonly agreement: Agreement;
  readonly complaint: string;
  readonly judge: Judge;
  readonly shell: Shell;
  readonly world: FuzzWorld;
}

/** Commands that never end cost the most; after so many the result is small enough. */
const MOST_TIMEOUTS = 4;

export async function shrink(given: Shrinking): Promise<string> {
  let smallest = given.command;
  let timeouts = 0;
  for (let size = Math.ceil(smallest.length / 2); size >= 1 && timeouts < MOST_TIMEOUTS;) {
    const tried = await tryAll(shorter(smallest, size), given);
    timeouts += tried.timeouts;
    if (tried.wrong === undefined) size = Math.floor(size / 2);
    else smallest = tried.wrong;
  }
  return smallest;
}

async function tryAll(texts: Iterable<string>, given: Shrinking): Promise<{ wrong?: string; timeouts: number }> {
  const { cwd, logsBuiltins, agreement, complaint, judge, shell, world } = given;
  const candidates: (Errand & { readonly analysis: CommandAnalysis })[] = [];
  for (const command of texts) {
    const analysis = await judge({ command, cwd }, agreement);
    if (analysis) candidates.push({ command, cwd, logsBuiltins, analysis });
  }
  const traces = await runErrands(world, candidates, shell);
  const timeouts = traces.filter((trace) => trace?.timedOut).length;
  for (const [at, { command, analysis }] of candidates.entries())
    if (complaintAbout(traces[at], analysis, agreement, world) === complaint) return { wrong: command, timeouts };
  return { timeouts };
}

/** The text without one piece of this size. */
function shorter(text: string, size: number): Set<string> {
  const found = new Set<string>();
  for (let at = 0; at + size <= text.length; at += size) found.add(text.slice(0, at) + text.slice(at + size));
  return found;
}
