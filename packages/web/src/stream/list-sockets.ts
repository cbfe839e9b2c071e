// Sockets that show the list of sessions: the newest when they open, then what changes. They take no messages.

import type { ServerWebSocket } from "bun";
import type { ListStreamRequest } from "../door/door.ts";
import type { WebHost, WebSession } from "../host.ts";
import { sessionPageOf, shownSession } from "../routes/session-page.ts";
import { CLOSE } from "./close-codes.ts";
import type { SocketLimits } from "./socket-limits.ts";

export interface ListSocketData {
  readonly request: ListStreamRequest;
  /** It takes nothing more for now; then it gets the list anew. */
  isFull: boolean;
}

type Socket = ServerWebSocket<ListSocketData>;

/** A session that works writes all the time. */
const PAUSE_MS = 250;
/** What no one reports: a program that was killed, a minute without a word. */
const LOOK_MS = 2_000;
const FIRST = "100";
/** With more changes at once, the list is sent anew. */
const MOST_CHANGED = 200;
const MOST_ACTIVE = 100;

export class ListSockets {
  readonly #host: WebHost;
  readonly #limits: SocketLimits;
  readonly #open = new Set<Socket>();
  /** As the sockets know it. */
  #known: ReadonlyMap<string, WebSession> = new Map();
  #reading: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #look: NodeJS.Timeout | undefined;
  #unwatch: (() => void) | undefined;

  constructor(host: WebHost, limits: SocketLimits) {
    this.#host = host;
    this.#limits = limits;
  }

  opened(socket: Socket): void {
    this.#open.add(socket);
    this.#unwatch ??= this.#host.watchList(() => this.#soon());
    this.#look ??= setInterval(() => this.#soon(), LOOK_MS);
    // Until then, it gets no changes.
    socket.data.isFull = true;
    void this.#read().then(() => this.#begin(socket));
  }

  drained(socket: Socket): void {
    if (socket.data.isFull) this.#begin(socket);
  }

  closed(socket: Socket): void {
    this.#limits.remove(socket.data.request.device.id);
    this.#open.delete(socket);
    if (this.#open.size > 0) return;
    this.#unwatch?.();
    this.#unwatch = undefined;
    clearInterval(this.#look);
    clearTimeout(this.#timer);
    this.#look = this.#timer = undefined;
  }

  closeThose(of: (request: ListStreamRequest) => boolean, code: number, reason: string): void {
    for (const socket of this.#open) if (of(socket.data.request)) socket.close(code, reason);
  }

  /** So that the other end knows that it is still connected. */
  beat(line: string): void {
    for (const socket of this.#open) this.#send(socket, line);
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => {
      void this.#read().finally(() => (this.#timer = undefined));
    }, PAUSE_MS);
  }

  /** Who asks meanwhile gets what is read now, and what has changed since with the next. */
  #read(): Promise<void> {
    return (this.#reading ??= this.#tell()
      .catch((error: unknown) => this.#host.warn(`The list of sessions cannot be read: ${String(error)}`))
      .finally(() => (this.#reading = undefined)));
  }

  async #tell(): Promise<void> {
    const known = new Map((await this.#host.list()).map((session) => [session.id, session]));
    const data = [...known.values()].filter((session) => this.#known.get(session.id) !== session);
    const removed = [...this.#known.keys()].filter((id) => !known.has(id));
    this.#known = known;
    if (data.length === 0 && removed.length === 0) return;
    const isMuch = data.length + removed.length > MOST_CHANGED;
    const line = isMuch ? this.#list() : lineOf({ subtype: "changed", data: data.map(shownSession), removed });
    for (const socket of this.#open) this.#send(socket, line);
  }

  #begin(socket: Socket): void {
    if (!this.#open.has(socket)) return;
    socket.data.isFull = false;
    this.#send(socket, this.#list());
  }

  /** The newest, and those further down that do something. */
  #list(): string {
    const listed = [...this.#known.values()].filter(({ isArchived }) => !isArchived);
    const { page, next } = sessionPageOf(listed, { limit: FIRST });
    const isBusy = ({ state }: WebSession) => state === "running" || state === "requires_action";
    const active = listed.slice(page.length).filter(isBusy).slice(0, MOST_ACTIVE);
    return lineOf({ subtype: "list", data: [...page, ...active].map(shownSession), next_cursor: next });
  }

  #send(socket: Socket, line: string): void {
    const { data } = socket;
    if (data.isFull) return;
    const sent = socket.send(line);
    if (sent === 0) return socket.close(CLOSE.slow, "Too much was unread");
    data.isFull = sent < 0;
  }
}

/** It has no cursor: who comes back gets the list anew. */
const lineOf = (message: object) => JSON.stringify({ c: null, m: { type: "sessions", ...message } });
