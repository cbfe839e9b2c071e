// The lock of systems without flock: a file beside the other that only one process can create. Work under a lock takes
// milliseconds, so an old file belongs to a process that died.

import { closeSync, openSync, rmSync, statSync } from "node:fs";

const STALE_MS = 20_000;

export function exclusiveFile(path: string): Disposable | undefined {
  const held = `${path}.held`;
  const mine = create(held);
  if (mine || !isStale(held)) return mine;
  // One process at a time looks again and takes it away: no one removes a lock that is new by then.
  using right = create(`${held}.taking`);
  if (right && isStale(held)) rmSync(held, { force: true });
  return undefined;
}

function create(path: string): Disposable | undefined {
  try {
    closeSync(openSync(path, "wx", 0o600));
    return { [Symbol.dispose]: () => rmSync(path, { force: true }) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return undefined;
    throw error;
  }
}

function isStale(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  // One from the future is as old: the clock was set back.
  return stat !== undefined && Math.abs(Date.now() - stat.mtimeMs) > STALE_MS;
}
