// The loops of a server that make due times into runs, and that look for what has come to a halt. Any number of servers may have them:
// the store takes each decision once.

import type { Retention, RunStore } from "../store/run-store.ts";
import { decideTick } from "./decide.ts";
import type { Zones } from "./trigger-slots.ts";

export interface SchedulerOptions {
  readonly store: Pick<RunStore, "tick" | "overdue" | "silentRuns" | "attempts" | "expel" | "sweep">;
  readonly zones: Zones;
  readonly keep: Retention;
  /** Resolves after so long, or when aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Something is wrong; for the log and whoever is on duty. Each case is reported once. */
  alarm(message: string): void;
  /** How often to look for schedules that other servers changed. */
  readonly pollMs?: number;
  readonly lookMs?: number;
}

export interface Scheduler {
  /** A schedule was changed: what is due next may be another. */
  wake(): void;
  /** Resolves when nothing is being written any more. */
  stop(): Promise<void>;
}

const POLL_MS = 1_000;
const LOOK_MS = 30_000;
/** How long a run may take to its first sign of life. */
const START_TIMEOUT_MS = 2 * 60_000;
/** After this, a due time without a row is not just a busy server. */
const OVERDUE_MS = 60_000;
const MOST_TRIGGERS = 100;
/** A claim is a sign of life, too. */
const CLAIM_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

export function startScheduler(options: SchedulerOptions): Scheduler {
  const { store, zones, pollMs = POLL_MS, lookMs = LOOK_MS } = options;
  const stopped = new AbortController();
  /** Ends the wait for the next tick. */
  let turn = new AbortController();
  const watchdog = createWatchdog(options);

  const ticking = repeat("The scheduler", stopped.signal, options, async () => {
    turn = new AbortController();
    const { signal } = turn;
    const { nextInMs = Infinity } = await store.tick((due) => decideTick(due, zones), MOST_TRIGGERS);
    if (!stopped.signal.aborted) await options.wait(Math.min(nextInMs, pollMs), signal);
  });
  const looking = repeat("The watchdog", stopped.signal, options, async () => {
    // Not at once: after a downtime, the first ticks have work to do.
    await options.wait(lookMs, stopped.signal);
    if (!stopped.signal.aborted) await watchdog();
  });
  return {
    wake: () => turn.abort(),
    async stop() {
      stopped.abort();
      turn.abort();
      await Promise.all([ticking, looking]);
    },
  };
}

/** Goes on after failures, ever more slowly. What is due then is not lost: it is in the store. */
async function repeat(
  what: string,
  stopped: AbortSignal,
  { wait, alarm }: Pick<SchedulerOptions, "wait" | "alarm">,
  step: () => Promise<void>,
): Promise<void> {
  for (let failures = 0; !stopped.aborted;) {
    try {
      await step();
      if (failures > 0) alarm(`${what} works again`);
      failures = 0;
    } catch (error) {
      if (failures === 0)
        alarm(`${what} failed and tries again: ${error instanceof Error ? error.message : String(error)}`);
      await wait(Math.min(1_000 * 2 ** failures, LONGEST_PAUSE_MS), stopped);
      failures++;
    }
  }
}

function createWatchdog({ store, keep, alarm }: SchedulerOptions): () => Promise<void> {
  let known: ReadonlySet<string> = new Set();
  return async () => {
    const overdue = new Map(
      (await store.overdue(OVERDUE_MS)).map((trigger) => [`${trigger.id} ${trigger.nextSlot}`, trigger]),
    );
    for (const [name, { id, routineId, nextAt }] of overdue) {
      if (known.has(name)) continue;
      const due = nextAt === null ? "" : ` since ${new Date(nextAt).toISOString()}`;
      alarm(`Trigger ${id} of routine ${routineId} has been due${due}, and no run exists`);
    }
    known = new Set(overdue.keys());

    const seconds = START_TIMEOUT_MS / 1_000;
    for (const run of await store.silentRuns(START_TIMEOUT_MS)) {
      // Once it has begun, it may be silent: its worker knows whether a command takes long.
      const begun = (await store.attempts(run.id)).find(({ n }) => n === run.attempt);
      if (begun && run.signAt !== null && run.signAt - begun.startedAt > CLAIM_MS) continue;
      const isExpelled = await store.expel(run.id, run.fence, `No sign of life for ${seconds} s`);
      if (isExpelled) alarm(`Run ${run.id} on ${run.worker ?? "a worker"} has shown no sign of life for ${seconds} s`);
    }
    await store.sweep(keep);
  };
}
