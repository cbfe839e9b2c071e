// The protocol log of `keelson mcp test`: what went over the connection, and how long each request took. Its size is
// limited, whatever the server sends.

import { isObject } from "@keelson/protocol";

export interface LoggedMessage {
  /** Milliseconds since the start. */
  readonly at: number;
  readonly direction: "sent" | "received";
  readonly bytes: number;
  /** The JSON text; a long one is cut. */
  readonly text: string;
}

export interface RequestTiming {
  readonly method: string;
  readonly ms: number;
  readonly ok: boolean;
}

const MAX_MESSAGES = 1_000;
const MAX_TEXT_LENGTH = 4_000;

export class ProtocolLog {
  readonly messages: LoggedMessage[] = [];
  readonly timings: RequestTiming[] = [];
  readonly #now: () => number;
  readonly #started: number;
  readonly #open = new Map<unknown, { readonly method: string; readonly at: number }>();
  #dropped = 0;

  constructor(now: () => number) {
    this.#now = now;
    this.#started = now();
  }

  /** Messages that were not kept. */
  get dropped(): number {
    return this.#dropped;
  }

  readonly add = (direction: LoggedMessage["direction"], message: unknown): void => {
    const at = this.#now() - this.#started;
    this.#time(direction, message, at);
    if (this.messages.length >= MAX_MESSAGES) return void this.#dropped++;
    const text = jsonText(message);
    const shown = text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH).toWellFormed()}…` : text;
    this.messages.push({ at, direction, bytes: Buffer.byteLength(text), text: shown });
  };

  #time(direction: LoggedMessage["direction"], message: unknown, at: number): void {
    if (!isObject(message)) return;
    const { id, method } = message;
    if (direction === "sent" && id !== undefined && typeof method === "string") {
      this.#open.set(id, { method, at });
    } else if (direction === "received" && method === undefined && this.timings.length < MAX_MESSAGES) {
      const request = this.#open.get(id);
      this.#open.delete(id);
      if (request) this.timings.push({ method: request.method, ms: at - request.at, ok: !isObject(message["error"]) });
    }
  }
}

/** `JSON.stringify` overflows the stack on very deep values. */
function jsonText(message: unknown): string {
  try {
    return JSON.stringify(message) ?? "";
  } catch {
    return "[nested too deeply to show]";
  }
}
