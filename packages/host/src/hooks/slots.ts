// Limits how many hooks run at once to what the machine has room for. The others wait; their time limits count from
// their real start.

import { readdirSync, readFileSync } from "node:fs";
import type { HookRun } from "@keelson/protocol";

export interface HookSlots {
  /**
   * Runs `work` as soon as there is room. A run that did not start for lack of resources is tried again when another one
   * has ended. `work` may call `leave` if it goes on in the background and should no longer count.
   */
  run(signal: AbortSignal, work: (leave: () => void) => Promise<HookRun>): Promise<HookRun>;
}

const MOST_AT_ONCE = 64;
/** So few always fit; counting descriptors is not worth it. */
const FEW = 4;
/** Pauses before the last attempts, when nothing of ours is left to wait for. */
const PAUSES_MS = [20, 80, 320];

export function createHookSlots(room: () => number = roomOnThisMachine): HookSlots {
  let running = 0;
  const queued = createWaitingLine();
  const starved = createWaitingLine();

  async function attempt(signal: AbortSignal, work: (leave: () => void) => Promise<HookRun>): Promise<HookRun> {
    // An aborted run is not kept waiting: it reports that it was stopped.
    while (!signal.aborted && running >= FEW && (running >= MOST_AT_ONCE || room() < 1)) await queued.wait(signal);
    running++;
    queued.wake(); // there may be room for more than one
    let counts = true;
    const leave = () => {
      if (!counts) return;
      counts = false;
      running--;
      queued.wake();
    };
    try {
      return await work(() => {
        leave();
        starved.wake(); // the background run may take long
      });
    } finally {
      leave();
    }
  }

  return {
    async run(signal, work) {
      for (let pauses = 0; ;) {
        const run = await attempt(signal, work);
        const isOver = run.prevented !== "start" || signal.aborted || (running === 0 && pauses === PAUSES_MS.length);
        if (isOver) {
          starved.wake();
          return run;
        }
        if (running > 0) await starved.wait(signal);
        else await Bun.sleep(PAUSES_MS[pauses++]!);
      }
    },
  };
}

function createWaitingLine() {
  const waiting = new Set<() => void>();
  return {
    /** Resolves when it is this one's turn, or when the signal aborts. */
    wait: (signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        const go = () => {
          waiting.delete(go);
          signal.removeEventListener("abort", go);
          resolve();
        };
        waiting.add(go);
        signal.addEventListener("abort", go);
      }),
    /** Lets the first one go. */
    wake() {
      const [first] = waiting;
      first?.();
    },
  };
}

/** A hook's two pipes, its input and its process, twice while it starts. */
const DESCRIPTORS_EACH = 8;
/** For the session itself: connections, files, transcripts. */
const DESCRIPTORS_KEPT = 48;

/** How many more hooks can be started now. */
function roomOnThisMachine(): number {
  try {
    const [, limit] = /^Max open files +(\d+|unlimited)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    if (limit === undefined || limit === "unlimited") return MOST_AT_ONCE;
    const free = Number(limit) - readdirSync("/proc/self/fd").length - DESCRIPTORS_KEPT;
    return Math.floor(free / DESCRIPTORS_EACH);
  } catch (error) {
    // No descriptor is left to look with; elsewhere than on Linux there is no such file.
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? MOST_AT_ONCE : 0;
  }
}
