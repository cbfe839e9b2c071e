// Waits for a command and takes what it printed, without waiting for children that keep its output open.

import type { RunningCommand } from "./command.ts";
import type { OutputCollector } from "../output.ts";

const QUIET_MS = 10;
const QUIET_ROUNDS = 3;
const MAX_DRAIN_MS = 250;

/**
 * Resolves with the exit code once the shell has exited and its output is in. A child left behind (`server &`) keeps
 * writing; that is read and thrown away, or it would block on a full pipe.
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
  // Nearly always the end comes with the exit. Otherwise: whatever arrives until it is quiet for a moment.
  const deadline = performance.now() + MAX_DRAIN_MS;
  for (let quiet = 0; quiet < QUIET_ROUNDS && performance.now() < deadline;) {
    const before = chunks;
    await Promise.race([reading, Bun.sleep(QUIET_MS)]);
    if (atEnd) break;
    quiet = chunks === before ? quiet + 1 : 0;
  }
  isOver = true;
  reading.catch(() => {}); // nobody waits for the rest
  return code;
}
