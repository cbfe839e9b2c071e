// A server for tests whose host notes everything that it is asked for, and a client that sends bytes as they are.

import { controlSuccess, type Outbound, type Session } from "@keelson/protocol";
import { SessionNotOpened, type WebHost, type WebSession } from "./host.ts";
import { readyFiles } from "./page/page-file.ts";
import { serveWeb, type WebServeOptions, type WebServer } from "./serve.ts";

export const SESSION_ID = "0b1c2d3e-0000-4000-8000-000000000001";

export interface WatchedServer extends AsyncDisposable {
  readonly server: WebServer;
  /** What the host was asked to do. */
  readonly work: string[];
  /** What clients sent to sessions. */
  readonly sent: unknown[];
  /** How many clients its session has. */
  readonly attached: number;
  /** The time, in milliseconds. */
  clock: number;
  /** Whether commands of a session are at the other end of all connections. */
  isCommand: boolean;
  /** What the list has. */
  sessions: readonly WebSession[];
  /** Reading what was said takes until then. */
  reading: Promise<void> | undefined;
  /** The list has changed. */
  listChanged(): void;
  /** Shows a message to the clients of the session. */
  say(message: Outbound): void;
  /** Signs a device in; its token. */
  signIn(role?: "driver" | "viewer"): Promise<string>;
  request(head: string, body?: string): Promise<RawReply>;
}

export interface RawReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

export function startWatchedServer(
  options: Partial<WebServeOptions> & {
    sessions?: readonly WebSession[];
    /** What the session answers to control requests. */
    replies?: Readonly<Record<string, object>>;
    exported?: string;
    /** A search takes until then. */
    searching?: Promise<void>;
    /** The session is on disk, and open nowhere. */
    isStored?: boolean;
  } = {},
): WatchedServer {
  const work: string[] = [];
  const sent: unknown[] = [];
  let stored: string | undefined;
  let stamp = 0;
  const listListeners = new Set<() => void>();
  let listeners: ((message: Outbound | undefined) => void)[] = [];
  const did = (what: string) => void work.push(what);
  const session: Session = {
    id: SESSION_ID,
    attach: () => {
      did("attach");
      const waiting: (Outbound | undefined)[] = [];
      let wake: (() => void) | undefined;
      const listen = (message: Outbound | undefined) => {
        waiting.push(message);
        wake?.();
      };
      listeners.push(listen);
      return {
        id: "client-1",
        cursor: "epoch.0",
        messages: (async function* () {
          for (;;) {
            while (waiting.length === 0) await new Promise<void>((resolve) => (wake = resolve));
            const message = waiting.shift();
            if (message === undefined) return;
            yield message;
          }
        })(),
        send(input) {
          sent.push(input);
          if (input.type !== "control_request") return;
          const response = options.replies?.[input.request.subtype] ?? {};
          listen(controlSuccess(input.request_id, response));
        },
        detach: () => {
          listeners = listeners.filter((each) => each !== listen);
          listen(undefined);
        },
      };
    },
    close: async () => undefined,
  };
  const host: WebHost = {
    version: "1.0.0",
    cwd: "/",
    devices: {
      stamp: () => String(stamp),
      read: () => stored,
      async update(change) {
        stored = change(stored);
        stamp++;
      },
    },
    list: async () => {
      did("list");
      return watched.sessions;
    },
    find: async (id) => {
      did("find");
      return watched.sessions.find((session) => session.id === id);
    },
    watchList(listener) {
      did("watch the list");
      listListeners.add(listener);
      return () => {
        did("leave the list");
        listListeners.delete(listener);
      };
    },
    search: async () => {
      did("search");
      await options.searching;
      return { ids: new Set(), isWhole: true };
    },
    async join(id) {
      did("join");
      return id === SESSION_ID && options.isStored !== true
        ? { session, cwd: "/", release: () => undefined }
        : undefined;
    },
    changes: async (_, since) => {
      did("changes");
      return { diff: "", since, commit: null, files: [], hidden: 0, incomplete: false };
    },
    async open({ resume }) {
      did("open");
      if (resume !== undefined && resume !== SESSION_ID) throw new SessionNotOpened("There is no such session", true);
      return { session, cwd: "/", release: () => undefined };
    },
    isFolder: () => true,
    rename: async () => {
      did("rename");
      return true;
    },
    archive: async () => did("archive"),
    messages: async () => {
      did("messages");
      if (watched.reading) {
        await watched.reading;
        did("messages were read");
      }
      return { messages: [], before: null };
    },
    exported: async () => {
      did("export");
      return options.exported === undefined ? undefined : new Response(options.exported).body!;
    },
    remove: async () => did("remove"),
    isCommandAt: () => watched.isCommand,
    now: () => watched.clock,
    warn: (text) => did(`warn ${text}`),
  };
  const files = readyFiles({
    "/": { type: "text/html; charset=utf-8", text: "<!doctype html><title>Keelson</title>" },
    "/page.js": { type: "text/javascript; charset=utf-8", text: "0;" },
  });
  const server = serveWeb(host, { host: "127.0.0.1", port: 0, page: async () => files, ...options });
  const watched: WatchedServer = {
    server,
    work,
    sent,
    get attached() {
      return listeners.length;
    },
    clock: Date.now(),
    isCommand: false,
    sessions: options.sessions ?? [],
    reading: undefined,
    listChanged() {
      for (const listener of listListeners) listener();
    },
    say(message) {
      for (const listen of listeners) listen(message);
    },
    async signIn(role = "driver") {
      const code = role === "driver" ? server.link().split("#code=")[1]! : await viewerCode(watched);
      const { body } = await post(watched, "/v1/auth/code", { code, name: "A test" });
      return JSON.parse(body).token;
    },
    request: (head, body) => rawRequest(server.port, head, body),
    [Symbol.asyncDispose]: () => server.close(),
  };
  return watched;
}

async function viewerCode(watched: WatchedServer): Promise<string> {
  const { body } = await post(watched, "/v1/devices", { role: "viewer" }, await watched.signIn("driver"));
  return JSON.parse(body).code;
}

export function post(
  { server, request }: WatchedServer,
  path: string,
  body: object,
  token?: string,
): Promise<RawReply> {
  const host = `127.0.0.1:${server.port}`;
  const text = JSON.stringify(body);
  const lines = [
    `POST ${path} HTTP/1.1`,
    `Host: ${host}`,
    `Origin: http://${host}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(text)}`,
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
  ];
  return request(lines.join("\r\n"), text);
}

/** Status 0: the connection was closed without an answer. */
export const rawRequest = (port: number, head: string, body = "") => exchange(port, `${head}\r\n\r\n${body}`);

const DRIP_MS = 2_000;

interface ExchangeOptions {
  /** Waits for the end of the connection, also behind an answer. */
  readonly toEnd?: boolean;
  /** Is sent every two seconds. */
  readonly drip?: string;
}

/** Sends this, and waits for an answer or for the end of the connection. */
export async function exchange(
  port: number,
  sent: string,
  { toEnd = false, drip }: ExchangeOptions = {},
): Promise<RawReply> {
  const chunks: Buffer[] = [];
  const done = Promise.withResolvers<void>();
  const isWhole = () => {
    const text = Buffer.concat(chunks).toString("latin1");
    const end = text.indexOf("\r\n\r\n");
    if (end < 0) return false;
    const length = /^content-length: (\d+)/im.exec(text.slice(0, end))?.[1];
    return (
      /^HTTP\/1\.1 (?:101|204|304)/.test(text) || (length !== undefined && text.length >= end + 4 + Number(length))
    );
  };
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      data(_socket, bytes) {
        chunks.push(Buffer.from(bytes));
        if (!toEnd && isWhole()) done.resolve();
      },
      close: () => done.resolve(),
      error: () => done.resolve(),
    },
  });
  socket.write(sent);
  const dripping = drip === undefined ? undefined : setInterval(() => socket.write(drip), DRIP_MS);
  await done.promise;
  clearInterval(dripping);
  socket.end();
  const text = Buffer.concat(chunks).toString("utf8");
  const [first = "", ...lines] = text.split("\r\n\r\n")[0]!.split("\r\n");
  const headers = new Headers();
  for (const line of lines) headers.append(line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim());
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(first)?.[1] ?? 0),
    headers,
    body: text.slice(text.indexOf("\r\n\r\n") + 4),
  };
}
