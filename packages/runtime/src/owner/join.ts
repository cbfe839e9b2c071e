// Becomes a client of the process that has a session open. Loaded only for a session that is open elsewhere.

import { leaseHolder } from "@keelson/disk/lease/take";
import { ownerPath } from "@keelson/store";
import type { StoredSession } from "../directory/sessions-here.ts";
import type { JoinOptions, OpenedSession } from "../session/open-options.ts";
import { OpenError } from "../session/place.ts";
import { connectSession, RefusedByOwnerError } from "./remote-session.ts";
import { openIn, type OwnedSession } from "./take-session.ts";

/** An owner opens its socket a moment after the session. */
const PATIENCE_MS = 700;
const PAUSE_MS = 20;

/**
 * Undefined if the session is free by now, or will be soon. Rejects with an OpenError that says who has it. `here`: this process
 * has it.
 */
export async function joinOwner(
  owned: OwnedSession,
  join: JoinOptions,
  configDir: string,
  here?: () => OpenedSession,
): Promise<OpenedSession | undefined> {
  const refuse = (what: string) => new OpenError(`${openIn(owned)}. ${what} or add --fork-session to continue a copy`);
  if (owned.holder?.listens !== true && here === undefined) throw refuse("End it there,");
  const refused = join.refused();
  if (refused.length > 0) throw refuse(`Prompts can be sent to it only without ${refused.join(", ")}; leave that out,`);
  if (here) return here();
  const signal = AbortSignal.timeout(PATIENCE_MS);
  while (!signal.aborted) {
    const holder = await leaseHolder(owned.lease);
    if (holder === undefined || !holder.listens) return undefined;
    const session = holder.socket === undefined ? undefined : await connected(holder.socket, join, configDir, signal);
    if (session instanceof RefusedByOwnerError) throw refuse(`${session.message}; end it there,`);
    // Its owner has just cleared the conversation, so the lease is about to go.
    if (session !== undefined && session.id !== owned.id) await session.close("terminate");
    else if (session !== undefined) return announced(session, owned);
    await Bun.sleep(PAUSE_MS);
  }
  throw refuse("It does not answer; end it there,");
}

/** Undefined if no other program has it open and takes clients. */
export async function joinElsewhere(
  { id, path }: StoredSession,
  configDir: string,
): Promise<OpenedSession | undefined> {
  const lease = ownerPath(path);
  const holder = await leaseHolder(lease);
  if (!holder?.listens || holder.pid === process.pid) return undefined;
  return joinOwner({ id, path, lease, holder }, { refused: () => [], ownAnswers: false }, configDir);
}

async function connected(socket: string, { ownAnswers }: JoinOptions, configDir: string, signal: AbortSignal) {
  try {
    return await connectSession({ socket, configDir, ownAnswers }, signal);
  } catch (error) {
    return error instanceof RefusedByOwnerError ? error : undefined;
  }
}

function announced(session: OpenedSession, owned: OwnedSession): OpenedSession {
  return Object.assign(session, { announce: `${openIn(owned)}; attached to it` });
}
