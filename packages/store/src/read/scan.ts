// Reads a transcript once to resume it: the links of all entries, and the metadata. Keeps only the entries since the last
// compaction; older ones can be read again by offset.

import {
  isChainEntry,
  isObject,
  isPermissionMode,
  type ChainEntry,
  type CostState,
  type MetadataEntry,
  type PermissionMode,
  type PersistedWorktree,
  type ScheduledJob,
  type ScheduledWakeup,
} from "@keelson/protocol";
import { byteLines } from "./lines.ts";
import { ghostOf, linkOf, type Link } from "./link.ts";
import { parseLive, salvage } from "./parse-line.ts";
import { rewindIn, type Rewindable } from "./rewound.ts";
import { STICKY } from "../transcript/sticky.ts";
import { isGrant, type Proofs } from "../transcript/seals.ts";

/** What the transcript last said about the session. */
export interface StoredFacts {
  readonly costState: CostState | undefined;
  readonly title: string | undefined;
  readonly lastPrompt: string | undefined;
  /** The agent that the session runs as. */
  readonly agent: string | undefined;
  /** The last permission mode of the session. Anyone may have written `last`; `proven` is the last that is Keelson's. */
  readonly mode: { readonly last?: PermissionMode; readonly proven?: PermissionMode; readonly isProven: boolean };
  /** The worktree that the session is in. */
  readonly worktree: (PersistedWorktree & { readonly isProven: boolean }) | undefined;
  /** The last title, tag and name, for the writer to repeat. */
  readonly sticky: readonly MetadataEntry[];
  /** The jobs that were not over. */
  readonly schedules: readonly ScheduledJob[];
  /** How many jobs and wake-ups are left out, since nothing proves that they are the session's. */
  readonly unprovenJobs: number;
  /** The folders it worked in. */
  readonly folders: readonly string[];
}

export interface Scanned extends Rewindable, StoredFacts {
  /** For each link: where its line is, and the entry if it is newer than the last compaction. */
  readonly places: readonly LinePosition[];
  readonly wakeup: ScheduledWakeup | undefined;
  /** Lines that are damaged, wholly or in part. Not the last one, if it was never finished: no one has seen what it says. */
  readonly damaged: number;
}

export interface LinePosition {
  readonly offset: number;
  readonly length: number;
  entry: ChainEntry | undefined;
  /** Of an entry that may be proven. */
  readonly digest: string | undefined;
}

/** Without `proofs`, nothing is proven. Throws only if the file cannot be read. */
export function scan(path: string, proofs?: Proofs): Scanned {
  const links: Link[] = [];
  const places: LinePosition[] = [];
  const newest = new Map<string, Record<string, unknown>>();
  const schedules = new Map<string, { readonly job: ScheduledJob; readonly digest: string | undefined }>();
  const over = new Set<string>();
  let wakeup: { readonly wakeup: ScheduledWakeup; readonly digest: string | undefined } | undefined;
  const modes: RecordedMode[] = [];
  let worktreeDigest: string | undefined;
  const folders = new Set<string>();
  let live = 0;
  let rewoundTo: string | null | undefined;

  let damaged = 0;
  for (const { bytes, offset, isTorn } of byteLines(path, { onSkip: () => damaged++ })) {
    let value = parseLive(bytes);
    if (value === undefined) {
      if (!isTorn) damaged++;
      const { entry, uuids, parentUuid } = salvage(bytes);
      value = entry;
      for (const uuid of uuids) {
        if (uuid === entry?.["uuid"]) continue;
        links.push(ghostOf(uuid, parentUuid));
        places.push({ offset, length: bytes.length, entry: undefined, digest: undefined });
      }
    }
    const digest = proofs && value !== undefined && isGrant(value as never) ? proofs.digestOf(bytes) : undefined;
    if (isChainEntry(value)) {
      const link = linkOf(value);
      if (link.isBoundary && !link.isAside) {
        for (; live < places.length; live++) places[live]!.entry = undefined;
      }
      if (!link.isAside) {
        rewoundTo = undefined;
        modes.push(...modeIn(value, digest));
        if (isFolder(value.cwd)) folders.add(value.cwd);
      }
      links.push(link);
      places.push({ offset, length: bytes.length, entry: link.isGhost ? undefined : value, digest });
    } else if (value !== undefined && typeof value["type"] === "string" && KEPT.has(value["type"])) {
      newest.set(value["type"], value);
      if (value["type"] === "worktree-state") worktreeDigest = digest;
    } else if (value?.["type"] === "keelson-seal") {
      proofs?.add(value);
    } else if (value?.["type"] === "permission-mode") {
      modes.push(...modeIn(value, digest));
    } else if (value?.["type"] === "keelson-rewind") {
      rewoundTo = rewindIn(value);
    } else if (value?.["type"] === "keelson-schedule" && typeof value["id"] === "string") {
      const { id } = value;
      if (isScheduledJob(value["job"])) schedules.set(id, { job: value["job"], digest });
      // There is one at a time.
      else if (isWakeup(value["wakeup"])) wakeup = { wakeup: value["wakeup"], digest };
      else over.add(id);
    }
  }
  for (const place of places) {
    if (place.entry !== undefined) place.entry = withProof(place.entry, proofs?.has(place.digest) === true);
  }
  // What is over does not come back, also if the line that began it is in the file again.
  if (wakeup && over.has(wakeup.wakeup.id)) wakeup = undefined;
  const jobs = [...schedules.values()].filter(({ job }) => !over.has(job.id));
  const proven = jobs.filter(({ digest }) => proofs?.has(digest));
  const isWakeupProven = wakeup !== undefined && proofs?.has(wakeup.digest) === true;

  const textIn = (type: string, key: string) => nonEmpty(newest.get(type)?.[key]);
  const costState = newest.get("cost-state");
  const worktree = newest.get("worktree-state")?.["worktreeSession"];
  return {
    links,
    places,
    costState: isCostState(costState) ? costState : undefined,
    title: textIn("custom-title", "customTitle") ?? textIn("ai-title", "aiTitle") ?? textIn("summary", "summary"),
    lastPrompt: textIn("last-prompt", "lastPrompt"),
    agent: textIn("agent-setting", "agentSetting"),
    mode: lastMode(modes, proofs),
    worktree: isWorktree(worktree) ? { ...worktree, isProven: proofs?.has(worktreeDigest) === true } : undefined,
    sticky: [...STICKY].flatMap((type) => (newest.get(type) as MetadataEntry | undefined) ?? []),
    rewoundTo,
    schedules: proven.map(({ job }) => job),
    folders: [...folders],
    damaged,
    wakeup: isWakeupProven ? wakeup?.wakeup : undefined,
    unprovenJobs: jobs.length - proven.length + (wakeup && !isWakeupProven ? 1 : 0),
  };
}

/** An entry as read from a file, which may claim anything. */
export function withProof(entry: ChainEntry, isProven: boolean): ChainEntry {
  if (isProven) return { ...entry, isProven };
  if (!("isProven" in entry)) return entry;
  const { isProven: _, ...rest } = entry;
  return rest as ChainEntry;
}

const KEPT = new Set([
  ...STICKY,
  "ai-title",
  "summary",
  "last-prompt",
  "agent-setting",
  "cost-state",
  "worktree-state",
]);

interface RecordedMode {
  readonly mode: PermissionMode;
  readonly at: string;
  readonly digest: string | undefined;
}

function modeIn(entry: object, digest: string | undefined): readonly RecordedMode[] {
  const { permissionMode: mode, timestamp } = entry as { readonly permissionMode?: unknown; timestamp?: unknown };
  return isPermissionMode(mode) ? [{ mode, at: typeof timestamp === "string" ? timestamp : "", digest }] : [];
}

/** An old line that is in the file once more, after newer ones, proves nothing. */
function lastMode(modes: readonly RecordedMode[], proofs: Proofs | undefined): StoredFacts["mode"] {
  let proven: RecordedMode | undefined;
  for (const each of modes) {
    if (proofs?.has(each.digest) && !(proven && each.at < proven.at)) proven = each;
  }
  const last = modes.at(-1);
  return {
    ...(last && { last: last.mode }),
    ...(proven && { proven: proven.mode }),
    isProven: last !== undefined && last === proven,
  };
}

function isWorktree(value: unknown): value is PersistedWorktree {
  const texts = ["originalCwd", "worktreePath", "worktreeName"];
  return isObject(value) && texts.every((key) => typeof value[key] === "string");
}

function isCostState(value: unknown): value is CostState {
  return isObject(value) && isObject(value["modelUsage"]) && typeof value["totalDuration"] === "number";
}

function isScheduledJob(value: unknown): value is ScheduledJob {
  if (!isObject(value)) return false;
  const { id, cron, prompt, createdAt, recurring } = value;
  const areTexts = [id, cron, prompt].every((text) => typeof text === "string");
  return areTexts && Number.isFinite(createdAt) && typeof recurring === "boolean";
}

function isWakeup(value: unknown): value is ScheduledWakeup {
  if (!isObject(value)) return false;
  const { id, at, prompt, reason, toolUseId } = value;
  return [id, prompt, reason, toolUseId].every((text) => typeof text === "string") && Number.isFinite(at);
}

const isFolder = (value: unknown): value is string => typeof value === "string" && value.startsWith("/");

const nonEmpty = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
