// Sockets that show a session. Each is a client of its session that reads at its own pace: no browser delays a run.

import { SessionLostError } from "@keelson/protocol/session-lost";
import {
  controlError,
  controlSuccess,
  readField,
  type AttachedClient,
  type ControlRequest,
  type Inbound,
  type Outbound,
  type SessionClient,
  type StreamMessage,
} from "@keelson/protocol";
import type { ServerWebSocket } from "bun";
import type { SessionStreamRequest } from "../door/door.ts";
import { RateLimit } from "../door/limits.ts";
import { SessionNotOpened, type OpenedForWeb, type WebHost, type WebSession } from "../host.ts";
import { CLOSE } from "./close-codes.ts";
import { isReadingRequest, readFrame } from "./read-frame.ts";
import type { SocketLimits } from "./socket-limits.ts";

export interface SessionSocketData {
  readonly request: SessionStreamRequest;
  client?: SessionClient;
  opened?: OpenedForWeb;
  /** Hears no more notices of the session. */
  unlisten?: (() => void) | undefined;
  /** It shows what the transcript says: no program has the session open. The row of the list at that time. */
  stored?: WebSession;
  /** Set while the socket takes nothing more. */
  full?: PromiseWithResolvers<void>;
  /** The frames that came since then. */
  unread?: number;
  isClosed: boolean;
}

type Socket = ServerWebSocket<SessionSocketData>;

const SECOND_MS = 1_000;
/** A large frame counts as several. */
const MAX_FRAMES_A_SECOND = 300;
const FRAME_BYTES = 64 * 1024;
/** Of what comes while the socket takes nothing. What it is answered would wait for it. */
const MAX_FRAMES_UNREAD = 100;
/** Frames that come before the session is open. */
const MAX_EARLY = 50;
/** After a change in the list, whether it concerns a session that is shown by its transcript. */
const LOOK_MS = 500;
/** Of those that are shown first. */
const NEWEST = 200;
const MOST_MESSAGES = 1_000;

export class SessionSockets {
  readonly #host: WebHost;
  readonly #limits: SocketLimits;
  readonly #open = new Set<Socket>();
  readonly #frames: RateLimit;
  readonly #early = new WeakMap<Socket, string[]>();
  #look: NodeJS.Timeout | undefined;
  #unwatch: (() => void) | undefined;

  constructor(host: WebHost, limits: SocketLimits) {
    this.#host = host;
    this.#limits = limits;
    this.#frames = new RateLimit(MAX_FRAMES_A_SECOND, SECOND_MS, () => host.now());
  }

  opened(socket: Socket): void {
    this.#open.add(socket);
    this.#early.set(socket, []);
    void this.#serve(socket).catch((error: unknown) => this.#failed(socket, error));
  }

  received(socket: Socket, frame: string | Buffer): void {
    const { device } = socket.data.request;
    if (typeof frame !== "string") return socket.close(CLOSE.refused, "Messages are text");
    for (let bytes = frame.length; bytes >= 0; bytes -= FRAME_BYTES)
      if (this.#frames.take(device.id) > 0) return socket.close(CLOSE.slow, "Too many messages");
    // Not what the socket says that it has buffered: that is 0 again once a message has come, whatever still waits.
    if (socket.data.full !== undefined) {
      socket.data.unread = (socket.data.unread ?? 0) + 1;
      if (socket.data.unread > MAX_FRAMES_UNREAD) return socket.close(CLOSE.slow, "Too much was unread");
    }
    const early = this.#early.get(socket);
    if (early === undefined) return this.#take(socket, frame);
    if (early.length >= MAX_EARLY) return socket.close(CLOSE.slow, "Too many messages");
    early.push(frame);
  }

  drained({ data }: Socket): void {
    data.full?.resolve();
    delete data.full;
    delete data.unread;
  }

  closed(socket: Socket): void {
    const { data } = socket;
    data.isClosed = true;
    data.full?.resolve();
    data.client?.detach();
    data.unlisten?.();
    data.opened?.release();
    this.#early.delete(socket);
    this.#open.delete(socket);
    this.#limits.remove(data.request.device.id);
    this.#watchIfStored();
  }

  closeThose(of: (request: SessionStreamRequest) => boolean, code: number, reason: string): void {
    for (const socket of this.#open) if (of(socket.data.request)) socket.close(code, reason);
  }

  /** So that the other end knows that it is still connected. What waits for it says so as well. */
  beat(line: string): void {
    for (const socket of this.#open) if (socket.data.full === undefined) void socket.send(line);
  }

  /** Whoever only looks opens nothing. */
  async #serve(socket: Socket): Promise<void> {
    const { session: id } = socket.data.request;
    const opened = await this.#host.join(id);
    if (opened) return this.#attach(socket, opened, socket.data.request.after);
    await this.#showStored(socket);
  }

  async #attach(socket: Socket, opened: OpenedForWeb, after: string = NOT_SEEN): Promise<void> {
    const { data } = socket;
    const { device } = data.request;
    if (data.isClosed) return opened.release();
    data.opened = opened;
    const isDriver = device.role !== "viewer";
    const client = opened.session.attach({
      name: device.name,
      role: isDriver ? "driver" : "watcher",
      view: {
        partial: true,
        agentText: false,
        toolMeta: true,
        liveCalls: true,
        replayPrompts: true,
        streamEvents: true,
      },
      after,
      whenSlow: "drop",
      // Hooks and MCP servers of clients are not a page's.
      ...(isDriver ? { answers: { permissions: true, requests: true } } : {}),
    });
    data.client = client;
    data.unlisten = opened.notices?.listen((text) => void this.#say(socket, null, noteOf(text, opened.session.id)));
    this.#takeEarly(socket);
    await this.#show(socket, client, opened);
  }

  #takeEarly(socket: Socket): void {
    const early = this.#early.get(socket) ?? [];
    this.#early.delete(socket);
    for (const frame of early) {
      const waiting = this.#early.get(socket);
      // One of them opens the session; those behind it wait for that.
      if (waiting) waiting.push(frame);
      else this.#take(socket, frame);
    }
  }

  /** Reads the transcript, and says what is in it as the session itself would. */
  async #showStored(socket: Socket): Promise<void> {
    const { data } = socket;
    const { session: id, device } = data.request;
    const [row, page] = [await this.#host.find(id), await this.#host.messages(id, { limit: NEWEST })];
    if (row === undefined || page === undefined) throw new SessionNotOpened("There is no such session", true);
    const self: AttachedClient = {
      id: crypto.randomUUID(),
      name: device.name,
      role: device.role !== "viewer" ? "driver" : "watcher",
    };
    const hello: StreamMessage<"hello"> = {
      type: "stream",
      subtype: "hello",
      session_id: id,
      epoch: STORED,
      head: 0,
      state: stateOf(row),
      client: self.id,
      role: self.role,
      watchers: [self],
      pending: [],
      capabilities: [],
      stored: true,
    };
    const reset: StreamMessage<"reset"> = { type: "stream", subtype: "reset", before: page.before };
    for (const message of [hello, reset, ...page.messages]) if (!(await this.#say(socket, null, message))) return;
    const snapshot: StreamMessage<"snapshot"> = { type: "stream", subtype: "snapshot", events: [] };
    if (!(await this.#say(socket, `${STORED}.0`, snapshot))) return;
    data.stored = row;
    this.#watchIfStored();
    this.#takeEarly(socket);
  }

  #watchIfStored(): void {
    const isWatching = [...this.#open].some(({ data }) => data.stored !== undefined);
    if (isWatching) this.#unwatch ??= this.#host.watchList(() => this.#lookSoon());
    else {
      this.#unwatch?.();
      this.#unwatch = undefined;
      clearTimeout(this.#look);
      this.#look = undefined;
    }
  }

  #lookSoon(): void {
    this.#look ??= setTimeout(() => {
      this.#look = undefined;
      for (const socket of this.#open)
        if (socket.data.stored) void this.#lookAgain(socket).catch((error: unknown) => this.#failed(socket, error));
    }, LOOK_MS);
  }

  /** Someone may have opened the session, or written to it. */
  async #lookAgain(socket: Socket): Promise<void> {
    const { data } = socket;
    const { session: id } = data.request;
    const before = data.stored;
    const row = await this.#host.find(id);
    if (before === undefined || row === before || data.stored !== before) return;
    const opened = row?.isOpen ? await this.#host.join(id) : undefined;
    if (data.isClosed || data.stored !== before) return opened?.release();
    delete data.stored;
    // What is sent meanwhile waits: it must not open the session a second time.
    this.#early.set(socket, []);
    return opened ? this.#attach(socket, opened) : this.#showStored(socket);
  }

  /** A device that may do so does something. */
  async #openFor(socket: Socket): Promise<void> {
    const opened = await this.#host.open({ cwd: this.#host.cwd, resume: socket.data.request.session });
    await this.#attach(socket, opened);
  }

  async #show(socket: Socket, client: SessionClient, { notices, session }: OpenedForWeb): Promise<void> {
    let before = client.cursor;
    for await (const message of client.messages) {
      const { cursor } = client;
      if (!(await this.#say(socket, cursor === before ? null : cursor, message))) return;
      before = cursor;
      // The end of what is shown first, to whoever has seen nothing of it.
      if (message.type === "stream" && message.subtype === "snapshot")
        for (const text of notices?.all ?? []) if (!(await this.#say(socket, null, noteOf(text, session.id)))) return;
    }
    if (!socket.data.isClosed) socket.close(CLOSE.ended, "The session ended");
  }

  /** False if the socket is closed. Resolves when it takes more. */
  async #say(socket: Socket, c: string | null, m: Outbound): Promise<boolean> {
    const { data } = socket;
    if (data.isClosed) return false;
    this.#send(socket, { c, m });
    // The client keeps nothing for a slow reader: it reads on from what the session keeps for all.
    if (!data.isClosed) await data.full?.promise;
    return !data.isClosed;
  }

  #send(socket: Socket, frame: { readonly c: string | null; readonly m: Outbound }): void {
    const sent = socket.send(JSON.stringify(frame));
    // 0: it was dropped, and the socket with it.
    if (sent === 0) socket.close(CLOSE.slow, "Too much was unread");
    else if (sent < 0) socket.data.full ??= Promise.withResolvers<void>();
  }

  #take(socket: Socket, frame: string): void {
    try {
      const input = readFrame(frame, socket.data.request.device.role);
      if ("problem" in input) return socket.close(CLOSE.refused, reasonOf(input.problem));
      if ("reply" in input) return this.#send(socket, { c: null, m: input.reply });
      if (socket.data.client) socket.data.client.send(input.message);
      else this.#takeStored(socket, input.message, frame);
    } catch (error) {
      // An error of one message must not end other streams.
      this.#host.warn(`A message was not taken: ${error instanceof Error ? error.message : String(error)}`);
      socket.close(CLOSE.refused, "The message was not taken");
    }
  }

  #takeStored(socket: Socket, message: Inbound, frame: string): void {
    const { role } = socket.data.request.device;
    const asks = message.type === "control_request" ? message.request.subtype : undefined;
    // Of a driver, it asks for a session that can do something.
    const isReading = asks !== undefined && (isReadingRequest(asks) || ENDING.has(asks));
    if (message.type === "control_request" && isReading && !(asks === "initialize" && role !== "viewer"))
      return void this.#answerStored(socket, message).catch((error: unknown) => this.#failed(socket, error));
    // It asks nothing, so nothing is answered.
    if (message.type !== "user" && message.type !== "control_request") return;
    delete socket.data.stored;
    this.#watchIfStored();
    this.#early.set(socket, [frame]);
    void this.#openFor(socket).catch((error: unknown) => this.#failed(socket, error));
  }

  async #answerStored(socket: Socket, { request_id: id, request }: ControlRequest): Promise<void> {
    const { subtype } = request;
    const [before, limit] = [readField(request, "before"), readField(request, "limit")];
    const isPage = subtype === "get_messages" && (before === undefined || typeof before === "string");
    const most = typeof limit === "number" && limit >= 1 ? Math.min(Math.floor(limit), MOST_MESSAGES) : NEWEST;
    const query = { ...(typeof before === "string" ? { before } : {}), limit: most };
    const read = async () => {
      const page = isPage ? await this.#host.messages(socket.data.request.session, query) : undefined;
      return page ? controlSuccess(id, page) : controlError(id, "The session is not open", "session_not_open");
    };
    // It may name a message that there is not.
    const failed = (error: unknown) => controlError(id, error instanceof Error ? error.message : String(error));
    await this.#say(socket, null, await read().catch(failed));
  }

  #failed(socket: Socket, error: unknown): void {
    // What limited it there would not limit it here, so the page does not come back by itself.
    const isOurs = error instanceof SessionNotOpened || (error instanceof SessionLostError && error.wasLimited);
    if (!isOurs) this.#host.warn(`A stream ended badly: ${error instanceof Error ? error.message : String(error)}`);
    const code = isOurs ? CLOSE.noSession : CLOSE.ended;
    socket.close(code, reasonOf(isOurs ? error.message : "The session ended"));
  }
}

/** These end something, and nothing runs in a session that is not open. */
const ENDING: ReadonlySet<string> = new Set(["cancel_async_message", "interrupt", "stop_task"]);

const stateOf = ({ state }: WebSession) => (state === "elsewhere" ? "idle" : state);

const noteOf = (content: string, session_id: string): Outbound => ({
  type: "system",
  subtype: "informational",
  content,
  level: "warning",
  uuid: crypto.randomUUID(),
  session_id,
});

/** The epoch of what a transcript says. */
const STORED = "stored";

/** No position of any stream: everything that is shown first comes first. */
const NOT_SEEN = "0.0";

/** The protocol has 123 bytes for it. */
const reasonOf = (text: string) =>
  Buffer.from(text)
    .subarray(0, 120)
    .toString("utf8")
    .replace(/\uFFFD+$/, "");
