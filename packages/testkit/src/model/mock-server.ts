// The scripted model over HTTP on loopback: Anthropic Messages, streamed and plain, with everything that can go wrong
// on a connection. It sends what the script says and does not judge requests; tests do that with `requests`.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject, StreamEvent } from "@keelson/protocol";
import { aborted, play, untilDue } from "./play.ts";
import {
  errorBody,
  errorStatus,
  errorType,
  isFailure,
  toEvents,
  toMessage,
  type Failure,
  type ScriptedReply,
  type ScriptStep,
} from "./reply.ts";

/** How an answer ended: sent completely, cut by the script, or the client left first. */
export type AnswerOutcome = "answered" | "cut" | "abandoned";

export interface RecordedRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON, or the text if it is not JSON. */
  readonly body: any;
  /** `performance.now()` when the request was complete. */
  readonly at: number;
  readonly ended: Promise<AnswerOutcome>;
}

export interface MockModelOptions {
  /** 0 or absent for any free port. */
  readonly port?: number;
  /** Writes streams in chunks of this many bytes; if absent, one event at a time. */
  readonly chunkBytes?: number;
  /** Sends a `ping` after `message_start`, as the API does. */
  readonly pings?: boolean;
  /** What `count_tokens` answers; a quarter of the body's length if absent. */
  readonly countTokens?: (body: JsonObject) => number;
}

export interface MockModel extends AsyncDisposable {
  /** The value for `ANTHROPIC_BASE_URL`. */
  readonly url: string;
  /** Requests for a reply, in order; the script answers these. */
  readonly requests: readonly RecordedRequest[];
  /** All other requests: token counts, probes, unknown paths. */
  readonly others: readonly RecordedRequest[];
  /** Resolves to the n-th request (from one) when it arrives. Rejects if the server closes first. */
  waitForRequest(number: number): Promise<RecordedRequest>;
  /** Breaks every open connection and stops. */
  close(): Promise<void>;
}

/** Starts the server. A script that is one function answers every request and never runs out. */
export async function startMockModel(
  script: readonly ScriptStep<JsonObject>[] | Exclude<ScriptStep<JsonObject>, ScriptedReply | Failure>,
  options: MockModelOptions = {},
): Promise<MockModel> {
  const requests: RecordedRequest[] = [];
  const others: RecordedRequest[] = [];
  const waiting = new Set<{ readonly number: number; readonly settle: PromiseWithResolvers<RecordedRequest> }>();
  const closing = new AbortController();

  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const isPrompt = request.method === "POST" && pathOf(request) === "/v1/messages";
    const recorded = record(request, response, body);
    const number = (isPrompt ? requests : others).push(recorded.request);
    if (isPrompt) for (const waiter of waiting) if (waiter.number === number) waiter.settle.resolve(recorded.request);
    if (!isPrompt) return answerOther(request, response, body, options);

    const step = typeof script === "function" ? script : script[number - 1];
    const signal = AbortSignal.any([closing.signal, recorded.left]);
    const exchange: Exchange = { response, number, body, signal, cut: recorded.cut };
    try {
      const said = typeof step === "function" ? await step(body, number) : (step ?? exhausted(script.length));
      if (isFailure(said)) await refuse(exchange, said);
      else if (body?.stream === true) await stream(exchange, said, options);
      else await plain(exchange, said);
    } catch (error) {
      if (signal.aborted) return void response.destroy();
      // A step that throws is a mistake in the test: 400, so no client retries.
      const message = `Script step ${number} threw: ${error instanceof Error ? error.message : String(error)}`;
      await refuse(exchange, { status: 400, message });
    }
  });
  server.on("connection", (socket) => socket.setNoDelay(true));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });

  const close = async () => {
    closing.abort(new Error("Mock model is closed"));
    for (const { number, settle } of waiting)
      settle.reject(new Error(`Mock model closed before request ${number}; ${requests.length} came`));
    server.closeAllConnections();
    if (server.listening) await new Promise<void>((resolve) => server.close(() => resolve()));
  };

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    others,
    async waitForRequest(number) {
      const there = requests[number - 1];
      if (there) return there;
      if (closing.signal.aborted) throw closing.signal.reason;
      const waiter = { number, settle: Promise.withResolvers<RecordedRequest>() };
      waiting.add(waiter);
      const { promise } = waiter.settle;
      // If no one waits any longer when the server closes, the rejection is not an error.
      promise.catch(() => {});
      return promise;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** One request for a reply, and what is needed to answer it. */
interface Exchange {
  readonly response: ServerResponse;
  readonly number: number;
  readonly body: JsonObject;
  /** Aborted when the client has left or the server closes. */
  readonly signal: AbortSignal;
  /** Breaks the connection. */
  cut(): Promise<void>;
}

async function stream(
  exchange: Exchange,
  reply: ScriptedReply,
  { chunkBytes, pings }: MockModelOptions,
): Promise<void> {
  const { response, number, body, signal } = exchange;
  const send = (type: string, data: object) => write(response, sse(type, data), chunkBytes, signal);
  const events = toEvents(reply, number, modelOf(body));
  const ending = endingOf(reply, events);
  for await (const beat of play(reply, events, signal)) {
    if (beat.kind === "cut") return exchange.cut();
    if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream", ...requestId(number) });
    if (beat.kind === "error") await send("error", errorBody(beat.type, beat.message));
    else if (beat.event === ending[0]) {
      const bytes = Buffer.concat(ending.map((event) => sse(event.type, event)));
      await write(response, bytes, chunkBytes, signal);
    } else if (!ending.includes(beat.event)) await send(beat.event.type, beat.event);
    if (pings && beat.kind === "event" && beat.event.type === "message_start") await send("ping", { type: "ping" });
  }
  response.end();
}

/**
 * What follows the content of the last block. It is sent at once, as real servers do: whoever sees the last call of a
 * reply and stops the run then stops its tools, and never the end of the reply.
 */
function endingOf({ cutAfter, holdAfter, errorAfter }: ScriptedReply, events: readonly StreamEvent[]) {
  if (cutAfter !== undefined || holdAfter !== undefined || errorAfter !== undefined) return [];
  const from = events.findLastIndex(({ type }) => type === "content_block_stop");
  return from < 0 ? [] : events.slice(from);
}

/** A reply without `stream`. Where a stream would be cut, half of the body is sent; before the first event, nothing. */
async function plain(exchange: Exchange, reply: ScriptedReply): Promise<void> {
  const { response, number, body, signal } = exchange;
  const { cutAfter, errorAfter } = reply;
  await untilDue({ ...reply, holdAfter: undefined }, signal);
  if (errorAfter) return refuse(exchange, { status: errorStatus(errorAfter.type), ...errorAfter });
  if (cutAfter === 0 && !reply.hang) return exchange.cut();
  const bytes = Buffer.from(JSON.stringify(toMessage(reply, number, modelOf(body))));
  const length = { "content-length": String(bytes.length) };
  response.writeHead(200, { "content-type": "application/json", ...length, ...requestId(number) });
  if (cutAfter === undefined) return void response.end(bytes);
  await write(response, bytes.subarray(0, bytes.length / 2), undefined, signal);
  if (reply.hang) await aborted(signal);
  await exchange.cut();
}

async function refuse({ response, signal }: Exchange, failure: Failure): Promise<void> {
  await untilDue(failure, signal);
  const { status, type = errorType(status), message = `Scripted ${status}` } = failure;
  json(response, status, errorBody(type, message), failure.headers);
}

function answerOther(request: IncomingMessage, response: ServerResponse, body: any, options: MockModelOptions): void {
  const path = pathOf(request);
  if (path === "/v1/messages/count_tokens") {
    const count = options.countTokens?.(body) ?? Math.ceil(JSON.stringify(body).length / 4);
    return json(response, 200, { input_tokens: count });
  }
  if (path === "/" && (request.method === "HEAD" || request.method === "GET")) return json(response, 200, {});
  json(response, 404, errorBody("not_found_error", `No such path: ${request.method} ${path}`));
}

/** Records the request and how its answer ends. */
function record(request: IncomingMessage, response: ServerResponse, body: unknown) {
  const left = new AbortController();
  response.on("error", () => {});
  const { promise: ended, resolve } = Promise.withResolvers<AnswerOutcome>();
  response.once("close", () => {
    resolve(response.writableFinished ? "answered" : "abandoned");
    left.abort(new Error("The client left"));
  });
  const noted: RecordedRequest = {
    method: request.method ?? "",
    path: request.url ?? "",
    headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
    body,
    at: performance.now(),
    ended,
  };
  const cut = async () => {
    if (response.headersSent) await Bun.sleep(BEFORE_CUT);
    resolve("cut");
    request.socket.destroy();
  };
  return { request: noted, left: left.signal, cut };
}

/** Writes and waits until the bytes are sent, so a later cut does not discard them. */
async function write(response: ServerResponse, bytes: Buffer, size = bytes.length, signal: AbortSignal): Promise<void> {
  for (let at = 0; at < bytes.length; at += size) {
    signal.throwIfAborted();
    response.write(bytes.subarray(at, at + size));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function bodyOf(request: IncomingMessage): Promise<any> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const text = Buffer.concat(parts).toString();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function json(response: ServerResponse, status: number, body: object, headers: Readonly<Record<string, string>> = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

function exhausted(length: number): Failure {
  const message = `script exhausted after ${length} requests`;
  return { status: 500, type: "api_error", message, headers: { "x-should-retry": "false" } };
}

// A client built on fetch loses received but unread data when its connection breaks. Give it time to read.
const BEFORE_CUT = 100;

const sse = (type: string, data: object) => Buffer.from(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
const pathOf = (request: IncomingMessage) => (request.url ?? "").split("?")[0];
const modelOf = (body: JsonObject) => (typeof body.model === "string" ? body.model : "scripted");
const requestId = (number: number) => ({ "request-id": `req_${number}` });
