// A session that another process owns, over its socket. To a front end it is a session like any other, but to close it ends
// only what this process has of it.

import { openSeal, socketCode } from "@keelson/disk/seal";
import {
  isList,
  isObject,
  isResult,
  readField,
  toLine,
  tryParse,
  type AttachOptions,
  type EndReason,
  type Inbound,
  type Outbound,
  type Session,
  type SessionClient,
  type StreamCursor,
  type StreamEvent,
} from "@keelson/protocol";
import { SessionLostError } from "@keelson/protocol/session-lost";
import { isStreamLine } from "@keelson/protocol/stream-line";
import { SocketLines } from "./socket-lines.ts";

/** Who reads the messages of this process may be slow; the owner hears nothing of it. */
const MOST_UNREAD = 50_000;

export interface RemoteOptions {
  readonly socket: string;
  readonly configDir: string;
  /** Clients get what belongs to their own prompts only. */
  readonly ownAnswers: boolean;
}

/** The owner does not want this process as a client. */
export class RefusedByOwnerError extends Error {
  override readonly name = "RefusedByOwnerError";
}

/** Rejects if no one listens, or with a RefusedByOwnerError. */
export async function connectSession(options: RemoteOptions, signal: AbortSignal): Promise<Session> {
  const first = await connect(options, signal);
  return new RemoteSession(options, first);
}

interface Connected {
  readonly id: string;
  /** Options of its program that keep it from doing something. */
  readonly limits: readonly string[];
  readonly lines: SocketLines;
  readonly input: AsyncGenerator<string>;
}

async function connect({ socket: path }: RemoteOptions, signal?: AbortSignal): Promise<Connected> {
  signal?.throwIfAborted();
  const lines = new SocketLines(MOST_UNREAD);
  const { handlers } = lines;
  const socket = await Bun.connect({
    unix: path,
    socket: {
      open: (socket) => handlers.open(socket),
      data: (_socket, bytes) => handlers.data(bytes),
      drain: () => handlers.drain(),
      close: () => handlers.close(),
      error: () => handlers.close(),
    },
  });
  const stop = () => socket.terminate();
  signal?.addEventListener("abort", stop);
  // It may have been aborted while the socket was connecting.
  if (signal?.aborted) stop();
  const input = lines[Symbol.asyncIterator]();
  const { value } = await input.next();
  signal?.removeEventListener("abort", stop);
  const greeting: unknown = typeof value === "string" ? tryParse(value) : undefined;
  const { session: id, refused, limits } = isObject(greeting) ? greeting : {};
  if (typeof id === "string" && refused !== true) return { id, limits: stringsIn(limits), lines, input };
  stop();
  throw refused === true
    ? new RefusedByOwnerError("It takes no clients that it started itself")
    : new Error("It does not answer");
}

class RemoteSession implements Session {
  readonly #options: RemoteOptions;
  readonly #clients = new Set<RemoteClient>();
  #first: Connected | undefined;
  #id: string;

  constructor(options: RemoteOptions, first: Connected) {
    this.#options = options;
    this.#first = first;
    this.#id = first.id;
  }

  /** Follows the owner when the conversation is cleared. */
  get id(): string {
    return this.#id;
  }

  attach(options: AttachOptions = {}): SessionClient {
    const connected = this.#first ? Promise.resolve(this.#first) : connect(this.#options);
    this.#first = undefined;
    const code = socketCode(openSeal(this.#options.configDir), this.#options.socket);
    const client = new RemoteClient(connected, {
      attach: { type: "attach", ...options, view: { ...options.view, streamEvents: true }, code },
      streamEvents: options.view?.streamEvents === true,
      ownAnswers: this.#options.ownAnswers,
      session: () => this.#id,
      moved: (id) => void (this.#id = id),
    });
    this.#clients.add(client);
    return client;
  }

  async close(reason: EndReason): Promise<void> {
    this.#first?.lines.end();
    const clients = [...this.#clients];
    if (reason === "end_of_input") await Promise.all(clients.map((client) => client.answered()));
    for (const client of clients) client.detach();
  }
}

interface RemoteClientOptions {
  readonly attach: object;
  readonly ownAnswers: boolean;
  /** The front end wants messages about the stream itself. */
  readonly streamEvents: boolean;
  session(): string;
  moved(id: string): void;
}

class RemoteClient implements SessionClient {
  readonly id = `remote-${crypto.randomUUID().slice(0, 8)}`;
  readonly messages: AsyncIterable<Outbound>;
  readonly #options: RemoteClientOptions;
  readonly #early: string[];
  /** Its prompts that have no result yet. */
  readonly #open = new Set<string>();
  readonly #done = Promise.withResolvers<void>();
  #lines: SocketLines | undefined;
  #limits: readonly string[] = [];
  #cursor: StreamCursor = "";
  #isDetached = false;
  #isClosing = false;

  constructor(connected: Promise<Connected>, options: RemoteClientOptions) {
    this.#options = options;
    this.#early = [toLine(options.attach)];
    this.messages = this.#read(connected);
    connected.then(
      ({ lines }) => {
        this.#lines = lines;
        for (const line of this.#early.splice(0)) void lines.write(line);
        if (this.#isDetached) lines.end();
      },
      () => this.#done.resolve(),
    );
  }

  get cursor(): StreamCursor {
    return this.#cursor;
  }

  send(input: Inbound): void {
    const sent = input.type === "user" ? { ...input, uuid: input.uuid ?? crypto.randomUUID() } : input;
    if (sent.type === "user" && sent.shouldQuery !== false) this.#open.add(sent.uuid!);
    if (this.#lines) void this.#lines.write(toLine(sent));
    else this.#early.push(toLine(sent));
  }

  /** When all its prompts have a result, or the owner is gone. */
  async answered(): Promise<void> {
    this.#isClosing = true;
    if (this.#open.size > 0) await this.#done.promise;
  }

  detach(): void {
    this.#isDetached = true;
    this.#lines?.end();
  }

  async *#read(connected: Promise<Connected>): AsyncGenerator<Outbound> {
    try {
      const { input, limits } = await connected;
      this.#limits = limits;
      for await (const line of input) {
        yield* this.#take(line);
        if (this.#isClosing && this.#open.size === 0) this.#done.resolve();
        if (this.#isDetached) return;
      }
      if (!this.#isDetached) throw ended(this.#options.session(), limits);
    } finally {
      this.detach();
      this.#open.clear();
      this.#done.resolve();
    }
  }

  /** What the front end gets of a line. */
  #take(line: string): readonly Outbound[] {
    const said: unknown = tryParse(line);
    if (!isStreamLine(said)) return [];
    const { c, m: message } = said;
    if (c !== null) this.#cursor = c;
    if (message.type === "stream" && !this.#options.streamEvents) {
      if (message.subtype === "reset") throw tooLate(this.#options.session(), this.#limits);
      return message.subtype === "snapshot"
        ? message.events.map((event) => asStreamed(event, this.#options.session()))
        : [];
    }
    const id = readField(message, "session_id");
    if (typeof id === "string" && message.type === "system") this.#options.moved(id);
    const isOwn = this.#isOwn(message);
    return isOwn || !this.#options.ownAnswers ? [message] : [];
  }

  #isRunning = false;

  /** Between the start of the run that has its prompt and that run's result. */
  #isOwn(message: Outbound): boolean {
    if (message.type === "control_response") return true;
    if (message.type === "command_lifecycle") {
      if (!this.#open.has(String(message.command_uuid))) return false;
      if (message.state === "started") this.#isRunning = true;
      else if (message.state === "cancelled") this.#open.delete(String(message.command_uuid));
      return true;
    }
    if (!isResult(message)) return this.#isRunning;
    const answered = (message.user_message_uuids ?? []).filter((uuid) => this.#open.delete(uuid));
    if (answered.length === 0) return false;
    this.#isRunning = false;
    return true;
  }
}

/** For front ends that know no snapshots. */
const asStreamed = (event: StreamEvent, session_id: string): Outbound => ({
  type: "stream_event",
  event,
  parent_tool_use_id: null,
  session_id,
  uuid: crypto.randomUUID(),
});

const stringsIn = (said: unknown) =>
  isList(said) ? said.filter((each): each is string => typeof each === "string") : [];

const tooLate = (id: string, limits: readonly string[]) =>
  lost("This program was stopped for so long that it cannot follow the session", id, { to: "attach again", limits });

const ended = (id: string, limits: readonly string[]) =>
  lost("The session was ended by the program that had it open", id, { to: "continue it", limits });

/** A command can end the program that limits it. What was attached to that must not go on by itself without the limits. */
function lost(why: string, id: string, { to, limits }: { readonly to: string; readonly limits: readonly string[] }) {
  if (limits.length === 0) return new SessionLostError(why, id, `to ${to}`);
  const fix = `that was started with ${limits.join(", ")}; to ${to} without, or with these added`;
  return new SessionLostError(why, id, fix, true);
}
