// Sockets that went away between our look and bubblewrap's: it fails where their folder is gone, too, and otherwise puts an
// empty file in their place, where their program could not listen again.

import { rmdirSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import { lstatOrNull } from "../guarded/stat.ts";

/** Whether bubblewrap gave up because of it: nothing of the command ran. */
export function gaveUpForVanished(
  sockets: readonly string[],
  { text, code }: { readonly text: string; readonly code: number | null },
): boolean {
  if (code !== 1 || !/^\s*bwrap: [^\n]+\s*$/.test(text)) return false;
  return sockets.some((path) => lstatOrNull(path) === null);
}

const STEP_MS = 20;

/** What bubblewrap put there since then, with folders that it made for it. */
export function removePlaceholders(sockets: readonly string[], sinceMs: number): void {
  const isNew = (path: string) => (lstatOrNull(path)?.birthtimeMs ?? 0) >= sinceMs;
  for (const path of sockets) {
    const found = lstatOrNull(path);
    // File systems count time in steps: it may look a little older.
    const isOurs =
      found?.isFile() === true &&
      found.size === 0 &&
      (found.mode & 0o777) === 0o444 &&
      (found.birthtimeMs || found.ctimeMs) >= sinceMs - STEP_MS;
    if (!isOurs) continue;
    try {
      unlinkSync(path);
      for (let at = dirname(path); isNew(at); at = dirname(at)) rmdirSync(at);
    } catch {
      // Someone else uses the folder.
    }
  }
}
