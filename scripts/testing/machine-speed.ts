// How slow this machine is right now, so that limits fit machines that are slower or busier than ours.

import { createHash } from "node:crypto";
import { availableParallelism } from "node:os";

/** What the machine the limits were chosen on takes for the work below, on two idle cores. */
const USUAL_MS = 50;
const USUAL_CORES = 2;
/** Beyond this, something else is wrong. */
const SLOWEST = 10;

/** 1 on a machine as fast as ours or faster; 3 where everything takes three times as long. Takes a fraction of a second. */
export function measureSlowness(): number {
  const rounds = Array.from({ length: 5 }, () => timed(work)).sort((a, b) => a - b);
  return slownessOf(rounds[2]!, availableParallelism());
}

export function slownessOf(milliseconds: number, cores: number): number {
  const slowness = (milliseconds / USUAL_MS) * (USUAL_CORES / Math.min(cores, USUAL_CORES));
  return Math.min(Math.max(slowness, 1), SLOWEST);
}

/** Processes and computing, like the tests. */
function work(): void {
  for (let n = 0; n < 5; n++) Bun.spawnSync([process.execPath, "--version"]);
  const hash = createHash("sha256");
  const bytes = Buffer.alloc(1 << 20);
  for (let n = 0; n < 40; n++) hash.update(bytes);
  hash.digest();
}

function timed(work: () => void): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}
