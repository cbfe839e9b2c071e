// Collects a bracketed paste: everything up to `ESC [ 201 ~`, in time linear in its length.

import type { Paste } from "./event.ts";

const END = new TextEncoder().encode("\u001b[201~");

export class PasteReader {
  readonly #chunks: Uint8Array[] = [];
  /** How many bytes at the end of the last chunk may be the start of the end. */
  #matched = 0;

  /** Takes bytes from a place on. Returns where the paste ended, or undefined if it continues. */
  take(bytes: Uint8Array, from: number): number | undefined {
    let matched = this.#matched;
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (matched === 0) {
        const next = bytes.indexOf(END[0]!, at);
        if (next === -1) break;
        at = next;
        matched = 1;
      } else if (byte === END[matched]) {
        matched += 1;
        if (matched === END.length) {
          this.#chunks.push(bytes.slice(from, at + 1));
          this.#matched = matched;
          return at + 1;
        }
      } else {
        matched = byte === END[0] ? 1 : 0;
      }
    }
    this.#matched = matched;
    this.#chunks.push(bytes.slice(from));
    return undefined;
  }

  /** The text; terminals send CR for a new line. */
  finish(): Paste {
    const all = Buffer.concat(this.#chunks);
    const ended = this.#matched === END.length;
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(ended ? all.subarray(0, -END.length) : all);
    return { kind: "paste", text: text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text };
  }
}
