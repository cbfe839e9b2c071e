// A browser without a page, for tests: it starts `keelson web`, signs in, and reads and writes the streams of sessions.

import { startKeelson, type ProgramOptions, type Running } from "@keelson/testkit";

export interface WebOptions extends ProgramOptions {
  readonly args?: readonly string[];
}

export interface StartedWeb extends AsyncDisposable {
  readonly program: Running;
  /** Without a path. */
  readonly address: string;
  /** The link that was printed first. */
  readonly link: string;
  /** Signs a device in with a link. */
  signIn(link?: string): Promise<WebDevice>;
}

export interface WebDevice {
  readonly token: string;
  /** The session that the link leads to. */
  readonly leadsTo: string | undefined;
  request(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<WebReply>;
  stream(session: string, after?: string): WebStream;
  /** The list of sessions as it changes. */
  list(): WebStream;
  /** A new session; its id. */
  begin(body?: object): Promise<string>;
}

export interface WebReply {
  readonly status: number;
  readonly headers: Headers;
  readonly json: any;
}

export interface WebStream extends Disposable {
  /** All that came so far. */
  readonly messages: readonly any[];
  /** Of the newest message. */
  readonly cursor: string | undefined;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  send(message: object | string): void;
  prompt(text: string, uuid?: string): string;
  /** The first message for which this holds, received already or later. `cursor`: the position behind it, if it has one. */
  until(holds: (message: any, cursor: string | null) => boolean, from?: number): Promise<any>;
  close(): void;
}

export async function startWeb({ args = [], ...options }: WebOptions): Promise<StartedWeb> {
  const program = startKeelson(["web", "--no-open", ...(args.includes("--port") ? [] : ["--port", "0"]), ...args], {
    ...options,
    stdin: "open",
  });
  const line = await program.waitForLine((_, { text }) => text.includes("/#code="));
  const link = line.text.trim();
  const address = link.slice(0, link.indexOf("/#"));
  return {
    program,
    address,
    link,
    signIn: (used = link) => signInWith(used),
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}

/** With any link. */
export const signInWith = (link: string): Promise<WebDevice> =>
  signIn(link.slice(0, link.indexOf("/#")), link.slice(link.indexOf("#code=") + "#code=".length));

async function signIn(address: string, code: string): Promise<WebDevice> {
  const { origin } = new URL(address);
  const request = async (token: string, method: string, path: string, body?: object, headers = {}) => {
    const response = await fetch(address + path, {
      method,
      headers: {
        Origin: origin,
        ...(token === "" ? {} : { Authorization: `Bearer ${token}` }),
        ...(body ? { "Content-Type": "application/json" } : {}),
        ...headers,
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, json: text === "" ? undefined : JSON.parse(text) };
  };
  const { status, json } = await request("", "POST", "/v1/auth/code", { code, name: "A test" });
  if (status !== 200) throw new Error(`Signing in failed: ${JSON.stringify(json)}`);
  const token: string = json.token;
  const device: WebDevice = {
    token,
    leadsTo: json.session,
    request: (...asked) => request(token, ...asked),
    stream: (session, after) =>
      openStream(
        { address, origin, token },
        `/v1/sessions/${session}/stream${after === undefined ? "" : `?after=${after}`}`,
      ),
    list: () => openStream({ address, origin, token }, "/v1/sessions/stream"),
    async begin(body = {}) {
      const created = await device.request("POST", "/v1/sessions", body);
      if (created.status !== 201) throw new Error(`No session: ${JSON.stringify(created.json)}`);
      return created.json.id;
    },
  };
  return device;
}

interface Place {
  readonly address: string;
  readonly origin: string;
  readonly token: string;
}

function openStream({ address, origin, token }: Place, path: string): WebStream {
  const socket = new WebSocket(address.replace(/^http/, "ws") + path, {
    protocols: ["keelson.v1", `bearer.${token}`],
    headers: { Origin: origin },
  } as never);
  const messages: any[] = [];
  const cursors: (string | null)[] = [];
  const closed = Promise.withResolvers<{ code: number; reason: string }>();
  let cursor: string | undefined;
  let news = Promise.withResolvers<void>();
  socket.addEventListener("message", ({ data }) => {
    const { c, m } = JSON.parse(String(data));
    cursor = c ?? cursor;
    messages.push(m);
    cursors.push(c);
    news.resolve();
    news = Promise.withResolvers();
  });
  socket.addEventListener("close", ({ code, reason }) => {
    closed.resolve({ code, reason });
    news.reject(new Error(`The stream was closed: ${code} ${reason}`));
    news.promise.catch(() => undefined);
  });
  const isOpen = new Promise<void>((resolve) => socket.addEventListener("open", () => resolve()));
  const send = (message: object | string) =>
    void isOpen.then(() => socket.send(typeof message === "string" ? message : JSON.stringify(message)));
  return {
    messages,
    get cursor() {
      return cursor;
    },
    closed: closed.promise,
    send,
    prompt(text, uuid = crypto.randomUUID()) {
      send({ type: "user", message: { role: "user", content: text }, parent_tool_use_id: null, uuid });
      return uuid;
    },
    async until(holds, from = 0) {
      for (let at = from; ; at++) {
        while (at >= messages.length) await news.promise;
        if (holds(messages[at], cursors[at]!)) return messages[at];
      }
    },
    close: () => socket.close(),
    [Symbol.dispose]: () => socket.close(),
  };
}
