// Decodes server-sent events from bytes, wherever the chunks are split. Does not parse the data.

export interface SseEvent {
  /** Defaults to `message`. */
  readonly event: string;
  readonly data: string;
}

/** Decodes one stream. Reads every byte once, however small the chunks are. */
export class SseDecoder {
  readonly #decoder = new TextDecoder();
  readonly #maxSize: number;
  #held: string[] = [];
  #heldSize = 0;
  #afterReturn = false;
  #event = "";
  #data: string[] = [];
  #size = 0;

  constructor(options: { readonly maxSize?: number } = {}) {
    this.#maxSize = options.maxSize ?? 16 * 1024 * 1024;
  }

  /** Yields the events that this chunk completes. Throws RangeError if an event exceeds `maxSize` characters. */
  *push(chunk: Uint8Array): Generator<SseEvent> {
    const text = this.#decoder.decode(chunk, { stream: true });
    let start = 0;
    let lf = text.indexOf("\n");
    let cr = text.indexOf("\r");
    // If the last chunk ended in CR, an LF at the start of this one belongs to the same line ending.
    if (this.#afterReturn && text !== "") {
      if (lf === 0) {
        start = 1;
        lf = text.indexOf("\n", 1);
      }
      this.#afterReturn = false;
    }
    while (lf >= 0 || cr >= 0) {
      const end = lf >= 0 && (cr < 0 || lf < cr) ? lf : cr;
      const event = this.#line(this.#take(text.slice(start, end)));
      if (event) yield event;
      start = end + 1;
      if (end === cr) {
        if (lf === start) start++;
        else if (start === text.length) this.#afterReturn = true;
      }
      if (lf >= 0 && lf < start) lf = text.indexOf("\n", start);
      if (cr >= 0 && cr < start) cr = text.indexOf("\r", start);
    }
    if (start < text.length) this.#hold(text.slice(start));
  }

  #hold(part: string): void {
    this.#heldSize += part.length;
    this.#check(this.#heldSize);
    this.#held.push(part);
  }

  #take(last: string): string {
    if (this.#heldSize === 0) return last;
    this.#held.push(last);
    const line = this.#held.join("");
    this.#held = [];
    this.#heldSize = 0;
    return line;
  }

  #line(line: string): SseEvent | undefined {
    if (line === "") return this.#dispatch();
    this.#check(line.length);
    const colon = line.indexOf(":");
    if (colon === 0) return undefined;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "event") this.#event = value;
    else if (field === "data") {
      this.#data.push(value);
      this.#size += value.length + 1;
    }
    return undefined;
  }

  #dispatch(): SseEvent | undefined {
    const event = this.#data.length > 0 ? { event: this.#event || "message", data: this.#data.join("\n") } : undefined;
    this.#event = "";
    this.#data = [];
    this.#size = 0;
    return event;
  }

  #check(more: number): void {
    if (this.#size + more > this.#maxSize) throw new RangeError(`Event is longer than ${this.#maxSize} characters`);
  }
}
