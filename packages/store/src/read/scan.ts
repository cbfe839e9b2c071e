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

/** What the transcript last said about the session. */
export interface StoredFacts {
  readonly costState: CostState | undefined;
  readonly title: string | undefined;
  readonly lastPrompt: string | undefined;
  /** The agent that the session runs as. */
  readonly agent: string | undefined;
  /** The last permission mode of the session. */
  readonly mode: PermissionMode | undefined;
  /** The worktree that the session is in. */
  readonly worktree: PersistedWorktree | undefined;
  /** The last title, tag and name, for the writer to repeat. */
  readonly sticky: readonly MetadataEntry[];
  /** The jobs that were not over. */
  readonly schedules: readonly ScheduledJob[];
  /** The folders it worked in. */
  readonly folders: readonly string[];
}

export interface Scanned extends Rewindable, StoredFacts {
  /** For each link: where its line is, and the entry if it is newer than the last compaction. */
  readonly places: readonly LinePosition[];
  readonly wakeup: ScheduledWakeup | undefined;
}

export interface LinePosition {
  readonly offset: number;
  readonly length: number;
  entry: ChainEntry | undefined;
}

/** Throws only if the file cannot be read. */
export function scan(path: string): Scanned {
  const links: Link[] = [];
  const places: LinePosition[] = [];
  const newest = new Map<string, Record<string, unknown>>();
  const schedules = new Map<string, ScheduledJob>();
  const folders = new Set<string>();
  let wakeup: ScheduledWakeup | undefined;
  let live = 0;
  let rewoundTo: string | null | undefined;
  let mode: PermissionMode | undefined;

  for (const { bytes, offset } of byteLines(path)) {
    let value = parseLive(bytes);
    if (value === undefined) {
      const { entry, uuids, parentUuid } = salvage(bytes);
      value = entry;
      for (const uuid of uuids) {
        if (uuid === entry?.["uuid"]) continue;
        links.push(ghostOf(uuid, parentUuid));
        places.push({ offset, length: bytes.length, entry: undefined });
      }
    }
    if (isChainEntry(value)) {
      const link = linkOf(value);
      if (link.isBoundary && !link.isAside) {
        for (; live < places.length; live++) places[live]!.entry = undefined;
      }
      if (!link.isAside) {
        rewoundTo = undefined;
        mode = modeIn(value) ?? mode;
        if (isFolder(value.cwd)) folders.add(value.cwd);
      }
      links.push(link);
      places.push({ offset, length: bytes.length, entry: link.isGhost ? undefined : value });
    } else if (value !== undefined && typeof value["type"] === "string" && KEPT.has(value["type"])) {
      newest.set(value["type"], value);
    } else if (value?.["type"] === "permission-mode") {
      mode = modeIn(value) ?? mode;
    } else if (value?.["type"] === "keelson-rewind") {
      rewoundTo = rewindIn(value);
    } else if (value?.["type"] === "keelson-schedule" && typeof value["id"] === "string") {
      schedules.delete(value["id"]);
      if (isScheduledJob(value["job"])) schedules.set(value["id"], value["job"]);
      // There is one at a time.
      if (isWakeup(value["wakeup"])) wakeup = value["wakeup"];
      else if (wakeup?.id === value["id"]) wakeup = undefined;
    }
  }

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
    mode,
    worktree: isWorktree(worktree) ? worktree : undefined,
    sticky: [...STICKY].flatMap((type) => (newest.get(type) as MetadataEntry | undefined) ?? []),
    rewoundTo,
    schedules: [...schedules.values()],
    folders: [...folders],
    wakeup,
  };
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

function modeIn(entry: object): PermissionMode | undefined {
  const { permissionMode } = entry as { readonly permissionMode?: unknown };
  return isPermissionMode(permissionMode) ? permissionMode : undefined;
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
