// Loads a conversation from a transcript to continue it.

import { isChainEntry, type ChainEntry, type ScheduledWakeup } from "@keelson/protocol";
import type { ChainStep } from "../read/chain.ts";
import { openRanges } from "../read/lines.ts";
import { parseLive, salvage } from "../read/parse-line.ts";
import { chainIn } from "../read/rewound.ts";
import { scan, withProof, type Scanned, type StoredFacts } from "../read/scan.ts";
import { openProofs, type Proofs } from "../transcript/seals.ts";

export interface LoadedSession extends StoredFacts {
  /** The conversation since the last compaction, oldest first, without `toolUseResult`. */
  readonly entries: readonly ChainEntry[];
  /** The parent of the next entry; null if the conversation is empty. */
  readonly leafUuid: string | null;
  /** The last working directory of the conversation. */
  readonly cwd: string | undefined;
  /** The wake-up that was pending. */
  readonly wakeup?: ScheduledWakeup;
  /** Lines that are damaged and were skipped, wholly or in part. */
  readonly damaged: number;
}

export interface ResumeOptions {
  readonly path: string;
  /** Ends the conversation at this entry. */
  readonly at?: string | undefined;
  /** The folder with the secret for proofs. Without it, nothing is proven. */
  readonly configDir?: string;
}

/** Undefined if `at` is not in the file. Throws if the file cannot be read. */
export function loadSession({ path, at, configDir }: ResumeOptions): LoadedSession | undefined {
  const proofs = configDir === undefined ? undefined : openProofs(configDir, path);
  const scanned = scan(path, proofs);
  const { steps, leafUuid } = chainIn(scanned, at);
  if (at !== undefined && steps.length === 0) return undefined;
  const entries = entriesOf(path, scanned, steps, proofs);
  return {
    entries,
    leafUuid,
    costState: scanned.costState,
    title: scanned.title,
    lastPrompt: scanned.lastPrompt,
    agent: scanned.agent,
    mode: scanned.mode,
    worktree: scanned.worktree,
    cwd: entries.findLast((entry) => typeof entry.cwd === "string")?.cwd,
    sticky: scanned.sticky,
    schedules: scanned.schedules,
    unprovenJobs: scanned.unprovenJobs,
    folders: scanned.folders,
    damaged: scanned.damaged,
    ...(scanned.wakeup ? { wakeup: scanned.wakeup } : {}),
  };
}

function entriesOf(
  path: string,
  { places }: Scanned,
  steps: readonly ChainStep[],
  proofs: Proofs | undefined,
): ChainEntry[] {
  let ranges: ReturnType<typeof openRanges> | undefined;
  try {
    return steps.flatMap(({ index, parentUuid }) => {
      const place = places[index]!;
      const read = () => (ranges ??= openRanges(path)).read(place.offset, place.length);
      const entry = place.entry ?? entryAt(read(), proofs?.has(place.digest) === true);
      if (entry === undefined) return [];
      return entry.parentUuid === parentUuid ? entry : { ...entry, parentUuid };
    });
  } finally {
    ranges?.close();
  }
}

function entryAt(bytes: Buffer, isProven: boolean): ChainEntry | undefined {
  const value = parseLive(bytes) ?? salvage(bytes).entry;
  return isChainEntry(value) ? withProof(value, isProven) : undefined;
}
