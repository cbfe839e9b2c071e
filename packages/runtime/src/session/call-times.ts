// How long calls and subagents work. The time that a person is waited for, in a call or in an agent that works for it, does
// not count.

export class CallTimes {
  readonly #now: () => number;
  /** Of what is running now, by id. */
  readonly #clocks = new Map<string, Clock>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Begins to time a call, or an agent by its id, that works for `above`. The function ends it; it can be called again. */
  start(id: string, above?: string): () => number {
    const clock = new Clock(this.#now(), above);
    this.#clocks.set(id, clock);
    let ms: number | undefined;
    return () => {
      // Some providers reuse ids.
      if (this.#clocks.get(id) === clock) this.#clocks.delete(id);
      return (ms ??= clock.ms(this.#now()));
    };
  }

  /** So far; undefined if it is not being timed. */
  msOf(id: string): number | undefined {
    return this.#clocks.get(id)?.ms(this.#now());
  }

  /** A person is asked for these: their clocks stop, and those of whatever they work for. */
  async whileAsking<T>(ids: Iterable<string>, question: () => Promise<T>): Promise<T> {
    const stopped = new Set([...ids].flatMap((id) => this.#upwards(id)));
    for (const clock of stopped) clock.stop(this.#now());
    try {
      return await question();
    } finally {
      for (const clock of stopped) clock.goOn(this.#now());
    }
  }

  #upwards(id: string | undefined): readonly Clock[] {
    const found = new Set<Clock>();
    for (
      let clock = this.#clocks.get(id ?? "");
      clock && !found.has(clock);
      clock = this.#clocks.get(clock.above ?? "")
    )
      found.add(clock);
    return [...found];
  }
}

class Clock {
  readonly above: string | undefined;
  readonly #startedMs: number;
  #questions = 0;
  #askedMs = 0;
  #waitedMs = 0;

  constructor(startedMs: number, above: string | undefined) {
    this.#startedMs = startedMs;
    this.above = above;
  }

  stop(now: number): void {
    if (this.#questions++ === 0) this.#askedMs = now;
  }

  goOn(now: number): void {
    if (--this.#questions === 0) this.#waitedMs += now - this.#askedMs;
  }

  ms(now: number): number {
    return (this.#questions > 0 ? this.#askedMs : now) - this.#startedMs - this.#waitedMs;
  }
}
