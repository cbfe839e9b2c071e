// A server's scheduler as a process of its own, on a file that others use too, with a clock that is fast.

import { setTimeout as sleep } from "node:timers/promises";
import { createZones, openSqliteStore, startScheduler } from "@keelson/routines";

const [file = "", began = "", from = "", speed = ""] = process.argv.slice(2);
const now = () => Number(from) + (Date.now() - Number(began)) * Number(speed);

const store = await openSqliteStore({ file, now });
startScheduler({
  store,
  zones: createZones(),
  keep: { logMs: Infinity, deliveriesMs: Infinity, auditMs: Infinity },
  wait: (ms, signal) => sleep(ms / Number(speed), undefined, { signal }).catch(() => undefined),
  alarm: (message) => console.error(message),
  // The watchdog is for the time of people.
  lookMs: 365 * 24 * 60 * 60_000,
});
console.log("ready");
