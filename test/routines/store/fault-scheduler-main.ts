// A scheduler of the fault test: makes every tenth of a second of its triggers a run. It may be killed at any moment.

import { openPostgresStore, openSqliteStore } from "@keelson/routines";
import { slotRun } from "./rows.ts";

/** Between two due times. */
export const GAP_MS = 100;

if (import.meta.main) {
  const address = process.argv[2]!;
  const store = address.startsWith("postgres:")
    ? await openPostgresStore({ url: address, connections: 2 })
    : await openSqliteStore({ file: address });
  process.stdout.write("ready\n");
  for (;;) {
    const { nextInMs = GAP_MS } = await store.tick((due) => {
      const next = due.trigger.nextSlot! + GAP_MS;
      return { runs: [slotRun(due)], nextSlot: next, nextAt: next };
    });
    await Bun.sleep(nextInMs);
  }
}
