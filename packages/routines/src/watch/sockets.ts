// Sockets of the page: a run as it goes on, read from the store behind a cursor, or that anything changed. They take no messages.
// Whoever comes back with its cursor gets what it missed, once; whoever reads slowly gets the rest when it reads again. What only shows how
// a run goes on (text that is being written, what a command prints) is not made up for.

import { CLOSE, SocketCount, SocketLimits, type ChangesStreamRequest, type RunStreamRequest } from "@keelson/web";
import type { ServerWebSocket } from "bun";
import { wholeRun } from "../api/run-routes.ts";
import type { RunStore, ShownNow, StoreChange } from "../store/run-store.ts";

export interface RunSocketData {
  readonly request: RunStreamRequest | ChangesStreamRequest;
  /** The last entry that was sent. */
  seq: number;
  /** What shows how the run goes on, by key, and is behind entries that have not come yet. */
  readonly ahead: Map<string, ShownNow>;
  /** What was last said about the run itself. */
  said: string;
  /** Something may have changed since it was last read. */
  isStale: boolean;
  isReading: boolean;
  /** It takes nothing more for now. */
  isFull: boolean;
  isClosed: boolean;
}

type Socket = ServerWebSocket<RunSocketData>;

interface SocketOptions {
  readonly store: RunStore;
  /** Whether who opened the stream may still see it. */
  isSignedIn(device: string): Promise<boolean>;
  note(text: string): void;
}

const ENTRIES_AT_ONCE = 200;
/** Lists are read anew after each change. */
const PAUSE_MS = 250;
const LOOK_MS = 5_000;
/** The text, and some calls. */
const MOST_AHEAD = 20;
/** A browser does not see pings. */
const BEAT_LOOKS = 4;

export class RunSockets {
  readonly #options: SocketOptions;
  readonly #count = new SocketCount();
  readonly #limits = { run: new SocketLimits(this.#count), changes: new SocketLimits(this.#count) };
  readonly #open = new Set<Socket>();
  #unwatch: (() => void) | undefined;
  #looking: ReturnType<typeof setInterval> | undefined;
  #telling: ReturnType<typeof setTimeout> | undefined;
  #looks = 0;

  constructor(options: SocketOptions) {
    this.#options = options;
  }

  /** Throws a HttpRefusal if there are too many. */
  admit(request: RunSocketData["request"], upgrade: (data: RunSocketData) => boolean): boolean {
    const limits = this.#limits[request.kind];
    const after = request.kind === "run" ? request.after : undefined;
    limits.add(request.device.id);
    const seq = /^\d{1,15}$/.test(after ?? "") ? Number(after) : 0;
    const flags = { isStale: false, isReading: false, isFull: false, isClosed: false };
    const isUpgraded = upgrade({ request, seq, ahead: new Map(), said: "", ...flags });
    if (!isUpgraded) limits.remove(request.device.id);
    return isUpgraded;
  }

  opened(socket: Socket): void {
    this.#open.add(socket);
    this.#unwatch ??= this.#options.store.onChange((change) => this.#changed(change));
    this.#looking ??= setInterval(() => void this.#look(), LOOK_MS);
    const { request } = socket.data;
    if (request.kind !== "run") return this.#send(socket, CHANGED);
    this.#options.store.watch(request.run);
    this.#read(socket);
  }

  drained(socket: Socket): void {
    const { data } = socket;
    data.isFull = false;
    if (data.isStale && data.request.kind === "run") this.#read(socket);
    else if (data.isStale) this.#tellChanged(socket);
  }

  closed(socket: Socket): void {
    const { data } = socket;
    data.isClosed = true;
    this.#limits[data.request.kind].remove(data.request.device.id);
    this.#open.delete(socket);
    if (this.#open.size > 0) return;
    this.#unwatch?.();
    clearInterval(this.#looking);
    clearTimeout(this.#telling);
    this.#unwatch = this.#looking = this.#telling = undefined;
  }

  /** The server ends: browsers come back when there is another. */
  close(): void {
    for (const socket of this.#open) socket.close(CLOSE.ended, "The server ends");
  }

  #changed(change: StoreChange): void {
    if (change.kind === "shown") return this.#shown(change.runId, change.shown);
    for (const socket of this.#open) {
      const { request } = socket.data;
      if (request.kind === "run" && (change.kind === "work" || change.runId === request.run)) this.#read(socket);
    }
    this.#telling ??= setTimeout(() => {
      this.#telling = undefined;
      for (const socket of this.#open) if (socket.data.request.kind === "changes") this.#tellChanged(socket);
    }, PAUSE_MS);
  }

  /** To those who read: the others get the entry, or what comes next. */
  #shown(run: string, shown: ShownNow): void {
    for (const socket of this.#open) {
      const { data } = socket;
      if (data.request.kind !== "run" || data.request.run !== run || data.isFull || data.isClosed) continue;
      if (data.ahead.size < MOST_AHEAD || data.ahead.has(shown.key)) data.ahead.set(shown.key, shown);
      this.#sendShown(socket);
    }
  }

  #sendShown(socket: Socket): void {
    const { data } = socket;
    for (const [key, { after, line }] of data.ahead) {
      if (after > data.seq) continue;
      data.ahead.delete(key);
      if (after === data.seq && !data.isFull) this.#send(socket, `{"c":null,"m":${line}}`);
    }
  }

  #tellChanged(socket: Socket): void {
    socket.data.isStale = socket.data.isFull;
    if (!socket.data.isFull) this.#send(socket, CHANGED);
  }

  #read(socket: Socket): void {
    const { data } = socket;
    data.isStale = true;
    if (data.isReading || data.isFull || data.isClosed) return;
    data.isReading = true;
    void this.#tell(socket)
      .catch((error: unknown) => {
        this.#options.note(`A run cannot be shown: ${error instanceof Error ? error.message : String(error)}`);
        // With its cursor, the page comes back.
        socket.close(CLOSE.slow, "The database cannot be reached");
      })
      .finally(() => {
        data.isReading = false;
        if (data.isStale) this.#read(socket);
      });
  }

  async #tell(socket: Socket): Promise<void> {
    const { data } = socket;
    const { store } = this.#options;
    const id = (data.request as RunStreamRequest).run;
    while (data.isStale && !data.isFull && !data.isClosed) {
      data.isStale = false;
      // Before its entries: when it has ended, they are all there.
      const run = await store.run(id);
      if (run === undefined) return socket.close(CLOSE.noSession, "There is no such run");
      const isFirst = data.said === "";
      // What was asked comes before what was said.
      if (isFirst) this.#sayRun(socket, await wholeRun(run, { store }));
      for (;;) {
        const entries = await store.entries(id, data.seq, ENTRIES_AT_ONCE);
        for (const { seq, kind, line, at, fence } of entries) {
          if (data.isClosed) return;
          data.seq = seq;
          if (kind === "message") this.#send(socket, `{"c":"${seq}","at":${at},"attempt":${fence},"m":${line}}`);
        }
        this.#sendShown(socket);
        if (data.isFull) {
          data.isStale = true;
          return;
        }
        if (entries.length < ENTRIES_AT_ONCE) break;
      }
      if (isFirst) this.#send(socket, CAUGHT_UP);
      else this.#sayRun(socket, await wholeRun(run, { store }));
    }
  }

  #sayRun(socket: Socket, run: object): void {
    const line = JSON.stringify({ c: null, m: { type: "run", run } });
    if (line === socket.data.said) return;
    socket.data.said = line;
    this.#send(socket, line);
  }

  /** Tokens end, and connections that nobody hears of look like living ones. */
  async #look(): Promise<void> {
    const isBeat = ++this.#looks % BEAT_LOOKS === 0;
    for (const { data } of this.#open) if (data.request.kind === "run") this.#options.store.watch(data.request.run);
    const devices = new Set([...this.#open].map(({ data }) => data.request.device.id));
    for (const device of devices) {
      if (await this.#options.isSignedIn(device).catch(() => true)) continue;
      for (const socket of this.#open)
        if (socket.data.request.device.id === device) socket.close(CLOSE.signedOut, "This device was signed out");
    }
    if (!isBeat) return;
    for (const socket of this.#open) if (!socket.data.isFull) this.#send(socket, BEAT);
  }

  #send(socket: Socket, line: string): void {
    const sent = socket.send(line);
    if (sent === 0) return socket.close(CLOSE.slow, "Too much was unread");
    // Nothing of it is lost, but it has to wait.
    if (sent < 0) socket.data.isFull = true;
  }
}

const BEAT = JSON.stringify({ c: null, m: { type: "keep_alive" } });
const CAUGHT_UP = JSON.stringify({ c: null, m: { type: "caught_up" } });
const CHANGED = JSON.stringify({ c: null, m: { type: "changed" } });
