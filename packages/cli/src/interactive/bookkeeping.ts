// What the user's global config file keeps about starts and ends, as compatible programs write it.

import { lstatSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Snapshot } from "@keelson/config";
import { holdOwnFolder } from "@keelson/disk/own-files";
import { realPathOf } from "@keelson/disk/real-path";
import { changeGlobalState, globalFile, type StateEdit } from "@keelson/config/global-state";
import { isObject, type ResultMessage } from "@keelson/protocol";

const MOST_BACKUPS = 5;
/** Programs that start one after the other would push older backups out. */
const BACKUP_AGE_MS = 60_000;

/** Returns a sentence if it fails. */
export async function noteStart(snapshot: Snapshot, now: number): Promise<string | undefined> {
  backUp(snapshot, now);
  return changeGlobalState(snapshot, ({ numStartups, firstStartTime }) => [
    { path: ["numStartups"], value: typeof numStartups === "number" ? numStartups + 1 : 1 },
    ...(firstStartTime === undefined ? [{ path: ["firstStartTime"], value: new Date(now).toISOString() }] : []),
    { path: ["projects", snapshot.cwd, "lastGracefulShutdown"], value: false },
  ]);
}

/** Whether the notice about auto mode is still to be shown. It counts as shown from then on. */
export async function isFirstAutoMode(snapshot: Snapshot): Promise<boolean> {
  let isFirst = false;
  await changeGlobalState(snapshot, ({ hasSeenAutoModeNotice: seen }) => {
    isFirst = seen !== true;
    return isFirst ? [{ path: ["hasSeenAutoModeNotice"], value: true }] : [];
  });
  return isFirst;
}

/** What the last `result` of a session said. */
export interface SessionTotals {
  readonly sessionId: string;
  /** Milliseconds since the start. */
  readonly duration: number;
  readonly result?: ResultMessage;
}

/** Returns a sentence if it fails. */
export async function noteEnd(snapshot: Snapshot, totals: SessionTotals): Promise<string | undefined> {
  const { sessionId, duration, result } = totals;
  const usage: unknown = result?.modelUsage;
  const models: readonly unknown[] = isObject(usage) ? Object.values(usage) : [];
  const sum = (field: string) =>
    models.reduce<number>((total, model) => total + (isObject(model) ? numberIn(model[field]) : 0), 0);
  const values: Readonly<Record<string, unknown>> = {
    lastGracefulShutdown: true,
    lastCost: numberIn(result?.total_cost_usd),
    lastAPIDuration: numberIn(result?.duration_api_ms),
    lastDuration: Math.round(duration),
    lastTotalInputTokens: sum("inputTokens"),
    lastTotalOutputTokens: sum("outputTokens"),
    lastTotalCacheCreationInputTokens: sum("cacheCreationInputTokens"),
    lastTotalCacheReadInputTokens: sum("cacheReadInputTokens"),
    lastTotalWebSearchRequests: sum("webSearchRequests"),
    lastModelUsage: isObject(usage) ? usage : {},
    lastSessionId: sessionId,
  };
  return changeGlobalState(snapshot, () =>
    Object.entries(values).map(([name, value]): StateEdit => ({ path: ["projects", snapshot.cwd, name], value })),
  );
}

const numberIn = (value: unknown) => (typeof value === "number" && Number.isFinite(value) ? value : 0);

/** A copy that cannot be made is not worth a word: the file itself is written safely. */
function backUp(snapshot: Snapshot, now: number): void {
  try {
    const file = globalFile(snapshot);
    if (!lstatSync(file).isFile()) return;
    using folder = holdOwnFolder(join(realPathOf(snapshot.configDir), "backups"), { create: 0o700 });
    const old = readdirSync(folder.at("."))
      .flatMap((name) => /^\.claude\.json\.backup\.(\d+)$/.exec(name)?.[1] ?? [])
      .map(Number)
      .toSorted((a, b) => b - a);
    if (old.length > 0 && now - old[0]! < BACKUP_AGE_MS && old[0]! <= now) return;
    const at = (stamp: number) => folder.at(`.claude.json.backup.${stamp}`);
    writeFileSync(at(now), readFileSync(file), { flag: "wx", mode: 0o600 });
    for (const stamp of old.slice(MOST_BACKUPS - 1)) unlinkSync(at(stamp));
  } catch {
    // No file yet, or no room.
  }
}
