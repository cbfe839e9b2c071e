// Takes a session whose lease exists: its owner ended without removing it, or still has it open. Loaded only then.

import type { Lease, LeaseFacts } from "@keelson/disk/lease";
import { takeLease, type LeaseHolder, type TakenLease } from "@keelson/disk/lease/take";
import { OpenError } from "../session/place.ts";
import type { SessionFile } from "./ownership.ts";

/** A session that another process has open, or this one. */
export interface OwnedSession extends SessionFile {
  /** The path of its lease. */
  readonly lease: string;
  /** Unknown if it was opened at this moment. */
  readonly holder?: LeaseHolder;
}

/** A program that prints its answer is about to end, and whoever reads it may go on at once. */
const PATIENCE_MS = 500;
/** One that was killed before it named itself counts as starting for two seconds. */
const UNNAMED_MS = 3_000;
/** Its hooks and servers may take that long to end. */
const ENDING_MS = 10_000;
const PAUSE_MS = 15;

/**
 * Rejects with an OpenError if a living process has the session and will not end soon. The result returns the lease, or throws if
 * there can be none.
 */
export async function takeSession(
  session: Omit<OwnedSession, "holder">,
  facts: LeaseFacts,
  warn: (text: string) => void,
): Promise<() => Lease> {
  const started = performance.now();
  let isTold = false;
  for (;;) {
    let taken: TakenLease;
    try {
      taken = await takeLease(session.lease, facts);
    } catch (error) {
      return () => {
        throw error;
      };
    }
    const { lease, holder } = taken;
    if (lease) return () => lease;
    const owned = { ...session, ...(holder ? { holder } : {}) };
    const waited = performance.now() - started;
    if (waited > patienceWith(holder)) throw refusal(owned);
    if (holder?.isEnding && waited > PATIENCE_MS && !isTold) {
      warn(`${openIn(owned)} and is ending there; waiting for that`);
      isTold = true;
    }
    await Bun.sleep(PAUSE_MS);
  }
}

function patienceWith(holder: LeaseHolder | undefined): number {
  if (holder === undefined) return UNNAMED_MS;
  if (holder.isEnding) return ENDING_MS;
  // It is joined, which waits for itself.
  return holder.listens ? 0 : PATIENCE_MS;
}

function refusal(owned: OwnedSession): OpenError {
  if (owned.isNew) return new OpenError(`Session ID ${owned.id} is already in use. ${openIn(owned)}`);
  const fix = "End it there, or add --fork-session to continue a copy";
  return new OpenError(`${openIn(owned)}. ${fix}`, "session", owned);
}

/** Where it is open, for people. */
export function openIn({ id, holder }: OwnedSession): string {
  if (holder === undefined) return `Session ${id} was opened by another program a moment ago`;
  const { name, pid, since } = holder;
  return `Session ${id} is open in ${name} (process ${pid}, since ${localTime(since)})`;
}

function localTime(milliseconds: number): string {
  const date = new Date(milliseconds);
  const [day, time] = [date.toLocaleDateString("sv"), date.toLocaleTimeString("sv")];
  return day === new Date().toLocaleDateString("sv") ? time : `${day} ${time}`;
}
