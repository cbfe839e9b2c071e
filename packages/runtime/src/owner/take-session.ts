// Takes a session whose lease exists: its owner ended without removing it, or still has it open. Loaded only then.

import type { LeaseFacts, Lease } from "@keelson/disk/lease";
import { takeLease, type LeaseHolder } from "@keelson/disk/lease/take";
import { OpenError } from "../session/place.ts";
import type { SessionFile } from "./ownership.ts";

/** A session that another process has open, or this one. */
export interface OwnedSession extends SessionFile {
  /** The path of its lease. */
  readonly lease: string;
  /** Unknown if it was opened at this moment. */
  readonly holder?: LeaseHolder;
}

/** Rejects with an OpenError if a living process has the session; with any other error if that cannot be found out. */
export async function takeSession(session: Omit<OwnedSession, "holder">, facts: LeaseFacts): Promise<Lease> {
  const { lease, holder } = await takeLease(session.lease, facts);
  if (lease) return lease;
  const owned = { ...session, ...(holder ? { holder } : {}) };
  throw new OpenError(`${openIn(owned)}. End it there, or add --fork-session to continue a copy`, "session", owned);
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
