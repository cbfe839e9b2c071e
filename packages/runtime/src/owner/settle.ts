// What a lease gets once the session is at work: the lock, and where other programs reach the session.

import type { Lease } from "@keelson/disk/lease";
import { holdLease } from "@keelson/disk/lease/hold";
import type { Ownership } from "./ownership.ts";

export async function settle(owner: Ownership, lease: Lease): Promise<void> {
  const { options, session } = owner;
  try {
    if (options.listens && session !== undefined) {
      const { configDir, env } = options.snapshot;
      owner.listener ??= import("./listen.ts").then(({ listen }) => listen(session, { configDir, env }));
      const listener = await owner.listener;
      // It may have ended in the meantime.
      if (owner.session === undefined) listener?.stop();
      else if (listener) lease.note({ socket: listener.path });
    }
    await holdLease(lease);
  } catch (error) {
    options.debug?.("session", () => `The lease is incomplete: ${String(error)}`);
  }
}
