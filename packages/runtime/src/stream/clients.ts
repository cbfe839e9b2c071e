// The clients of a session. Each gets the messages that its view asks for, from when it attached, at its own pace; the
// first also gets earlier ones, so no question is lost. What followed a cursor is kept only once someone may ask for it.

import type {
  AttachedClient,
  AttachOptions,
  ClientAnswers,
  ClientRole,
  ClientView,
  OpenFilesOffer,
  Outbound,
} from "@keelson/protocol";
import type * as HalfMessageModule from "./half-message.ts";
import type * as Joining from "./joining.ts";
import type { OpenPast, QueuedItem, StreamBeginning } from "./joining.ts";
import type * as RingModule from "./ring.ts";
import type { Ring } from "./ring.ts";
import type * as ToolUseMeta from "./tool-use-meta.ts";

const HIGH = 2_000;
const LOW = 500;

/** The one that the session was opened for. */
export const FIRST_CLIENT = "client-1";

/** A part of a client's view. */
export type ViewPart = keyof ClientView;

/** A message that waits, with its position if it went to everybody. */
export interface QueuedMessage {
  readonly message: Outbound;
  readonly number?: number;
}

/** The messages that wait for one client. */
export interface ClientQueue {
  /** The position behind the last message taken. */
  readonly position: number;
  /** A message for everybody. A promise means that the reader is far behind: wait for it. */
  push(message: Outbound, number: number, isForIt: boolean): Promise<void> | undefined;
  /** A message for this client alone. */
  tell(message: Outbound): Promise<void> | undefined;
  /** Takes a request back that the reader has not got yet. */
  takeBack(requestId: string): boolean;
  /** Nothing waits to be read. */
  readonly isEmpty: boolean;
  next(): Promise<IteratorResult<Outbound>>;
  /** Nothing follows. With `now`, what waits is not read either. */
  end(how?: { readonly now: boolean }): void;
}

export interface ClientsOptions {
  newId(): string;
  /** What the transcript has now: the newest messages, so many or all. Undefined, or absent, if it has none. */
  saidSoFar?(most: number | "all"): OpenPast | undefined;
}

interface EarlyMessage {
  readonly message: Outbound;
  readonly number?: number;
  isFor(client: StreamClient): boolean;
}

export class Clients {
  readonly #options: ClientsOptions;
  readonly #all = new Set<StreamClient>();
  #early: EarlyMessage[] | undefined = [];
  #attached = 0;
  #head = 0;
  #epoch: string | undefined;
  #ring: Ring | undefined;
  #half: HalfMessageModule.HalfMessage | undefined;
  #ended = false;
  /** Clients answer nothing any more. */
  areSilent = false;
  /** Called when a client has gone. */
  left: (client: StreamClient) => void = () => undefined;

  constructor(options: ClientsOptions) {
    this.#options = options;
  }

  get all(): Iterable<StreamClient> {
    return this.#all;
  }

  get count(): number {
    return this.#all.size;
  }

  /** No client has come yet, so it is not known what the first one wants and answers. */
  get awaitsFirst(): boolean {
    return this.#early !== undefined;
  }

  /** How many messages went to everybody. */
  get head(): number {
    return this.#head;
  }

  /** Changes with the process. */
  get epoch(): string {
    return (this.#epoch ??= this.#options.newId().slice(0, 8));
  }

  /** The message in progress. */
  get half(): HalfMessageModule.HalfMessage | undefined {
    return this.#half;
  }

  /** What followed a cursor is kept from the first call on. A session with one client, at the end of a pipe, needs none. */
  get ring(): Ring {
    if (this.#ring) return this.#ring;
    const { Ring } = require("./ring.ts") as typeof RingModule;
    return (this.#ring = new Ring(this.#head));
  }

  saidSoFar(most: number | "all"): OpenPast | undefined {
    return this.#options.saidSoFar?.(most);
  }

  newId(): string {
    return this.#options.newId();
  }

  /** `begin` says what comes before messages from now on, which follow `start`. */
  attach(
    options: AttachOptions = {},
    begin: (client: StreamClient, start: number) => StreamBeginning = fromNow,
  ): StreamClient {
    const client = new StreamClient(`client-${++this.#attached}`, options, this);
    const early = (this.#early ?? []).filter((each) => each.isFor(client));
    const start = this.#early ? 0 : this.#head;
    this.#early = undefined;
    if (this.#all.size > 0) void this.ring;
    client.begin(begin(client, start), early, options.whenSlow === "drop");
    if (this.#ended) client.end();
    else this.#all.add(client);
    return client;
  }

  /** To everybody whose view has `needs`. Returns a promise if a client is far behind; wait for it before sending more. */
  push(message: Outbound, needs?: ViewPart): void | Promise<void> {
    const number = ++this.#head;
    if (this.#early && this.#early.length < HIGH)
      this.#early.push({ message, number, isFor: ({ view }) => isWanted(needs, view) });
    if (message.type === "stream_event") (this.#half ??= newHalfMessage()).add(message);
    else if (message.type === "assistant" && message.agent_id === undefined) this.#half?.settle();
    this.#ring?.add(message, needs);
    let behind: Promise<void> | undefined;
    for (const client of this.#all) behind = client.push(message, number, isWanted(needs, client.view)) ?? behind;
    return behind;
  }

  /** To some clients. One that comes later does not get it, unless it is the first. */
  tell(message: Outbound, isFor: (client: StreamClient) => boolean): void {
    // However much came before: the session may wait for an answer.
    this.#early?.push({ message, isFor });
    for (const client of this.#all) if (isFor(client)) void client.tell(message);
  }

  /** Takes a request back that waits for the first client. */
  takeBackEarly(requestId: string): boolean {
    const at = this.#early?.findIndex(({ message }) => isRequest(message, requestId)) ?? -1;
    if (at >= 0) this.#early!.splice(at, 1);
    return at >= 0;
  }

  /** Whether someone wants to see this, or the first client may. */
  wants(part: ViewPart): boolean {
    if (this.#early !== undefined) return true;
    for (const { view } of this.#all) if (view[part]) return true;
    return false;
  }

  /** Whether someone who is attached may answer such questions. */
  answer(kind: keyof ClientAnswers): boolean {
    for (const { answers } of this.#all) if (answers[kind]) return true;
    return false;
  }

  /** Without `now`, it may read what it has not read yet. */
  detach(client: StreamClient, { now } = { now: true }): void {
    client.isDetached = true;
    client.end({ now });
    if (this.#all.delete(client)) this.left(client);
  }

  end(): void {
    this.#ended = true;
    for (const client of this.#all) client.end();
    this.#all.clear();
  }
}

/** Whether a view has what a message needs. */
export const isWanted = (needs: ViewPart | undefined, view: ClientView) => needs === undefined || view[needs] === true;

/** Only clients that want it get what calls are called, and which entry a compaction will end with. */
export function asWanted(message: Outbound, { toolMeta }: ClientView): Outbound {
  const has = "tool_use_meta" in message || "compact_boundary_uuid" in message || message.type === "control_request";
  if (!has || toolMeta === true) return message;
  return (require("./tool-use-meta.ts") as typeof ToolUseMeta).withoutToolMeta(message);
}

/** As other clients see it. */
export function describeClient({ id, name, role }: StreamClient): AttachedClient {
  return { id, ...(name === undefined ? {} : { name }), role };
}

export const isRequest = (message: Outbound, id: string) =>
  message.type === "control_request" && message.request_id === id;

/** Nothing comes first. */
export const fromNow = (_client: StreamClient, position: number): StreamBeginning => ({ items: [], position });

const NONE: ClientAnswers = { permissions: false, requests: false };
const ALL: ClientAnswers = { permissions: true, requests: true };

/** One client, as the session sees it. */
export class StreamClient implements AsyncIterableIterator<Outbound> {
  readonly id: string;
  readonly name: string | undefined;
  readonly role: ClientRole;
  view: ClientView;
  /** Nothing it sends counts any more. */
  isDetached = false;
  /** It reads, and answers nothing any more. */
  isSilent = false;
  /** It never holds the run back, nor does the run hold it back. */
  isAtItsOwnPace = false;
  readonly #answers: ClientAnswers;
  readonly #openFiles: OpenFilesOffer | undefined;
  readonly #clients: Clients;
  #queue: ClientQueue = new HoldQueue(this, 0, []);

  constructor(
    id: string,
    { name, role = "driver", view = {}, answers = ALL, openFiles }: AttachOptions,
    clients: Clients,
  ) {
    this.id = id;
    this.name = name;
    this.role = role;
    this.view = view;
    this.#answers = role === "driver" ? answers : NONE;
    this.#openFiles = role === "driver" ? openFiles : undefined;
    this.#clients = clients;
  }

  get answers(): ClientAnswers {
    return this.isSilent ? NONE : this.#answers;
  }

  get openFiles(): OpenFilesOffer | undefined {
    return this.isSilent ? undefined : this.#openFiles;
  }

  /** The position behind the last message taken. Whoever asks may come back with it. */
  get cursor(): string {
    void this.#clients.ring;
    return `${this.#clients.epoch}.${this.#queue.position}`;
  }

  begin({ items, position }: StreamBeginning, early: readonly QueuedItem[], drops: boolean): void {
    this.isAtItsOwnPace = drops;
    const all = [...items, ...early];
    if (!drops) return void (this.#queue = new HoldQueue(this, position, all));
    const { DropQueue } = require("./ring.ts") as typeof RingModule;
    this.#queue = new DropQueue({ position, items: all }, this, this.#clients);
  }

  push(message: Outbound, number: number, isForIt: boolean): Promise<void> | undefined {
    return this.#queue.push(message, number, isForIt);
  }

  /** Sends it a message that no one else gets. Returns a promise if it is far behind. */
  tell(message: Outbound): Promise<void> | undefined {
    return this.#queue.tell(message);
  }

  takeBack(requestId: string): boolean {
    return this.#queue.takeBack(requestId);
  }

  get hasReadAll(): boolean {
    return this.#queue.isEmpty;
  }

  next(): Promise<IteratorResult<Outbound>> {
    return this.#queue.next();
  }

  async return(): Promise<IteratorResult<Outbound>> {
    this.#clients.detach(this);
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  end(how?: { readonly now: boolean }): void {
    this.#queue.end(how);
  }
}

/** Keeps every message until it is read. A slow reader holds the run back, which bounds memory. */
class HoldQueue implements ClientQueue {
  position: number;
  readonly #client: Pick<StreamClient, "view">;
  #waiting: QueuedItem[];
  #taken = 0;
  #ended = false;
  #isGone = false;
  #wake: (() => void) | undefined;
  #drained: PromiseWithResolvers<void> | undefined;

  constructor(client: Pick<StreamClient, "view">, position: number, waiting: QueuedItem[]) {
    this.#client = client;
    this.position = position;
    this.#waiting = waiting;
  }

  push(message: Outbound, number: number, isForIt: boolean): Promise<void> | undefined {
    if (isForIt) return this.#add({ message, number });
    if (this.#taken === this.#waiting.length && this.position >= 0) this.position = number;
    return undefined;
  }

  tell(message: Outbound): Promise<void> | undefined {
    return this.#add({ message });
  }

  takeBack(): boolean {
    return false;
  }

  get isEmpty(): boolean {
    return this.#taken === this.#waiting.length;
  }

  async next(): Promise<IteratorResult<Outbound>> {
    for (;;) {
      while (this.#taken === this.#waiting.length) {
        this.#waiting = [];
        this.#taken = 0;
        if (this.#ended) return { done: true, value: undefined };
        await new Promise<void>((resolve) => (this.#wake = resolve));
        this.#wake = undefined;
      }
      const next = this.#waiting[this.#taken]!;
      const found = "late" in next ? await joining().takeLate(next) : next;
      if (this.#isGone) return { done: true, value: undefined };
      if (found === next || found === undefined) this.#taken++;
      const { number } = found ?? next;
      if (number !== undefined) this.position = number;
      if (this.#waiting.length - this.#taken <= LOW) this.#release();
      if (found) return { done: false, value: asWanted(found.message, this.#client.view) };
    }
  }

  end({ now } = { now: false }): void {
    this.#ended = true;
    this.#isGone ||= now;
    const unread = now ? this.#waiting.splice(this.#taken) : [];
    if (unread.some((item) => "late" in item)) joining().closeLate(unread);
    this.#wake?.();
    this.#release();
  }

  #add(queued: QueuedMessage): Promise<void> | undefined {
    if (this.#ended) return undefined;
    this.#waiting.push(queued);
    this.#wake?.();
    if (this.#waiting.length - this.#taken > HIGH) this.#drained ??= Promise.withResolvers<void>();
    return this.#drained?.promise;
  }

  #release(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}

// A single client at the end of a pipe reads nothing late.
const joining = () => require("./joining.ts") as typeof Joining;

/** Only for clients that draw deltas. */
function newHalfMessage(): HalfMessageModule.HalfMessage {
  const { HalfMessage } = require("./half-message.ts") as typeof HalfMessageModule;
  return new HalfMessage();
}
