// A queue between the program, which writes at its own pace, and the caller, who reads at theirs. It only counts;
// whoever fills it decides how much is too much.

interface Held<Item> {
  readonly item: Item;
  readonly size: number;
}

interface Waiting<Item> {
  resolve(result: IteratorResult<Item, void>): void;
  reject(error: unknown): void;
}

export class MessageQueue<Item> {
  readonly #onTaken: () => void;
  #held: Held<Item>[] = [];
  #first = 0;
  #waiting: Waiting<Item>[] = [];
  #size = 0;
  #end: { readonly error?: unknown } | undefined;

  /** `onTaken` is called after each message that is taken. */
  constructor(onTaken: () => void = () => undefined) {
    this.#onTaken = onTaken;
  }

  get length(): number {
    return this.#held.length - this.#first;
  }

  /** Total size of the queued messages. */
  get size(): number {
    return this.#size;
  }

  get ended(): boolean {
    return this.#end !== undefined;
  }

  push(item: Item, size: number): void {
    if (this.#end !== undefined) return;
    const waiting = this.#waiting.shift();
    if (waiting !== undefined) return waiting.resolve({ value: item, done: false });
    this.#held.push({ item, size });
    this.#size += size;
  }

  /** Ends the queue once everything is read. An error is thrown once. */
  end(error?: unknown): void {
    if (this.#end !== undefined) return;
    const [first, ...others] = this.#waiting.splice(0);
    this.#end = error === undefined || first !== undefined ? {} : { error };
    if (error === undefined) first?.resolve({ value: undefined, done: true });
    else first?.reject(error);
    for (const { resolve } of others) resolve({ value: undefined, done: true });
  }

  /** Drops everything that is queued. */
  clear(): void {
    this.#held = [];
    this.#first = 0;
    this.#size = 0;
  }

  next(): Promise<IteratorResult<Item, void>> {
    const held = this.#held[this.#first];
    if (held !== undefined) {
      this.#size -= held.size;
      this.#advance();
      this.#onTaken();
      return Promise.resolve({ value: held.item, done: false });
    }
    if (this.#end === undefined) {
      return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
    }
    const { error } = this.#end;
    this.#end = {};
    return error === undefined ? Promise.resolve({ value: undefined, done: true }) : Promise.reject(error);
  }

  /** Moves on without shifting the whole list each time. */
  #advance(): void {
    this.#held[this.#first] = undefined as never;
    this.#first++;
    if (this.#first < 1024 || this.#first * 2 < this.#held.length) return;
    this.#held = this.#held.slice(this.#first);
    this.#first = 0;
  }
}
