// The client side of a JSON-RPC connection to an MCP server: requests with time limits, progress and cancellation, and
// answers to requests from the server. Knows nothing about transports or tools.

import { isObject, type JsonObject } from "@keelson/protocol";
import { Answers, type AnswerLimit, type RequestHandlers } from "./answers.ts";
import { CONNECTION_CLOSED, McpError, messageOf, readResponse, rpcNotification, rpcRequest, TIMED_OUT } from "./rpc.ts";

/** What a transport reports on its own. */
export interface TransportEvents {
  /** A message from the server. */
  message(message: unknown): void;
  /** The connection is gone; nothing else will arrive. Open requests fail with the reason if it is an McpError. */
  closed(reason: Error): void;
}

/** Sends messages to a server. */
export interface Transport {
  /** Connects. Called once, before the first `send`. Rejects if the server cannot be reached. */
  start?(events: TransportEvents, signal: AbortSignal): Promise<void>;
  /**
   * Resolves with the answer, or with undefined if the answer will arrive as a message. Rejects if the message could
   * not be sent, with an McpError if the server said why. An aborted signal means the caller no longer needs the answer.
   */
  send(message: JsonObject, signal: AbortSignal): Promise<unknown>;
  /** The protocol version that both sides agreed on. */
  useVersion?(version: string): void;
  /** What the server sent that was no message, in words; it may explain why no answer came. */
  noise?(): string | undefined;
  /** Resolves when nothing is left running. */
  close?(): void | Promise<void>;
}

/** What a server says about a request under way. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface RequestLimit {
  readonly timeoutMs: number;
  /** The longest time without progress. Waiting for our own answer to the server does not count. */
  readonly idleTimeoutMs?: number;
  readonly signal: AbortSignal;
  onProgress?(progress: Progress): void;
}

export interface RpcOptions {
  onNotification?(method: string, params: JsonObject): void;
  /** Answers requests from the server, by method. `ping` is always answered. */
  readonly handlers?: RequestHandlers;
  readonly answerLimit?: AnswerLimit;
  /** Called once if the transport reports that the connection is gone. */
  onClosed?(reason: Error): void;
}

/** Longer timers fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;
/** Messages of one list that are read. */
export const MAX_BATCH = 100;
const MAX_PROGRESS_LENGTH = 1_000;

export class Client {
  readonly #transport: Transport;
  readonly #options: RpcOptions;
  readonly #answers: Answers;
  readonly #pending = new Map<number, PendingRequest>();
  readonly #closing = new AbortController();
  #envelope: JsonObject | undefined;
  #nextId = 0;

  constructor(transport: Transport, options: RpcOptions = {}) {
    this.#transport = transport;
    this.#options = options;
    this.#answers = new Answers(options.handlers ?? {}, (message) => this.#send(message), options.answerLimit);
  }

  /** Connects the transport. */
  async start(signal: AbortSignal): Promise<void> {
    const events: TransportEvents = {
      message: (message) => this.deliver(message),
      closed: (reason) => this.#onClosed(reason),
    };
    await this.#transport.start?.(events, signal);
  }

  /**
   * From 2026-07-28 on every message says which protocol and client it comes from, and servers send no requests of their
   * own.
   */
  useVersion(version: string, envelope?: JsonObject): void {
    this.#envelope = envelope;
    this.#transport.useVersion?.(version);
  }

  /** Resolves with the result. Rejects with McpError, or with the signal's reason if the caller aborts. */
  async request(
    method: string,
    params: JsonObject | ((id: number) => JsonObject),
    limit: RequestLimit,
  ): Promise<unknown> {
    const { timeoutMs, idleTimeoutMs = Infinity, signal } = limit;
    signal.throwIfAborted();
    if (this.#closing.signal.aborted) throw closedError();
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const abandoned = new AbortController();
    const giveUp = (reason: unknown) => {
      // MCP forbids cancelling `initialize`.
      if (method !== "initialize") this.notify("notifications/cancelled", { requestId: id, reason: messageOf(reason) });
      reject(reason);
      abandoned.abort();
    };
    const onAbort = () => giveUp(signal.reason);
    const total = timer(timeoutMs, () => giveUp(new McpError(TIMED_OUT, "Request timed out")));
    const idle = timer(idleTimeoutMs, () => {
      if (this.#answers.areUnderWay) idle.restart();
      else giveUp(new McpError(TIMED_OUT, `Request timed out: no progress for ${Math.round(idleTimeoutMs / 1_000)} s`));
    });
    const onProgress = (progress: Progress) => {
      idle.restart();
      limit.onProgress?.(progress);
    };
    signal.addEventListener("abort", onAbort);
    this.#pending.set(id, { resolve, reject, abandoned, onProgress });
    try {
      const message = rpcRequest(id, method, this.#enveloped(typeof params === "function" ? params(id) : params));
      this.#transport.send(message, abandoned.signal).then(
        (answer) => answer !== undefined && resolve(answer),
        (error: unknown) =>
          reject(error instanceof McpError ? error : new McpError(CONNECTION_CLOSED, messageOf(error))),
      );
      return readResponse(await promise);
    } finally {
      this.#pending.delete(id);
      total.stop();
      idle.stop();
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Answers a request that the server put into a result instead of sending it. */
  answer(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    return this.#answers.ask(method, params, signal);
  }

  /** Resolves when every request from the other side has its answer. */
  answered(): Promise<void> {
    return this.#answers.settled();
  }

  /** Sends a notification. Send errors are ignored: the next request will hit the same error and report it. */
  notify(method: string, params?: JsonObject): void {
    if (this.#closing.signal.aborted) return;
    void this.#send(rpcNotification(method, this.#envelope ? this.#enveloped(params ?? {}) : params));
  }

  /** Handles a message the server sent on its own. Invalid messages are ignored. */
  deliver(message: unknown): void {
    if (this.#closing.signal.aborted) return;
    if (Array.isArray(message)) {
      for (const each of message.slice(0, MAX_BATCH)) if (!Array.isArray(each)) this.deliver(each);
      return;
    }
    if (!isObject(message)) return;
    const { id, method, params } = message;
    const details = isObject(params) ? (params as JsonObject) : {};
    if (typeof method !== "string") this.#pending.get(requestId(id))?.resolve(message);
    else if (typeof id !== "string" && typeof id !== "number") this.#onNotification(method, details);
    else if (!this.#envelope) this.#answers.answer(id, method, details);
  }

  close(): void | Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#end(closedError());
    return this.#transport.close?.();
  }

  #onNotification(method: string, params: JsonObject): void {
    if (method === "notifications/progress") {
      const progress = readProgress(params);
      if (progress) this.#pending.get(requestId(params["progressToken"]))?.onProgress(progress);
    } else if (method === "notifications/cancelled") this.#answers.cancel(params["requestId"]);
    else this.#options.onNotification?.(method, params);
  }

  #onClosed(reason: Error): void {
    if (this.#closing.signal.aborted) return;
    this.#end(reason instanceof McpError ? reason : closedError());
    this.#options.onClosed?.(reason);
    void this.#transport.close?.();
  }

  #end(error: McpError): void {
    this.#closing.abort();
    this.#answers.close();
    for (const { reject, abandoned } of this.#pending.values()) {
      reject(error);
      abandoned.abort();
    }
  }

  #enveloped(params: JsonObject): JsonObject {
    const meta = params["_meta"];
    return this.#envelope ? { ...params, _meta: { ...this.#envelope, ...(isObject(meta) ? meta : {}) } } : params;
  }

  async #send(message: JsonObject): Promise<void> {
    try {
      await this.#transport.send(message, this.#closing.signal);
    } catch {
      // No caller is waiting for this message.
    }
  }
}

interface PendingRequest {
  resolve(answer: unknown): void;
  reject(error: unknown): void;
  /** Tells the transport to stop waiting for the answer. */
  readonly abandoned: AbortController;
  onProgress(progress: Progress): void;
}

const closedError = () => new McpError(CONNECTION_CLOSED, "Connection closed");

/** Some servers turn our numbers into strings. */
function requestId(id: unknown): number {
  if (typeof id === "string" && /^\d{1,15}$/.test(id)) return Number(id);
  return typeof id === "number" ? id : NaN;
}

function readProgress({ progress, total, message }: JsonObject): Progress | undefined {
  if (typeof progress !== "number") return undefined;
  return {
    progress,
    ...(typeof total === "number" ? { total } : {}),
    ...(typeof message === "string" ? { message: message.slice(0, MAX_PROGRESS_LENGTH) } : {}),
  };
}

function timer(ms: number, onEnd: () => void) {
  const start = () => (ms === Infinity ? undefined : setTimeout(onEnd, Math.min(ms, MAX_TIMER_MS)));
  let running = start();
  return {
    restart() {
      clearTimeout(running);
      running = start();
    },
    stop: () => clearTimeout(running),
  };
}
