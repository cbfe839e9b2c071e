// A routines server on loopback that keeps to docs/routines-api.md as strictly as a client must expect. For tests.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ApiError, RoutineStore, type Fields } from "./routine-store.ts";
import { isAuthentic } from "./signature.ts";

export interface RoutinesServerOptions {
  readonly token: string;
  /** The server's clock; the machine's by default. */
  now?(): number;
  /** Entries on a page. */
  readonly pageSize?: number;
}

export interface RecordedCall {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface RoutinesServer {
  readonly url: string;
  readonly calls: readonly RecordedCall[];
  readonly store: RoutineStore;
  [Symbol.asyncDispose](): Promise<void>;
}

const MAX_BODY = 1024 * 1024;

export async function startRoutinesServer(options: RoutinesServerOptions): Promise<RoutinesServer> {
  const { token, now = Date.now, pageSize = 100 } = options;
  const store = new RoutineStore(now, pageSize);
  const calls: RecordedCall[] = [];
  const kept = new Map<string, { readonly asked: string; readonly status: number; readonly text: string }>();

  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const { method = "", url = "", headers } = request;
    calls.push({ method, path: url, headers, body });
    try {
      const hook = /^\/v1\/webhooks\/([\w-]+)$/.exec(url)?.[1];
      if (hook !== undefined) return send(response, 200, fire(hook, method, headers, body));
      if (headers.authorization !== `Bearer ${token}`) throw new ApiError(401, "The token is missing or wrong");
      const key = method === "POST" ? (headers["idempotency-key"] as string | undefined) : undefined;
      const asked = `${url}\n${body}`;
      const earlier = key === undefined ? undefined : kept.get(key);
      if (earlier && earlier.asked !== asked)
        throw new ApiError(409, "The idempotency key was used for something else");
      if (earlier) {
        response.setHeader("idempotent-replayed", "true");
        return sendText(response, earlier.status, earlier.text);
      }
      const { status, answer } = route(method, url, fieldsOf(request, body), headers);
      const text = answer === undefined ? "" : JSON.stringify(answer);
      if (key !== undefined) kept.set(key, { asked, status, text });
      sendText(response, status, text);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 401) response.setHeader("www-authenticate", "Bearer");
      if (error.status === 405) response.setHeader("allow", error.message);
      send(response, error.status, { type: "error", error: { type: error.type, message: error.message } });
    }
  });

  function route(method: string, url: string, body: Fields | undefined, headers: IncomingMessage["headers"]) {
    const { pathname, searchParams } = new URL(url, "http://routines");
    const page = { cursor: searchParams.get("cursor"), limit: searchParams.get("limit") };
    const [, id, what] = /^\/v1\/code\/triggers(?:\/([\w-]+)(?:\/(\w+))?)?$/.exec(pathname) ?? [];
    const session = /^\/v1\/code\/sessions\/([\w-]+)\/log$/.exec(pathname)?.[1];
    const only = (...methods: string[]) => {
      if (!methods.includes(method)) throw new ApiError(405, methods.join(", "));
    };
    if (session !== undefined) {
      only("GET");
      return { status: 200, answer: store.log(session, page) };
    }
    if (!/^\/v1\/code\/triggers(?:\/|$)/.test(pathname)) throw new ApiError(404, "There is no such path");
    if (id === undefined) {
      only("GET", "POST");
      return method === "GET"
        ? { status: 200, answer: store.list(page) }
        : { status: 201, answer: store.create(needed(body)) };
    }
    switch (what) {
      case undefined:
        only("GET", "POST", "PATCH", "DELETE");
        if (method === "GET") return { status: 200, answer: store.get(id) };
        if (method === "DELETE") return { status: 204, answer: void store.remove(id) };
        return { status: 200, answer: store.update(id, needed(body), headers["if-match"]) };
      case "run":
        only("POST");
        return { status: 202, answer: store.run(id, "manual", needed(body)) };
      case "runs":
        only("GET");
        return { status: 200, answer: store.runs(id, page) };
      case "webhooks":
        only("POST");
        return { status: 201, answer: store.addWebhook(id, needed(body), address()) };
      default:
        throw new ApiError(404, "There is no such path");
    }
  }

  function fire(id: string, method: string, headers: IncomingMessage["headers"], body: string): Fields {
    if (method !== "POST") throw new ApiError(405, "POST");
    const webhook = store.webhook(id);
    if (!isAuthentic(webhook, headers, body, now())) throw new ApiError(401, "The call is not authentic");
    const { id: run, session_id, state } = store.run(webhook.triggerId, webhook.kind, { text: body });
    return { type: "routine_fire", id: run, session_id, state };
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: address(),
    calls,
    store,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks).toString("utf8");
}

function fieldsOf({ method, headers }: IncomingMessage, body: string): Fields | undefined {
  if (method === "GET" || method === "DELETE") {
    if (body !== "") throw new ApiError(400, "body: not allowed here");
    return undefined;
  }
  if (!/^application\/json\b/.test(headers["content-type"] ?? "")) throw new ApiError(415, "The body is not JSON");
  if (body.length > MAX_BODY) throw new ApiError(413, "The body is over 1 MB");
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  } catch {
    // As for any other text that is no object.
  }
  throw new ApiError(400, "body: not a JSON object");
}

function needed(body: Fields | undefined): Fields {
  if (body === undefined) throw new ApiError(400, "body: missing");
  return body;
}

const send = (response: ServerResponse, status: number, answer: Fields) =>
  sendText(response, status, JSON.stringify(answer));

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, text === "" ? {} : { "content-type": "application/json" }).end(text);
}
