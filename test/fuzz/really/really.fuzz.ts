// Generated commands that the gate lets run are really run, in a sandbox, among programs that write down how they were
// started. Whatever ran or changed must have been judged.

import { relative } from "node:path";
import fc from "fast-check";
import { diceOf } from "../bash/dice.ts";
import { sentence } from "../bash/sentences.ts";
import { commandText } from "../grammar.ts";
import { complaintAbout } from "./account.ts";
import { AGREEMENTS, judgeFor, type Agreement } from "./judge.ts";
import { runErrands } from "./sandbox.ts";
import { shrink } from "./shrink.ts";
import type { Errand, Shell } from "./trace.ts";
import { makeFuzzWorld, type FuzzWorld } from "./world.ts";

export interface RealFindings {
  readonly cases: number;
  /** How many were run, by what was agreed to. */
  readonly ran: Readonly<Record<string, number>>;
  readonly timedOut: number;
  readonly failures: readonly RealFailure[];
}

export interface RealFailure {
  readonly complaint: string;
  readonly agreement: string;
  readonly command: string;
  /** Relative to the working directory. */
  readonly cwd: string;
  /** The same complaint about as little text as possible; only worked out for the first few of each kind. */
  readonly smallest?: string;
}

export interface RealRun {
  readonly cases: number;
  readonly seed: number;
  readonly shell: Shell;
  /** How many failures of each kind are made small. */
  readonly shrinks?: number;
  progress?(line: string): void;
}

interface Case extends Errand {
  readonly agreement: Agreement;
}

const BATCH = 2_000;

export async function fuzzForReal({ cases, seed, shell, shrinks = 3, progress }: RealRun): Promise<RealFindings> {
  const world = makeFuzzWorld();
  const judge = judgeFor(world, shell);
  const ran: Record<string, number> = {};
  const failures: RealFailure[] = [];
  const seen = new Map<string, number>();
  let timedOut = 0;
  try {
    for (let done = 0; done < cases; done += BATCH) {
      const batch = casesFor(seed + done, Math.min(BATCH, cases - done), world);
      const verdicts = await Promise.all(batch.map((each) => judge(each, each.agreement)));
      const allowed = batch.flatMap((each, at) => (verdicts[at] ? [{ ...each, analysis: verdicts[at] }] : []));
      const traces = await runErrands(world, allowed, shell);
      for (const [at, each] of allowed.entries()) {
        const { analysis, agreement, command, cwd } = each;
        ran[agreement.name] = (ran[agreement.name] ?? 0) + 1;
        if (traces[at]?.timedOut) timedOut++;
        const complaint = complaintAbout(traces[at], analysis, agreement, world);
        if (complaint === undefined) continue;
        const kind = `${agreement.name}: ${complaint}`;
        const times = seen.get(kind) ?? 0;
        seen.set(kind, times + 1);
        const failure = { complaint, agreement: agreement.name, command, cwd: relative(world.work, cwd) || "." };
        progress?.(`${kind}: ${JSON.stringify(command)} in ${failure.cwd}`);
        if (times >= shrinks) failures.push(failure);
        else failures.push({ ...failure, smallest: await shrink({ ...each, complaint, judge, shell, world }) });
      }
      progress?.(`${done + batch.length} judged, ${sum(ran)} run, ${failures.length} failures`);
    }
  } finally {
    world.remove();
  }
  return { cases, ran, timedOut, failures };
}

/** One in twenty comes from the grammar that is also held against other parsers. */
function casesFor(seed: number, count: number, world: FuzzWorld): Case[] {
  const others = fc.sample(commandText(), { numRuns: Math.ceil(count / 20), seed });
  return Array.from({ length: count }, (_, at) => {
    const dice = diceOf(Math.imul(seed + at, 0x9e3779b1));
    const command = (at % 20 === 0 ? others[at / 20]! : sentence(dice)).replaceAll("\0", "");
    const cwd = dice.chance(0.6) ? world.work : dice.pick(world.places);
    return { command, cwd, agreement: dice.pick(AGREEMENTS), logsBuiltins: dice.chance(0.5) };
  });
}

export function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, each) => total + each, 0);
}
