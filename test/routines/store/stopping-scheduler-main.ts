// A scheduler that is stopped in the middle of a transaction, the first time that it is asked what to do.

import { openPostgresStore } from "@keelson/routines";
import { hourly } from "./rows.ts";

const store = await openPostgresStore({ url: process.argv[2]! });
let isFirst = true;
const { moved } = await store.tick((due) => {
  if (isFirst) {
    process.stdout.write("stopping\n");
    isFirst = false;
    process.kill(process.pid, "SIGSTOP");
  }
  return hourly(due);
});
process.stdout.write(`moved ${moved}\n`);
await store.close();
