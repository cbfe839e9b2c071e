// What a run says and its commands print while they do, for people who watch. Nothing of it is kept: it is sent at most a few times in a
// second, and only while somebody watches; each message replaces the one before it, so one that is lost costs nothing.

import { blocksOf, isObject, isToolResult } from "@keelson/protocol";
import type { RunClaim, ShownNow, WorkerStore } from "../store/run-store.ts";

type Message = Readonly<Record<string, unknown>>;

interface LiveBlock {
  readonly kind: "text" | "thinking";
  text: string;
}

export interface LiveViewOptions {
  readonly store: Pick<WorkerStore, "show">;
  held(): RunClaim;
  /** The newest entry of the run, sent or about to be. */
  newest(): number;
  /** A text that grows, and may be without its beginning. */
  redact(text: string, isCut: boolean): string;
}

const PAUSE_MS = 300;
/** How often it is found out whether somebody watches now. */
const LOOK_MS = 3_000;
/** Of a text that is being written, or of what a command has printed, its end. In UTF-8, as JSON, and once more encoded it fits into a
 * notification of PostgreSQL, which has 8,000 bytes. */
const MOST_CHARACTERS = 3_000;
const MOST_BYTES = 5_200;
const MOST_CALLS = 8;

export class LiveView {
  readonly #options: LiveViewOptions;
  #start: Message | undefined;
  readonly #blocks = new Map<number, LiveBlock>();
  readonly #calls = new Map<string, Message>();
  readonly #changed = new Set<string>();
  #isWatched = false;
  #isSending = false;
  #lookedAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;

  constructor(options: LiveViewOptions) {
    this.#options = options;
  }

  see(message: Message): void {
    const { type } = message;
    if (type === "stream_event") this.#event(message);
    else if (type === "tool_running") this.#running(message);
    // A block was sent whole, the oldest of them: it is an entry now.
    else if (type === "assistant" && isOfRun(message)) this.#blocks.delete(this.#blocks.keys().next().value!);
    else if (type === "user") for (const id of resultsOf(message)) this.#calls.delete(id);
    else if (type === "result") this.#clear();
    if (this.#blocks.size === 0) this.#changed.delete(TEXT);
    for (const id of this.#changed) if (id !== TEXT && !this.#calls.has(id)) this.#changed.delete(id);
    this.#sendSoon();
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #event(message: Message): void {
    const { event } = message;
    if (!isOfRun(message) || !isObject(event)) return;
    const index = Number(event["index"]);
    if (event["type"] === "message_start") {
      this.#blocks.clear();
      this.#start = event;
    } else if (event["type"] === "message_stop") {
      this.#blocks.clear();
    } else if (event["type"] === "content_block_start") {
      const kind = isObject(event["content_block"]) ? event["content_block"]["type"] : undefined;
      if (kind === "text" || kind === "thinking") this.#blocks.set(index, { kind, text: "" });
    } else if (event["type"] === "content_block_delta" && isObject(event["delta"])) {
      const block = this.#blocks.get(index);
      const more = block && event["delta"][block.kind];
      if (typeof more !== "string") return;
      block!.text += more;
      this.#changed.add(TEXT);
    }
  }

  #running(message: Message): void {
    const id = String(message["tool_use_id"]);
    if (!this.#calls.has(id) && this.#calls.size >= MOST_CALLS) return;
    this.#calls.set(id, message);
    this.#changed.add(id);
  }

  #clear(): void {
    this.#blocks.clear();
    this.#calls.clear();
    this.#changed.clear();
  }

  #sendSoon(): void {
    if (this.#isOver || this.#timer !== undefined || this.#isSending) return;
    if (this.#blocks.size === 0 && this.#calls.size === 0) return;
    const sinceLook = performance.now() - this.#lookedAt;
    const untilLook = Math.max(0, LOOK_MS - sinceLook);
    if (!this.#isWatched && this.#lookedAt === 0) return this.#arm(0);
    this.#arm(this.#isWatched && this.#changed.size > 0 ? Math.min(PAUSE_MS, untilLook) : untilLook);
  }

  #arm(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#send();
    }, ms);
    this.#timer.unref();
  }

  /** All of it from time to time, for those who come later; otherwise what has changed. */
  async #send(): Promise<void> {
    const isLook = performance.now() - this.#lookedAt >= LOOK_MS || this.#lookedAt === 0;
    if (isLook) this.#lookedAt = performance.now();
    const wanted = isLook ? [...(this.#blocks.size > 0 ? [TEXT] : []), ...this.#calls.keys()] : [...this.#changed];
    this.#changed.clear();
    const after = this.#options.newest();
    const shown = wanted.flatMap((key): ShownNow[] => {
      const line = this.#lineOf(key);
      return line === undefined ? [] : [{ key, after, line }];
    });
    this.#isSending = true;
    try {
      if (shown.length > 0) this.#isWatched = (await this.#options.store.show(this.#options.held(), shown)).watched;
    } catch {
      // Whoever watches gets the entry.
      this.#isWatched = false;
    }
    this.#isSending = false;
    this.#sendSoon();
  }

  #lineOf(key: string): string | undefined {
    if (key !== TEXT) {
      const { output, ...call } = this.#calls.get(key)!;
      if (typeof output !== "string") return undefined;
      const shown = this.#options.redact(output, call["output_cut"] === true);
      return bounded(shown, (end, isCut) => ({ ...call, output: end, ...(isCut ? { output_cut: true } : {}) }));
    }
    const [index, block] = [...this.#blocks].at(-1)!;
    const { kind } = block;
    const shown = this.#options.redact(block.text, false);
    return bounded(shown, (end, isCut) => ({
      type: "stream",
      subtype: "snapshot",
      events: [
        ...(this.#start === undefined ? [] : [withoutContent(this.#start)]),
        { type: "content_block_start", index, content_block: { type: kind, [kind]: "" } },
        {
          type: "content_block_delta",
          index,
          delta: { type: `${kind}_delta`, [kind]: isCut ? `…${end}` : end },
        },
      ],
    }));
  }
}

const TEXT = "text";

/** As much of its end as fits. */
function bounded(text: string, made: (end: string, isCut: boolean) => object): string | undefined {
  for (let most = MOST_CHARACTERS; most >= 100; most = Math.floor(most / 2)) {
    const isCut = text.length > most;
    const line = JSON.stringify(made(isCut ? text.slice(-most).toWellFormed() : text, isCut));
    if (Buffer.byteLength(line) <= MOST_BYTES) return line;
  }
  return undefined;
}

const isOfRun = ({ parent_tool_use_id: parent }: Message) => typeof parent !== "string";

const withoutContent = (start: Message) => ({
  ...start,
  message: { ...(isObject(start["message"]) ? start["message"] : {}), content: [] },
});

function resultsOf({ message }: Message): readonly string[] {
  const content = isObject(message) ? message["content"] : undefined;
  return blocksOf((content ?? []) as Parameters<typeof blocksOf>[0])
    .filter(isToolResult)
    .map(({ tool_use_id: id }) => id);
}
