// What is asked for now and then: the figures of this server and its store.

import type { RunStore } from "../store/run-store.ts";
import { processFigures, storeFigures, type Figure } from "./figures.ts";

export interface ServerMeter {
  figures(): Promise<readonly Figure[]>;
  /** A request was answered. */
  answered(status: number, ms: number): void;
  alarmed(): void;
}

/** Whoever asks more often gets the same again: looking costs the database something. */
const FRESH_MS = 1_000;
/** As the watchdog has it. */
const OVERDUE_MS = 60_000;

export function createMeter(
  store: Pick<RunStore, "counts" | "overdue">,
  version: string,
  now: () => number,
): ServerMeter {
  const startedMs = now();
  const requests = new Map<string, { count: number; seconds: number }>();
  let alarms = 0;
  let asked: { readonly at: number; readonly figures: Promise<readonly Figure[]> } | undefined;
  const ofStore = async () => {
    const [counts, overdue] = await Promise.all([store.counts(), store.overdue(OVERDUE_MS)]);
    return storeFigures(counts, overdue.length);
  };
  return {
    async figures() {
      if (asked === undefined || now() - asked.at > FRESH_MS) {
        const figures = ofStore();
        asked = { at: now(), figures };
        figures.catch(() => (asked = undefined));
      }
      const { user, system } = process.cpuUsage();
      const own = { version, startedMs, cpuSeconds: (user + system) / 1e6, memoryBytes: process.memoryUsage.rss() };
      return [...(await asked.figures), ...processFigures({ ...own, alarms, requests })];
    },
    answered(status, ms) {
      const name = `${Math.floor(status / 100)}xx`;
      const row = requests.get(name) ?? { count: 0, seconds: 0 };
      row.count++;
      row.seconds += ms / 1_000;
      requests.set(name, row);
    },
    alarmed: () => void alarms++,
  };
}
