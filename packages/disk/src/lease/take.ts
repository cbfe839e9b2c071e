// Takes a lease that may exist already, from an owner that ended without removing it. Loaded only for what was there before,
// such as a session that is resumed.

import { renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { FileLockedError, withOwnFileLock } from "../lock/file-lock.ts";
import { loadFlock } from "../lock/flock.ts";
import { createOwnFile, holdOwnFolder } from "../own-files.ts";
import { leaseState, type LeaseHolder, type LeaseState } from "./holder.ts";
import { createLease, openLease, type Lease, type LeaseFacts } from "./lease.ts";

export type { LeaseHolder } from "./holder.ts";

/** The lease, or who has it. Neither: another process took it just now and has not named itself. */
export interface TakenLease {
  readonly lease?: Lease;
  readonly holder?: LeaseHolder;
}

/** How long to wait for a process that is about to name itself, or to replace the lease of a dead one. */
const PATIENCE_MS = 600;
const PAUSE_MS = 5;

/** Throws if the lease can neither be created nor read. */
export async function takeLease(path: string, facts: LeaseFacts): Promise<TakenLease> {
  const flock = await loadFlock();
  const until = performance.now() + PATIENCE_MS;
  do {
    const created = createLease(path, facts);
    if (created) return { lease: created };
    const state = await leaseState(path, flock);
    if (state.kind === "held") return { holder: state.holder };
    if (state.kind === "dead") {
      const lease = await replaceDead(path, facts, () => leaseState(path, flock));
      if (lease) return { lease };
    } else await Bun.sleep(PAUSE_MS);
  } while (performance.now() < until);
  return {};
}

/** Who holds it now; undefined if no one does. */
export async function leaseHolder(path: string): Promise<LeaseHolder | undefined> {
  const state = await leaseState(path, await loadFlock());
  return state.kind === "held" ? state.holder : undefined;
}

/** One process at a time. The new file takes the place of the old one, so there is always one. */
async function replaceDead(
  path: string,
  facts: LeaseFacts,
  look: () => Promise<LeaseState>,
): Promise<Lease | undefined> {
  const replace = async () => {
    if ((await look()).kind !== "dead") return undefined;
    using folder = holdOwnFolder(dirname(path));
    const temporary = `.${basename(path)}.${crypto.randomUUID()}.tmp`;
    const fd = createOwnFile(join(dirname(path), temporary));
    let lease: Lease | undefined;
    try {
      lease = openLease(path, fd, facts);
      renameSync(folder.at(temporary), folder.at(basename(path)));
      return lease;
    } catch (error) {
      rmSync(folder.at(temporary), { force: true });
      lease?.release();
      throw error;
    }
  };
  try {
    return await withOwnFileLock(`${path}.taking`, replace, { isTemporary: true, patienceMs: PATIENCE_MS });
  } catch (error) {
    if (error instanceof FileLockedError) return undefined;
    throw error;
  }
}
