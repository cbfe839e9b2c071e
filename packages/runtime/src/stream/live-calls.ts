// Tells clients that ask for it which calls run, and the end of what each has printed so far. Every message replaces the one
// before, so a slow reader skips only outdated ones. Loaded when such a client is attached.

import type { ToolRunningSignal } from "@keelson/protocol";
import type { Clients } from "./clients.ts";
import type { Outbox } from "./outbox.ts";

/** What is shown of an output that is still growing. */
const SHOWN_BYTES = 8 * 1024;
const INTERVAL_MS = 200;
const NEWLINE = 10;

interface LiveCall {
  readonly agent: string | undefined;
  chunks: Uint8Array[];
  held: number;
  printed: number;
  /** Ends of lines in what was printed, and whether something follows the last of them. */
  lines: number;
  isInLine: boolean;
  timer: NodeJS.Timeout | undefined;
}

export class LiveCalls {
  readonly #clients: Pick<Clients, "all" | "tell">;
  readonly #outbox: Pick<Outbox, "show" | "stamped">;
  readonly #calls = new Map<string, LiveCall>();

  constructor(clients: Pick<Clients, "all" | "tell">, outbox: Pick<Outbox, "show" | "stamped">) {
    this.#clients = clients;
    this.#outbox = outbox;
  }

  /** The call runs until the function is called. */
  began(id: string, agent: string | undefined): () => void {
    const call: LiveCall = { agent, chunks: [], held: 0, printed: 0, lines: 0, isInLine: false, timer: undefined };
    this.#calls.set(id, call);
    void this.#outbox.show(signalOf(id, call));
    return () => {
      clearTimeout(call.timer);
      if (this.#calls.get(id) === call) this.#calls.delete(id);
    };
  }

  /** All that run, for a client that comes later. */
  get running(): readonly Parameters<Clients["tell"]>[0][] {
    return [...this.#calls].map(([id, call]) => this.#outbox.stamped(signalOf(id, call)));
  }

  /** What the call does not print while it runs, such as in the background, is not shown. */
  printed(id: string, chunk: Uint8Array): void {
    const call = this.#calls.get(id);
    if (call === undefined || chunk.length === 0) return;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) call.lines++;
    call.isInLine = chunk.at(-1) !== NEWLINE;
    call.chunks.push(chunk.slice(-SHOWN_BYTES));
    call.held += Math.min(chunk.length, SHOWN_BYTES);
    call.printed += chunk.length;
    if (call.held > SHOWN_BYTES * 4) {
      call.chunks = [endOf(call)];
      call.held = SHOWN_BYTES;
    }
    this.#tellSoon(id, call);
  }

  #tellSoon(id: string, call: LiveCall): void {
    call.timer ??= setTimeout(() => {
      call.timer = undefined;
      this.#tell(id, call);
    }, INTERVAL_MS);
    call.timer.unref();
  }

  #tell(id: string, call: LiveCall): void {
    const watching = [...this.#clients.all].filter(({ view }) => view.liveCalls === true);
    const ready = new Set(watching.filter((client) => client.hasReadAll));
    if (ready.size > 0) this.#clients.tell(this.#outbox.stamped(signalOf(id, call)), (client) => ready.has(client));
    // A client that is behind gets the newest once it has caught up.
    if (ready.size < watching.length) this.#tellSoon(id, call);
  }
}

function signalOf(id: string, call: LiveCall): ToolRunningSignal {
  return {
    type: "tool_running",
    tool_use_id: id,
    ...(call.agent === undefined ? {} : { agent_id: call.agent }),
    ...(call.printed === 0 ? {} : { output: textOf(endOf(call)), output_lines: call.lines + Number(call.isInLine) }),
    ...(call.printed > SHOWN_BYTES ? { output_cut: true } : {}),
  };
}

const endOf = ({ chunks }: LiveCall) => Buffer.concat(chunks).subarray(-SHOWN_BYTES);

/** Without the part of a character that was cut off at the start. */
function textOf(bytes: Uint8Array): string {
  let start = 0;
  while (start < 3 && (bytes[start]! & 0xc0) === 0x80) start++;
  return new TextDecoder().decode(bytes.subarray(start));
}
