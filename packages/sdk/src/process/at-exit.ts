// Programs that must not outlive this process. When it exits, they are terminated; if it is killed, they end when their
// input ends.

import process from "node:process";
import type { SpawnedProcess } from "./spawn.ts";

// One list and one listener per process, because there is one exit. With a listener per program, Node would warn of a
// leak at the eleventh query.
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
