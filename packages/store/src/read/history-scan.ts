// Which entries of a transcript are the whole conversation, across its compactions: line after line is added, and what is
// kept can be asked for at any time, also as it was when the file was shorter.

import { isChainEntry, type ChainEntry } from "@keelson/protocol";
import { chainIn, rewindIn } from "./rewound.ts";
import { ghostOf, linkOf, type Link } from "./link.ts";
import { parseLine, salvage } from "./parse-line.ts";
import type { ByteLine } from "./lines.ts";

export class HistoryScan {
  readonly links: Link[] = [];
  /** Of the line of each link. */
  readonly lines: { readonly offset: number; readonly length: number }[] = [];
  readonly #boundaries: Boundary[] = [];
  /** Where the conversation went back, and where it went on (undefined). */
  readonly #rewinds: { readonly offset: number; readonly to: string | null | undefined }[] = [];
  /** Lines that are damaged, wholly or in part. */
  damaged = 0;

  /** Returns what the line says, if that can be read. `isEntry`: a readable one, whose link is the last. */
  add({ bytes, offset }: ByteLine): { readonly value: Record<string, unknown>; readonly isEntry: boolean } | undefined {
    const line = { offset, length: bytes.length };
    const add = (link: Link) => {
      this.links.push(link);
      this.lines.push(line);
    };
    let value = parseLine(bytes);
    if (value === undefined) {
      this.damaged++;
      const { entry, uuids, parentUuid } = salvage(bytes);
      value = entry;
      for (const uuid of uuids) if (uuid !== entry?.["uuid"]) add(ghostOf(uuid, parentUuid));
    }
    if (value === undefined) return undefined;
    if (value["type"] === "keelson-rewind") this.#rewinds.push({ offset, to: rewindIn(value) });
    if (!isChainEntry(value)) return { value, isEntry: false };
    const own = linkOf(value);
    const link = own.isBoundary ? acrossCompaction(own, value) : own;
    const lastKept = lastOf(own.preserved);
    if (lastKept !== undefined) this.#boundaries.push({ place: this.links.length, lastKept });
    if (!link.isAside && this.#rewinds.at(-1)?.to !== undefined) this.#rewinds.push({ offset, to: undefined });
    if (link.isGhost && (value.type as string) !== "progress") this.damaged++;
    add(link);
    return { value, isEntry: !link.isGhost };
  }

  /** The indices of the links that are part of the conversation; `until`: as they were in so many bytes of the file. */
  kept(until = Infinity): ReadonlySet<number> {
    const count = this.lines.findLastIndex(({ offset }) => offset < until) + 1;
    const links = count === this.links.length ? this.links : this.links.slice(0, count);
    const rewoundTo = this.#rewinds.findLast(({ offset }) => offset < until)?.to;
    const boundaries = this.#boundaries.filter(({ place }) => place < count);
    return keptOf(links, boundaries, rewoundTo);
  }
}

/** A compaction that kept some messages. */
interface Boundary {
  /** Index of its link. */
  readonly place: number;
  readonly lastKept: string;
}

const lastOf = (preserved: Link["preserved"]) =>
  preserved && ("uuids" in preserved ? preserved.uuids.at(-1) : preserved.tail);

/** A compaction as an ordinary entry, whose parent is what it summarized. Without a known one: the entry before it. */
function acrossCompaction(link: Link, entry: ChainEntry): Link {
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
