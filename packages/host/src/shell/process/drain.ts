// Waits for a command and reads its output, without waiting for children that keep the pipe open.

import type { RunningCommand } from "./command.ts";
import type { OutputCollector } from "../output.ts";

const QUIET_MS = 10;
const QUIET_ROUNDS = 3;
const MAX_DRAIN_MS = 250;

/**
 * Resolves with the exit code once the shell has exited and its output has been read. If a background child (`server &`)
 * keeps writing, that is read and dropped, or the child would block on a full pipe.
 */
export async function drain(
  child: Pick<RunningCommand, "exited" | "output">,
  output: Pick<OutputCollector, "push">,
): Promise<number | null> {
  let chunks = 0;
  let isOver = false;
  let atEnd = false;
  const reading = (async () => {
    for await (const chunk of child.output) {
      if (isOver) continue;
      chunks++;
      output.push(chunk);
    }
    atEnd = true;
  })();

  const code = await child.exited;
  // The output nearly always ends with the exit. Otherwise, read until nothing arrives for a moment.
  const deadline = performance.now() + MAX_DRAIN_MS;
  for (let quiet = 0; quiet < QUIET_ROUNDS && performance.now() < deadline;) {
    const before = chunks;
    await Promise.race([reading, Bun.sleep(QUIET_MS)]);
    if (atEnd) break;
    quiet = chunks === before ? quiet + 1 : 0;
  }
  isOver = true;
  reading.catch(() => {}); // the rest is dropped
  return code;
}
