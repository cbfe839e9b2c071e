// The client's side of one JSON-RPC conversation with an MCP server: requests with a time limit, their withdrawal,
// and short answers to what the server asks. It does not know how messages travel nor what tools are.

import { isObject, type JsonObject } from "@keelson/protocol";
import {
  CONNECTION_CLOSED,
  McpError,
  METHOD_NOT_FOUND,
  readAnswer,
  rpcNotification,
  rpcRequest,
  TIMED_OUT,
} from "./rpc.ts";

/** How messages reach a server. What arrives unasked goes to `Client.deliver`. */
export interface Transport {
  /**
   * Carries one message. Resolves with the answer where answers come back that way, with undefined where they are
   * delivered. Rejects when the message did not arrive. An aborted signal means that nobody waits any more.
   */
  send(message: JsonObject, signal: AbortSignal): Promise<unknown>;
  close?(): void;
}

export interface RequestLimit {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** What a server may say unasked: a method and its parameters. */
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

  /** The result. Rejects with McpError, or with the signal's reason when the caller gave up. */
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
      // A server must not be told to forget its initialization.
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
      return readAnswer(await promise);
    } finally {
      this.#pending.delete(id);
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Says something that has no answer. A server that cannot hear it will be found out by the next request. */
  notify(method: string, params?: JsonObject): void {
    if (this.#closing.signal.aborted) return;
    void this.#send(rpcNotification(method, params));
  }

  /** Takes what a server sent by itself. Whatever it is, it does no harm. */
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

  /** We promised no abilities, so a ping is all a server may ask. One that floods us goes unanswered. */
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
      // Nobody waits for it.
    }
  }
}

interface PendingRequest {
  resolve(answer: unknown): void;
  reject(error: unknown): void;
  /** Tells the transport that nobody waits any more. */
  readonly abandoned: AbortController;
}

const closedError = () => new McpError(CONNECTION_CLOSED, "Connection closed");

const messageOf = (reason: unknown) => (reason instanceof Error ? reason.message : String(reason));
