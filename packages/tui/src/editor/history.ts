// Walking through earlier prompts with Up and Down. The draft waits at the bottom.

import type { TypedPrompt } from "@keelson/protocol";

export type HistoryEntry = Pick<TypedPrompt, "display" | "pastedContents">;

export class HistoryWalk {
  readonly #load: () => Promise<readonly HistoryEntry[]>;
  #lines: readonly HistoryEntry[] | undefined;
  /** Sent in this session before the file was read. */
  #own: HistoryEntry[] = [];
  #loading: Promise<void> | undefined;
  /** -1 is the draft. */
  #at = -1;
  /** What was written at each place of the walk, the draft included. */
  readonly #edited = new Map<number, HistoryEntry>();

  /** `load` gives the lines of this folder, newest first. It is called when the first key is pressed. */
  constructor(load: () => Promise<readonly HistoryEntry[]>) {
    this.#load = load;
  }

  get isLoaded(): boolean {
    return this.#lines !== undefined;
  }

  /** Reads the lines once. History that cannot be read is empty. */
  load(): Promise<void> {
    this.#loading ??= this.#load().then(
      (lines) => {
        this.#lines = lines;
      },
      () => {
        this.#lines = [];
      },
    );
    return this.#loading;
  }

  /** A line that was sent. The walk starts anew. */
  add(line: HistoryEntry): void {
    if (this.#own[0]?.display !== line.display) this.#own = [line, ...this.#own];
    this.restart();
  }

  /** Whether the walk is at this line, which was not changed. */
  isAt({ display }: HistoryEntry): boolean {
    return this.#at >= 0 && (this.#own[this.#at] ?? this.#lines?.[this.#at - this.#own.length])?.display === display;
  }

  /** The draft that waits while the walk is elsewhere. */
  get waiting(): HistoryEntry | undefined {
    return this.#at >= 0 ? this.#edited.get(-1) : undefined;
  }

  restart(): void {
    this.#at = -1;
    this.#edited.clear();
  }

  /** The next older line that is not what is on the screen. */
  older(current: HistoryEntry): HistoryEntry | undefined {
    for (let at = this.#at + 1; ; at += 1) {
      const entry = this.#entry(at);
      if (!entry) return undefined;
      if (entry.display === current.display) continue;
      return this.#go(at, entry, current);
    }
  }

  newer(current: HistoryEntry): HistoryEntry | undefined {
    for (let at = this.#at - 1; at >= -1; at -= 1) {
      const entry = this.#entry(at);
      if (entry && (at === -1 || entry.display !== current.display)) return this.#go(at, entry, current);
    }
    return undefined;
  }

  #go(at: number, entry: HistoryEntry, current: HistoryEntry): HistoryEntry {
    this.#edited.set(this.#at, current);
    this.#at = at;
    return entry;
  }

  #entry(at: number): HistoryEntry | undefined {
    return this.#edited.get(at) ?? this.#own[at] ?? this.#lines?.[at - this.#own.length];
  }
}
