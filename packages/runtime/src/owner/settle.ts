// What a lease gets once the session is at work: the lock, and where other programs reach the session.

import type { Lease } from "@keelson/disk/lease";
import { holdLease } from "@keelson/disk/lease/hold";
import type { Session } from "@keelson/protocol";
import type { Listener, ListenOptions } from "./listen.ts";
import type { Ownership } from "./ownership.ts";

export async function settle(owner: Ownership, lease: Lease): Promise<void> {
  const { options, session } = owner;
  const failed = (what: string) => (error: unknown) => options.debug?.("session", () => `${what}: ${String(error)}`);
  if (options.listens && session !== undefined) {
    // Without a socket the lease still needs its lock.
    owner.listener ??= listening(session, options.snapshot).catch((error: unknown) => {
      failed("No other program can attach to the session")(error);
      return undefined;
    });
    const listener = await owner.listener;
    // It may have ended in the meantime.
    if (owner.session === undefined) listener?.stop();
    else if (listener) lease.note({ socket: listener.path });
  }
  await holdLease(lease).catch(failed("The lease is not locked"));
}

async function listening(session: Session, options: ListenOptions): Promise<Listener | undefined> {
  const { listen } = await import("./listen.ts");
  return listen(session, options);
}
