// Records what the model has seen of each file, and when our own commands ran. Decides nothing.

import type { ReadLedger, Sighting } from "@keelson/engine";

const MAX_FILES = 10_000;
const MAX_COMMANDS = 1_000;
/** File times come from a clock that ticks every few milliseconds, so they may be before the start of the command. */
const TICK_MS = 10;

export interface Ledger extends ReadLedger {
  /** A new conversation has seen no file. */
  forget(): void;
  /** An independent copy, for a fork. */
  copy(): Ledger;
}

export function createLedger(): Ledger {
  return makeLedger(new Map(), []);
}

function makeLedger(sightings: Map<string, Sighting>, commands: { startMs: number; endMs: number }[]): Ledger {
  return {
    get: (path) => sightings.get(path),
    set(path, sighting) {
      sightings.delete(path);
      sightings.set(path, sighting);
      if (sightings.size > MAX_FILES) sightings.delete(sightings.keys().next().value!);
    },
    recent: () => [...sightings.keys()].reverse(),
    forgetContents() {
      for (const [path, sighting] of sightings) sightings.set(path, { ...sighting, by: "write" });
    },
    commandRan(startMs, endMs) {
      commands.push({ startMs, endMs });
      if (commands.length > MAX_COMMANDS) commands.shift();
    },
    wasOwnCommand: (mtimeMs) =>
      commands.some(({ startMs, endMs }) => mtimeMs >= startMs - TICK_MS && mtimeMs < endMs + 1),
    forget: () => sightings.clear(),
    copy: () => makeLedger(new Map(sightings), [...commands]),
  };
}
