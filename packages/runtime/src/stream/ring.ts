// The newest messages that went to everybody, for clients that come back with a cursor, and for those that read at their
// own pace: they never hold the run back. Their deltas are dropped, and replaced by a snapshot when they read again.

import type { Outbound } from "@keelson/protocol";
import {
  asWanted,
  isRequest,
  isWanted,
  type StreamClient,
  type Clients,
  type ClientQueue,
  type ViewPart,
  type QueuedMessage,
} from "./clients.ts";
import {
  afresh,
  closeLate,
  snapshot,
  takeLate,
  type LateMessages,
  type QueuedItem,
  type StreamBeginning,
} from "./joining.ts";

const MAX_MESSAGES = 4_096;
const MAX_BYTES = 4 * 1024 * 1024;
/** A client with so much unread that is for it alone gets no more replies until it reads. */
const MAX_OWN_BYTES = 1024 * 1024;
/** A reader with more unread messages than this gets no more deltas until it has caught up. */
const MAX_LAG = 500;

interface Kept {
  readonly message: Outbound;
  readonly needs: ViewPart | undefined;
  readonly bytes: number;
}

export class Ring {
  #kept: Kept[] = [];
  #bytes = 0;
  /** The position before the first one. */
  #start: number;

  constructor(head: number) {
    this.#start = head;
  }

  get head(): number {
    return this.#start + this.#kept.length;
  }

  add(message: Outbound, needs: ViewPart | undefined): void {
    const bytes = weight(message);
    this.#kept.push({ message, needs, bytes });
    this.#bytes += bytes;
    const isFull = this.#kept.length > MAX_MESSAGES || this.#bytes > MAX_BYTES;
    // In batches: removing from the front of an array costs as much as its length.
    if (isFull) this.#shorten();
  }

  /** Whether everything after this position is here. */
  has(position: number): boolean {
    return Number.isInteger(position) && position >= this.#start && position <= this.head;
  }

  at(position: number): Kept {
    return this.#kept[position - this.#start - 1]!;
  }

  /** What followed a position, for this client. */
  after(position: number, { view }: StreamClient): readonly QueuedMessage[] {
    return this.#kept.slice(position - this.#start).flatMap(({ message, needs }, at) => {
      return isWanted(needs, view) ? [{ message, number: position + at + 1 }] : [];
    });
  }

  #shorten(): void {
    let gone = 0;
    const most = { messages: MAX_MESSAGES * KEPT_SHARE, bytes: MAX_BYTES * KEPT_SHARE };
    while (this.#kept.length - gone > most.messages || this.#bytes > most.bytes)
      this.#bytes -= this.#kept[gone++]!.bytes;
    this.#kept = this.#kept.slice(gone);
    this.#start += gone;
  }
}

/** How much of a full ring stays. */
const KEPT_SHARE = 7 / 8;

/** About as many bytes as its line. Long texts are what counts. */
function weight(value: unknown, depth = 0): number {
  if (typeof value === "string") return value.length + 3;
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return 8;
  let sum = 2;
  for (const key in value) sum += key.length + 4 + weight((value as Readonly<Record<string, unknown>>)[key], depth + 1);
  return sum;
}

const MAX_DEPTH = 12;

/** Reads from the ring at its own pace. Only what is for this client alone waits here. */
export class DropQueue implements ClientQueue {
  position: number;
  readonly #client: StreamClient;
  readonly #clients: Clients;
  /** How far the ring is read. */
  #read: number;
  /** `after`: it came behind the message with this position. */
  #own: (QueuedItem & { readonly after: number })[];
  /** What came for it alone since it last had nothing of that to read. */
  #ownBytes = 0;
  /** Too many messages were unread: deltas are left out until it has caught up. */
  #isBehind = false;
  #ended = false;
  #isGone = false;
  #drained: PromiseWithResolvers<void> | undefined;
  #wake: (() => void) | undefined;

  constructor({ position, items }: StreamBeginning, client: StreamClient, clients: Clients) {
    this.position = position;
    this.#client = client;
    this.#clients = clients;
    this.#read = clients.ring.head;
    this.#own = items.map((each) => ({ ...each, after: 0 }));
  }

  push(_message: Outbound, number: number, isForIt: boolean): undefined {
    const isIdle = this.#own.length === 0 && this.#read === number - 1;
    if (!isForIt && isIdle) this.#pass(number);
    else this.#wake?.();
  }

  /** Whoever asks and does not read its replies waits for the next one. */
  tell(message: Outbound): Promise<void> | undefined {
    if (this.#ended) return undefined;
    // What is true now replaces what was true before.
    const part = wholeOf(message);
    if (part !== undefined) this.#own = this.#own.filter((each) => "late" in each || wholeOf(each.message) !== part);
    if (isAnswered(message)) this.#own = withoutOldest(this.#own, MOST_ANSWERED - 1);
    this.#own.push({ message, after: this.#clients.head });
    this.#ownBytes += weight(message);
    this.#wake?.();
    if (this.#own.length > MAX_LAG || this.#ownBytes > MAX_OWN_BYTES) this.#drained ??= Promise.withResolvers<void>();
    return this.#drained?.promise;
  }

  takeBack(requestId: string): boolean {
    const at = this.#own.findIndex((each) => !("late" in each) && isRequest(each.message, requestId));
    if (at < 0) return false;
    for (const taken of this.#own.splice(at, 1)) if (!("late" in taken)) this.#ownBytes -= weight(taken.message);
    this.#shortened();
    return true;
  }

  get isEmpty(): boolean {
    return this.#own.length === 0 && this.#read === this.#clients.ring.head;
  }

  async next(): Promise<IteratorResult<Outbound>> {
    for (;;) {
      const next = this.#isGone ? undefined : this.#take();
      const message = next && "late" in next ? await this.#takeLate(next) : next;
      if (this.#isGone) return { done: true, value: undefined };
      if (message) return { done: false, value: asWanted(message, this.#client.view) };
      if (next) continue;
      if (this.#ended) return { done: true, value: undefined };
      await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#wake = undefined;
    }
  }

  end({ now } = { now: false }): void {
    this.#ended = true;
    this.#isGone ||= now;
    if (now) closeLate(this.#own.splice(0));
    this.#wake?.();
    this.#drained?.resolve();
  }

  /** The next message, or where it is read; undefined if there is none now. */
  #take(): Outbound | LateMessages | undefined {
    const { ring } = this.#clients;
    for (;;) {
      const own = this.#own[0];
      if (own && own.after <= this.#read) {
        if ("late" in own) return own;
        this.#shift();
        this.position = own.number ?? this.position;
        return own.message;
      }
      if (!ring.has(this.#read)) this.#startAfresh();
      else if (this.#read < ring.head) {
        this.#isBehind ||= ring.head - this.#read > MAX_LAG;
        const { message, needs } = ring.at(this.#read + 1);
        this.#pass(this.#read + 1);
        if (isWanted(needs, this.#client.view) && !(this.#isBehind && needs === "partial")) return message;
      } else if (this.#isBehind) {
        this.#isBehind = false;
        this.#first(snapshot(this.#client, this.#clients).map((message) => ({ message })));
      } else return undefined;
    }
  }

  async #takeLate(own: LateMessages): Promise<Outbound | undefined> {
    const found = await takeLate(own);
    if (this.#isGone) return undefined;
    if (!found) this.#shift();
    this.position = (found ?? own).number ?? this.position;
    return found?.message;
  }

  #shift(): void {
    this.#own.shift();
    this.#shortened();
  }

  #shortened(): void {
    if (this.#own.length > 0) return;
    this.#ownBytes = 0;
    this.#drained = void this.#drained?.resolve();
  }

  #pass(position: number): void {
    this.#read = position;
    if (this.position >= 0) this.position = position;
  }

  #startAfresh(): void {
    const { items, position } = afresh(this.#client, this.#clients);
    this.#isBehind = false;
    this.#read = this.#clients.head;
    this.position = position;
    this.#first(items);
  }

  #first(items: readonly QueuedItem[]): void {
    this.#own = [...items.map((each) => ({ ...each, after: 0 })), ...this.#own];
  }
}

/** How many unread notes about answered questions are kept, the newest first. */
const MOST_ANSWERED = 100;

function withoutOldest<Item extends QueuedItem>(items: Item[], most: number): Item[] {
  let left = items.filter((each) => !("late" in each) && isAnswered(each.message)).length;
  return left <= most ? items : items.filter((each) => "late" in each || !isAnswered(each.message) || left-- <= most);
}

const isAnswered = (message: Outbound) => message.type === "stream" && message.subtype === "answered";

/** Which part of the session a message says everything of. */
const wholeOf = (message: Outbound) =>
  message.type === "stream" && (message.subtype === "presence" || message.subtype === "queue")
    ? message.subtype
    : undefined;
