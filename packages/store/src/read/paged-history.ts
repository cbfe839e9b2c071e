// The whole conversation of a transcript that still grows, in parts: what a client is shown of it, from the newest back, or
// from the start. It is read in slices, so that other work in this process is not delayed, and only the places of
// entries are kept.

import { isChainEntry, isJoinedPrompt, type ChainEntry } from "@keelson/protocol";
import { HistoryScan } from "./history-scan.ts";
import { byteLines, openRanges } from "./lines.ts";
import { parseLine, salvage } from "./parse-line.ts";

export interface PagedHistoryOptions<Shown> {
  readonly path: string;
  /** What an entry is to a client; undefined if it is not shown. */
  show(entry: ChainEntry): Shown | undefined;
  /** Lets others work. */
  pause(): Promise<void>;
}

export interface PageQuery {
  /** The id of something that is shown. Absent: the end. */
  readonly before?: string | undefined;
  readonly limit: number;
  /** The most that the lines of a page have together, unless it is one line. */
  readonly maxBytes?: number;
  /** How much of the file is read, in bytes. */
  readonly until: number;
}

export interface HistoryPage<Shown> {
  /** Oldest first; each is read when it is asked for. */
  readonly shown: AsyncGenerator<Shown>;
  /** What to ask for next: the id of the oldest; null if nothing is older. */
  readonly before: string | null;
}

/** The longest stretch without a pause. */
const SLICE_MS = 4;

export class PagedHistory<Shown> {
  readonly #options: PagedHistoryOptions<Shown>;
  readonly #scan = new HistoryScan();
  /** The ids of what is shown for an entry, where it is not its own, by the place of its link. */
  readonly #shownAs = new Map<number, string>();
  #scanned = 0;
  #scanning: Promise<void> = Promise.resolve();
  #kept: { readonly until: number; readonly places: readonly number[] } | undefined;
  #pausedAt = 0;

  constructor(options: PagedHistoryOptions<Shown>) {
    this.#options = options;
  }

  /** Everything, in file order. */
  async *all(until: number): AsyncGenerator<Shown> {
    const { path, show } = this.#options;
    const wanted = new Set((await this.#places(until)).map((place) => this.#scan.lines[place]!.offset));
    for (const { bytes, offset } of byteLines(path, { until })) {
      const shown = wanted.has(offset) ? this.#read(bytes, show) : undefined;
      if (shown !== undefined) yield shown;
      if (this.#isDue) await this.#breathe();
    }
  }

  /** Undefined if `before` is the id of nothing that is shown. Throws if the file cannot be read. */
  async page({ before, limit, maxBytes = Infinity, until }: PageQuery): Promise<HistoryPage<Shown> | undefined> {
    const places = await this.#places(until);
    const end = before === undefined ? places.length : places.findLastIndex((place) => this.#idOf(place) === before);
    if (end < 0) return undefined;
    const found: number[] = [];
    let bytes = 0;
    let isMore = false;
    for await (const { place } of this.#shown(places.slice(0, end).toReversed())) {
      bytes += this.#scan.lines[place]!.length;
      isMore = found.length === limit || (found.length > 0 && bytes > maxBytes);
      if (isMore) break;
      found.push(place);
    }
    const oldest = found.at(-1);
    return {
      shown: valuesOf(this.#shown(found.reverse())),
      before: isMore && oldest !== undefined ? this.#idOf(oldest) : null,
    };
  }

  /** What is shown at these places, in this order. */
  async *#shown(places: readonly number[]): AsyncGenerator<{ readonly place: number; readonly value: Shown }> {
    const { path, show } = this.#options;
    const ranges = openRanges(path);
    try {
      for (const place of places) {
        const { offset, length } = this.#scan.lines[place]!;
        const value = this.#read(ranges.read(offset, length), show);
        if (value !== undefined) yield { place, value };
        if (this.#isDue) await this.#breathe();
      }
    } finally {
      ranges.close();
    }
  }

  #read(bytes: Buffer, show: PagedHistoryOptions<Shown>["show"]): Shown | undefined {
    const value = parseLine(bytes) ?? salvage(bytes).entry;
    return isChainEntry(value) ? show(value) : undefined;
  }

  #idOf(place: number): string {
    return this.#shownAs.get(place) ?? this.#scan.links[place]!.uuid;
  }

  /** Of the conversation's entries, in file order. */
  async #places(until: number): Promise<readonly number[]> {
    this.#scanning = this.#scanning.catch(() => undefined).then(() => this.#scanTo(until));
    await this.#scanning;
    if (this.#kept?.until !== until) {
      this.#kept = { until, places: [...this.#scan.kept(until)].sort((a, b) => a - b) };
    }
    return this.#kept.places;
  }

  async #scanTo(until: number): Promise<void> {
    if (until <= this.#scanned) return;
    const scan = this.#scan;
    for (const line of byteLines(this.#options.path, { from: this.#scanned, until })) {
      const entry: unknown = scan.add(line)?.value;
      this.#scanned = line.offset + line.bytes.length + 1;
      if (isChainEntry(entry) && isJoinedPrompt(entry)) {
        const { source_uuid: id } = entry.attachment;
        if (typeof id === "string") this.#shownAs.set(scan.links.length - 1, id);
      }
      if (this.#isDue) await this.#breathe();
    }
    this.#scanned = until;
  }

  get #isDue(): boolean {
    return performance.now() - this.#pausedAt > SLICE_MS;
  }

  async #breathe(): Promise<void> {
    await this.#options.pause();
    this.#pausedAt = performance.now();
  }
}

async function* valuesOf<Value>(all: AsyncGenerator<{ readonly value: Value }>): AsyncGenerator<Value> {
  for await (const { value } of all) yield value;
}
