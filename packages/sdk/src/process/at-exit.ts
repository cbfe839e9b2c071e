// Programs that must not outlive this process. When it ends they are told to end too; should it be killed, the end of
// their input tells them.

import process from "node:process";
import type { SpawnedProcess } from "./spawn.ts";

// One list and one listener for the process, because there is one exit. A listener for each program would make Node
// warn of a leak at the eleventh query.
const alive = new Set<SpawnedProcess>();

/** Returns a function to call once the program has ended. */
export function endAtExit(child: SpawnedProcess): () => void {
  if (alive.size === 0) process.on("exit", endAll);
  alive.add(child);
  return () => {
    alive.delete(child);
    if (alive.size === 0) process.off("exit", endAll);
  };
}

function endAll(): void {
  for (const child of alive) child.kill("SIGTERM");
}
