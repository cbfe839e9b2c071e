// The second proof of a lease, for processes that cannot look up the owner by its id, in another container or on another
// computer: the kernel's lock on the file, or, where files cannot be locked, a file that stays young.

import { futimesSync } from "node:fs";
import { loadFlock } from "../lock/flock.ts";
import { processStart } from "../process-identity.ts";
import type { Lease } from "./lease.ts";

export const BEAT_MS = 10_000;

/** Another process that looks at the lease has the lock for an instant. */
const ATTEMPTS = 20;
const PAUSE_MS = 25;

/** Loads about 1 ms of modules, so call it when nothing waits. */
export async function holdLease(lease: Lease): Promise<void> {
  // There it costs a process. In a fixed zone: the computer may be taken to another one.
  if (process.platform !== "linux")
    lease.note({ procStart: processStart(process.pid, "UTC") ?? "", machine: await hostName() });
  const flock = await loadFlock();
  for (let attempt = 0; flock && attempt < ATTEMPTS; attempt++) {
    // A released one has a descriptor that may be another file by now.
    if (lease.isReleased || flock(lease.fd)) return;
    await Bun.sleep(PAUSE_MS);
  }
  const beat = setInterval(() => {
    if (lease.isReleased) return clearInterval(beat);
    const now = new Date();
    futimesSync(lease.fd, now, now);
  }, BEAT_MS);
  beat.unref();
}

/** For systems where nothing better tells machines apart. */
export const hostName = async () => (await import("node:os")).hostname();
