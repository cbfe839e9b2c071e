// Ends this process when the lease ends under which a worker started it. The worker may be frozen and cannot do it then, while
// another worker already continues the run: so the check is in the process that acts, and needs nobody else.

import { readFileSync } from "node:fs";
import { closesBeforeMs, uptimeMs } from "@keelson/disk/uptime";
import { printError, type ProcessIO } from "./process-io.ts";

/** Also notices soon that a suspended machine runs again. */
const PERIOD_MS = 500;

/**
 * The file has the time at which the lease ends, as uptime of the machine in milliseconds. The worker replaces it when it
 * extends the lease. False, with an error: it has ended already, or the file cannot be read.
 */
export function endWithLease(path: string, io: ProcessIO): boolean {
  let end = leaseEnd(path);
  let closing = closingAt(end);
  if (uptimeMs() >= closing) {
    printError(io, `the lease in "${path}" has ended or cannot be read; only a worker passes --lease-file`);
    return false;
  }
  let isClosing = false;
  const look = () => {
    const now = uptimeMs();
    if (now >= closing) {
      const extended = leaseEnd(path);
      if (extended > end) [end, closing] = [extended, closingAt(extended)];
    }
    // What is left of the session is ended by its watcher process.
    if (now >= end) process.kill(process.pid, "SIGKILL");
    if (now >= closing && !isClosing) {
      isClosing = true;
      process.kill(process.pid, "SIGTERM");
    }
    setTimeout(look, Math.max(10, Math.min(PERIOD_MS, (isClosing ? end : closing) - now))).unref();
  };
  look();
  return true;
}

const closingAt = (end: number) => end - closesBeforeMs(end - uptimeMs());

/** 0 if there is none: who cannot know that the lease lasts must not act. */
function leaseEnd(path: string): number {
  try {
    return Number(readFileSync(path, "latin1")) || 0;
  } catch {
    return 0;
  }
}
