// The whole conversation of a transcript, across its compactions, read in two passes: the first finds the entries that
// belong to it, the second gives them one by one. Never holds more than one entry.

import { isChainEntry, isObject, type ChainEntry } from "@keelson/protocol";
import { chainIn, rewindIn } from "./rewound.ts";
import { byteLines } from "./lines.ts";
import { ghostOf, linkOf, type Link } from "./link.ts";
import { parseLine, salvage } from "./parse-line.ts";

export interface History {
  readonly title: string | undefined;
  readonly cwd: string | undefined;
  readonly gitBranch: string | undefined;
  /** The version of the program that wrote the last entry. */
  readonly version: string | undefined;
  readonly firstAt: string | undefined;
  readonly lastAt: string | undefined;
  /** In the order they were first used. */
  readonly models: readonly string[];
  /** Undefined if no one counted it, null if a price is unknown. */
  readonly costUsd: number | null | undefined;
  /** Lines that are damaged, wholly or in part. */
  readonly damaged: number;
  /** Readable entries of branches that the conversation went back from. */
  readonly leftOut: number;
  /** In file order. Reads the file again. */
  entries(): Generator<ChainEntry>;
}

/** Throws if the file cannot be read. */
export function openHistory(path: string): History {
  const links: Link[] = [];
  const offsets: number[] = [];
  const boundaries: Boundary[] = [];
  const newest = new Map<string, Record<string, unknown>>();
  const models = new Set<string>();
  let [first, last]: (ChainEntry | undefined)[] = [];
  let damaged = 0;
  let rewoundTo: string | null | undefined;

  const add = (link: Link, offset: number) => {
    links.push(link);
    offsets.push(offset);
  };
  for (const { bytes, offset } of byteLines(path, { onSkip: () => damaged++ })) {
    let value = parseLine(bytes);
    if (value === undefined) {
      damaged++;
      const { entry, uuids, parentUuid } = salvage(bytes);
      value = entry;
      for (const uuid of uuids) if (uuid !== entry?.["uuid"]) add(ghostOf(uuid, parentUuid), offset);
    }
    if (value === undefined) continue;
    if (isChainEntry(value)) {
      const own = linkOf(value);
      const link = own.isBoundary ? acrossCompaction(own, value) : own;
      const lastKept = lastOf(own.preserved);
      if (lastKept !== undefined) boundaries.push({ place: links.length, lastKept });
      if (!link.isAside) rewoundTo = undefined;
      if (link.isGhost && (value.type as string) !== "progress") damaged++;
      add(link, offset);
      if (link.isGhost) continue;
      first ??= bare(value);
      last = bare(value);
      const model = modelIn(value);
      if (model !== undefined) models.add(model);
    } else if (value["type"] === "keelson-rewind") rewoundTo = rewindIn(value);
    else if (typeof value["type"] === "string" && FACTS.has(value["type"])) newest.set(value["type"], value);
  }

  const kept = keptOf(links, boundaries, rewoundTo);
  const wanted = new Set([...kept].map((index) => offsets[index]!));
  const textIn = (type: string, key: string) => textOrNone(newest.get(type)?.[key]);
  return {
    title: textIn("custom-title", "customTitle") ?? textIn("ai-title", "aiTitle") ?? textIn("summary", "summary"),
    cwd: textOrNone(first?.cwd),
    gitBranch: textOrNone(first?.gitBranch),
    version: textOrNone(last?.version),
    firstAt: textOrNone(first?.timestamp),
    lastAt: textOrNone(last?.timestamp),
    models: [...models],
    costUsd: costIn(newest.get("cost-state")),
    damaged,
    leftOut: links.filter((link, index) => !link.isGhost && !link.isAside && !kept.has(index)).length,
    *entries() {
      for (const { bytes, offset } of byteLines(path)) {
        if (!wanted.has(offset)) continue;
        const value = parseLine(bytes) ?? salvage(bytes).entry;
        if (isChainEntry(value)) yield value;
      }
    },
  };
}

const FACTS = new Set(["custom-title", "ai-title", "summary", "cost-state"]);

/** The fields that are looked at again; a whole entry may be large. */
const bare = ({ cwd, gitBranch, version, timestamp }: ChainEntry) =>
  ({ cwd, gitBranch, version, timestamp }) as ChainEntry;

/** A compaction that kept some messages. */
interface Boundary {
  /** Index of its link. */
  readonly place: number;
  readonly lastKept: string;
}

const lastOf = (preserved: Link["preserved"]) =>
  preserved && ("uuids" in preserved ? preserved.uuids.at(-1) : preserved.tail);

/** A compaction as an ordinary entry, whose parent is what it summarized. Without a known one: the entry before it. */
function acrossCompaction(link: Link, entry: object): Link {
  const { logicalParentUuid: before } = entry as { logicalParentUuid?: unknown };
  const parentUuid = typeof before === "string" ? before : (link.parentUuid ?? "");
  return { ...link, parentUuid, isBoundary: false, preserved: undefined };
}

/** The chain to the newest entry, and the compactions that it passed by: what they kept is older than they are. */
function keptOf(
  links: readonly Link[],
  boundaries: readonly Boundary[],
  rewoundTo: string | null | undefined,
): ReadonlySet<number> {
  const kept = new Set(chainIn({ links, rewoundTo }, undefined).steps.map(({ index }) => index));
  const byLast = Map.groupBy(boundaries, ({ lastKept }) => lastKept);
  for (const index of [...kept]) {
    const { parentUuid } = links[index]!;
    const passed = parentUuid === null ? undefined : byLast.get(parentUuid)?.findLast(({ place }) => place < index);
    if (passed === undefined) continue;
    const { uuid } = links[passed.place]!;
    const summary = links.findIndex((link) => link.isSummary && !link.isGhost && link.parentUuid === uuid);
    for (const each of [passed.place, summary]) if (each >= 0) kept.add(each);
  }
  return kept;
}

function modelIn(entry: object): string | undefined {
  const { type, message } = entry as { type?: unknown; message?: unknown };
  const model = type === "assistant" && isObject(message) ? textOrNone(message["model"]) : undefined;
  return model === "<synthetic>" ? undefined : model;
}

const textOrNone = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

function costIn(state: Record<string, unknown> | undefined): number | null | undefined {
  const cost = isObject(state) ? state["totalCostUSD"] : undefined;
  return cost === null || typeof cost === "number" ? cost : undefined;
}
