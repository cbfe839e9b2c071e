// The client side of a JSON-RPC connection to an MCP server: requests with a timeout, cancellation, and replies to
// requests from the server. Knows nothing about transports or tools.

import { isObject, type JsonObject } from "@keelson/protocol";
import {
  CONNECTION_CLOSED,
  McpError,
  METHOD_NOT_FOUND,
  readResponse,
  rpcNotification,
  rpcRequest,
  TIMED_OUT,
} from "./rpc.ts";

/** What a transport reports on its own. */
export interface TransportEvents {
  /** A message from the server. */
  message(message: unknown): void;
  /** The connection is gone; nothing else will arrive. */
  closed(reason: Error): void;
}

/** Sends messages to a server. */
export interface Transport {
  /** Connects. Called once, before the first `send`. Rejects if the server cannot be reached. */
  start?(events: TransportEvents, signal: AbortSignal): Promise<void>;
  /**
   * Resolves with the answer, or with undefined if the answer will arrive as a message. Rejects if the message could
   * not be sent. An aborted signal means the caller no longer needs the answer.
   */
  send(message: JsonObject, signal: AbortSignal): Promise<unknown>;
  /** The protocol version that both sides agreed on. */
  useVersion?(version: string): void;
  /** Resolves when nothing is left running. */
  close?(): void | Promise<void>;
}

export interface RequestLimit {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export type OnNotification = (method: string, params: JsonObject) => void;

const MAX_TIMER_MS = 2 ** 31 - 1;
const MAX_UNSENT_ANSWERS = 50;
const MAX_BATCH = 100;

export class Client {
  readonly #transport: Transport;
  readonly #onNotification: OnNotification;
  readonly #pending = new Map<number, PendingRequest>();
  readonly #closing = new AbortController();
  #nextId = 0;
  #answering = 0;

  constructor(transport: Transport, onNotice: OnNotification = () => undefined) {
    this.#transport = transport;
    this.#onNotification = onNotice;
  }

  /** Resolves with the result. Rejects with McpError, or with the signal's reason if the caller aborts. */
  async request(
    method: string,
    params: JsonObject | ((id: number) => JsonObject),
    limit: RequestLimit,
  ): Promise<unknown> {
    const { timeoutMs, signal } = limit;
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
    const timer = setTimeout(
      () => giveUp(new McpError(TIMED_OUT, "Request timed out")),
      Math.min(timeoutMs, MAX_TIMER_MS),
    );
    signal.addEventListener("abort", onAbort);
    this.#pending.set(id, { resolve, reject, abandoned });
    try {
      const message = rpcRequest(id, method, typeof params === "function" ? params(id) : params);
      this.#transport.send(message, abandoned.signal).then(
        (answer) => answer !== undefined && resolve(answer),
        (error: unknown) => reject(new McpError(CONNECTION_CLOSED, messageOf(error))),
      );
      return readResponse(await promise);
    } finally {
      this.#pending.delete(id);
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Sends a notification. Send errors are ignored: the next request will hit the same error and report it. */
  notify(method: string, params?: JsonObject): void {
    if (this.#closing.signal.aborted) return;
    void this.#send(rpcNotification(method, params));
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
    if (typeof method !== "string") this.#pending.get(Number(id ?? NaN))?.resolve(message);
    else if (typeof id === "string" || typeof id === "number") this.#answer(id, method);
    else this.#onNotification(method, isObject(params) ? (params as JsonObject) : {});
  }

  close(): void {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    for (const { reject, abandoned } of this.#pending.values()) {
      reject(closedError());
      abandoned.abort();
    }
    this.#transport.close?.();
  }

  /** We declared no capabilities, so `ping` is the only valid request. Requests beyond the limit are dropped. */
  #answer(id: string | number, method: string): void {
    if (this.#answering >= MAX_UNSENT_ANSWERS) return;
    this.#answering++;
    const answer =
      method === "ping"
        ? { result: {} }
        : { error: { code: METHOD_NOT_FOUND, message: `Method not found: ${method}` } };
    void this.#send({ jsonrpc: "2.0", id, ...answer }).then(() => this.#answering--);
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
}

const closedError = () => new McpError(CONNECTION_CLOSED, "Connection closed");

const messageOf = (reason: unknown) => (reason instanceof Error ? reason.message : String(reason));
