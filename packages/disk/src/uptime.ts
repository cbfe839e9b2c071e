// How long this machine has been up, in milliseconds, including the time it was suspended: the same for all its processes, and
// unlike the time of day it never jumps.

import { readFileSync } from "node:fs";
import { uptime } from "node:os";

export function uptimeMs(): number {
  try {
    if (process.platform === "linux")
      return Math.round(Number.parseFloat(readFileSync("/proc/uptime", "latin1")) * 1000);
  } catch {
    // Not mounted.
  }
  return uptime() * 1000;
}

/** How long before the end of a lease with so much left its program closes, so that everything it started has ended by then. */
export const closesBeforeMs = (leftMs: number): number => Math.min(3_000, Math.max(0, leftMs) / 4);
