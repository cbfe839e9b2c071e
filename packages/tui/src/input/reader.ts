// Bytes from the terminal to events. Every key is one event, however fast it comes and however its bytes are cut.

import type { InputEvent } from "./event.ts";
import { altKey, controlKey, namedKey, textKey } from "./control.ts";
import { PasteReader } from "./paste.ts";
import { readConsoleKey, readControlSequence, readSs3, readStringSequence } from "./sequence.ts";

/** After this silence an ESC is the key. Slow connections cut sequences in two, but not for long. */
const ESCAPE_WAIT_MS = 50;
/** After this silence an unfinished sequence is given up. */
const SEQUENCE_WAIT_MS = 1_000;
/** After this silence a paste without an end is over, or the keyboard would stay dead. */
const PASTE_WAIT_MS = 5_000;
/** No sequence we understand is longer. The rest of a longer one is swallowed. */
const LONGEST_SEQUENCE = 65_536;

const ESC = 0x1b;
const BEL = 0x07;
const PASTE_START = "200~";
const STRING_INTRODUCERS = "]P_^X";

/** What was read at a place: the events and where to continue, or "more" if the rest of it has not arrived. */
type Step = { readonly next: number; readonly events: readonly InputEvent[] } | "more";

/** Row and column of the cursor, unless it is F3 with Shift, Alt or Ctrl. */
// oxlint-disable-next-line no-control-regex
const PLACE = /^\x1b\[((?!0*1?;0*[2-8]R)\d+;\d+)R$/;
const LONGEST_PLACE = 16;

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export class InputReader {
  #pending = new Uint8Array(0);
  /** How many bytes of it came before the last chunk. */
  #old = 0;
  #paste: PasteReader | undefined;
  #lastAt = 0;

  push(chunk: Uint8Array, now: number): InputEvent[] {
    this.#lastAt = now;
    this.#old = this.#pending.length;
    // On a slow line, the terminal may answer in the middle of a paste.
    const place = this.#old === 0 ? placeIn(chunk) : undefined;
    if (place) return [place];
    const events: InputEvent[] = [];
    let bytes = chunk;
    if (this.#old > 0) {
      bytes = new Uint8Array(this.#old + chunk.length);
      bytes.set(this.#pending);
      bytes.set(chunk, this.#old);
    }
    this.#pending = unfinished(bytes, this.#read(bytes, events));
    return events;
  }

  /** When to call flush: an ESC becomes a key after a short silence. Undefined if nothing is unfinished. */
  dueAt(): number | undefined {
    if (this.#paste) return this.#lastAt + PASTE_WAIT_MS;
    if (this.#pending.length === 0) return undefined;
    const short = this.#pending[0] === ESC && this.#pending.length <= 2;
    return this.#lastAt + (short ? ESCAPE_WAIT_MS : SEQUENCE_WAIT_MS);
  }

  /** Ends what is unfinished, once it is due. */
  flush(now: number): InputEvent[] {
    const due = this.dueAt();
    if (due === undefined || now < due) return [];
    if (this.#paste) {
      const event = this.#paste.finish();
      this.#paste = undefined;
      return [event];
    }
    const bytes = this.#pending;
    this.#pending = new Uint8Array(0);
    if (bytes[0] !== ESC || bytes.length > 2) return [];
    const rest = decoder.decode(bytes.subarray(1));
    if (rest === "") return [namedKey("escape")];
    // What looked like the start of a sequence was a key with Alt, or two keys if they came apart.
    return this.#old === 1 ? [namedKey("escape"), textKey(rest)] : [altKey(rest)];
  }

  /** Reads all it can. Returns where the unfinished rest starts. */
  #read(bytes: Uint8Array, events: InputEvent[]): number {
    let at = 0;
    while (at < bytes.length) {
      if (this.#paste) {
        const end = this.#paste.take(bytes, at);
        if (end === undefined) return bytes.length;
        events.push(this.#paste.finish());
        this.#paste = undefined;
        at = end;
        continue;
      }
      const step = this.#step(bytes, at);
      if (step === "more") return at;
      for (const event of step.events) events.push(event);
      at = step.next;
    }
    return at;
  }

  #step(bytes: Uint8Array, at: number): Step {
    const byte = bytes[at]!;
    if (byte === ESC) return this.#escape(bytes, at);
    if (byte < 0x20 || byte === 0x7f) return { next: at + 1, events: [controlKey(byte)] };
    return readText(bytes, at);
  }

  #escape(bytes: Uint8Array, at: number): Step {
    const byte = bytes[at + 1];
    if (byte === undefined) return "more";
    if (byte === ESC) {
      // ESC ESC [ A is Alt and the arrow; otherwise the first is a key by itself.
      const third = bytes[at + 2];
      if ((third !== 0x5b && third !== 0x4f) || this.#old === at + 1) return single(at + 1);
      const step = this.#escape(bytes, at + 1);
      if (step === "more") return step;
      // An answer of the terminal may come right behind the key.
      if (!step.events.every(({ kind }) => kind === "key")) return single(at + 1);
      return { next: step.next, events: step.events.map(withAlt) };
    }
    const character = String.fromCharCode(byte);
    if (character === "[") return this.#controlSequence(bytes, at + 2);
    if (character === "O") {
      const final = bytes[at + 2];
      if (final === undefined) return "more";
      const key = readSs3(String.fromCharCode(final));
      if (key) return { next: at + 3, events: [key] };
    } else if (STRING_INTRODUCERS.includes(character)) {
      return readString(bytes, at);
    }
    // The ESC came alone before: what follows is a key of its own.
    if (this.#old === at + 1) return single(at + 1);
    // Ctrl+C is never part of something else.
    if (byte === 0x03) return single(at + 1);
    if (byte < 0x20 || byte === 0x7f) return { next: at + 2, events: [controlKey(byte, true)] };
    const step = readText(bytes, at + 1, 1);
    if (step === "more") return step;
    return {
      next: step.next,
      events: step.events.map((event) => (event.kind === "key" ? altKey(event.text ?? "") : event)),
    };
  }

  #controlSequence(bytes: Uint8Array, start: number): Step {
    if (bytes[start] === 0x5b) {
      const letter = bytes[start + 1];
      return letter === undefined ? "more" : found(start + 2, readConsoleKey(String.fromCharCode(letter)));
    }
    let at = start;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at]!;
      // Something else begins: this one was cut off and means nothing.
      if (byte < 0x20 || byte > 0x7e) return { next: at, events: [] };
      if (byte < 0x40) continue;
      const body = ascii(bytes, start, at);
      const final = String.fromCharCode(byte);
      if (body + final === PASTE_START) {
        this.#paste = new PasteReader();
        return { next: at + 1, events: [] };
      }
      // The old mouse report has three more bytes.
      if (final === "M" && body === "") return at + 3 < bytes.length ? { next: at + 4, events: [] } : "more";
      return found(at + 1, readControlSequence(body, final));
    }
    return "more";
  }
}

/** The rest from a place on. Of a sequence that does not end only the start and the last bytes are kept. */
function unfinished(bytes: Uint8Array, at: number): Uint8Array<ArrayBuffer> {
  if (bytes.length - at <= LONGEST_SEQUENCE) return bytes.slice(at);
  return new Uint8Array([...bytes.subarray(at, at + 2), ...bytes.subarray(-2)]);
}

function withAlt(event: InputEvent): InputEvent {
  return event.kind === "key" ? { ...event, alt: true } : event;
}

function single(next: number): Step {
  return { next, events: [namedKey("escape")] };
}

function found(next: number, event: InputEvent | undefined): Step {
  return { next, events: event ? [event] : [] };
}

/** OSC, DCS, APC, PM and SOS: up to BEL or `ESC \`. */
function readString(bytes: Uint8Array, at: number): Step {
  const introducer = String.fromCharCode(bytes[at + 1]!);
  for (let end = at + 2; end < bytes.length; end += 1) {
    const byte = bytes[end];
    if (byte !== BEL && byte !== ESC) continue;
    if (byte === ESC && bytes[end + 1] === undefined) return "more";
    const text = decoder.decode(bytes.subarray(at + 2, end));
    // Another ESC cuts it off.
    if (byte === ESC && bytes[end + 1] !== 0x5c) return { next: end, events: [] };
    return found(byte === BEL ? end + 1 : end + 2, readStringSequence(introducer, text));
  }
  return "more";
}

/** Text up to the next control byte, each grapheme a key. */
function readText(bytes: Uint8Array, at: number, limit = Number.POSITIVE_INFINITY): Step {
  let end = at;
  while (end < bytes.length && bytes[end]! >= 0x20 && bytes[end] !== 0x7f) end += 1;
  const whole = end === bytes.length ? wholeCharacters(bytes, at, end) : end;
  if (whole === at) return "more";
  const events: InputEvent[] = [];
  let next = at;
  for (const { segment } of graphemes.segment(decoder.decode(bytes.subarray(at, whole)))) {
    if (events.length === limit) return { next, events };
    next += Buffer.byteLength(segment);
    // C1 controls are no text.
    if (!/[\u0080-\u009f]/.test(segment)) events.push(textKey(segment));
  }
  return { next: whole, events };
}

/** Without the first bytes of a character at the end whose others have not arrived. */
function wholeCharacters(bytes: Uint8Array, start: number, end: number): number {
  for (let at = end - 1; at >= start && at >= end - 3; at -= 1) {
    const byte = bytes[at]!;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return at + length > end ? at : end;
  }
  return end;
}

function ascii(bytes: Uint8Array, start: number, end: number): string {
  return String.fromCharCode(...bytes.subarray(start, end));
}

/** A chunk that is nothing but the place of the cursor: the answer to each frame, so it is not read byte by byte. */
function placeIn(chunk: Uint8Array): InputEvent | undefined {
  if (chunk.length > LONGEST_PLACE || chunk.at(-1) !== 0x52) return undefined;
  const [, text] = PLACE.exec(String.fromCharCode(...chunk)) ?? [];
  return text === undefined ? undefined : { kind: "reply", of: "cursor", text };
}
