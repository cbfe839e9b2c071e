// Answers requests that a server sends to us. At most fifty at a time; more are dropped.

import type { JsonObject } from "@keelson/protocol";
import { INTERNAL_ERROR, McpError, METHOD_NOT_FOUND } from "./rpc.ts";

/** Resolves with the result. The signal aborts if the server cancels its request or the connection ends. */
export type RequestHandler = (params: JsonObject, signal: AbortSignal) => Promise<JsonObject>;

export type RequestHandlers = Readonly<Record<string, RequestHandler>>;

const MAX_UNDER_WAY = 50;

export class Answers {
  readonly #handlers: RequestHandlers;
  readonly #send: (message: JsonObject) => Promise<void>;
  readonly #underWay = new Map<string | number, AbortController>();

  constructor(handlers: RequestHandlers, send: (message: JsonObject) => Promise<void>) {
    this.#handlers = handlers;
    this.#send = send;
  }

  get areUnderWay(): boolean {
    return this.#underWay.size > 0;
  }

  answer(id: string | number, method: string, params: JsonObject): void {
    if (this.#underWay.size >= MAX_UNDER_WAY || this.#underWay.has(id)) return;
    const cancelled = new AbortController();
    this.#underWay.set(id, cancelled);
    void this.#reply(id, method, params, cancelled.signal).finally(() => this.#underWay.delete(id));
  }

  /** Rejects with McpError if there is no handler. */
  ask(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const handler = Object.hasOwn(this.#handlers, method) ? this.#handlers[method] : undefined;
    return handler ? handler(params, signal) : Promise.reject(notFound(method));
  }

  /** The server no longer needs an answer. */
  cancel(id: unknown): void {
    if (typeof id === "string" || typeof id === "number") this.#underWay.get(id)?.abort();
  }

  close(): void {
    for (const each of this.#underWay.values()) each.abort();
  }

  async #reply(id: string | number, method: string, params: JsonObject, signal: AbortSignal): Promise<void> {
    // Without a handler there is nothing to wait for, so the answer leaves before the next message is read.
    if (method === "ping") return this.#send({ jsonrpc: "2.0", id, result: {} });
    if (!Object.hasOwn(this.#handlers, method))
      return this.#send({ jsonrpc: "2.0", id, error: errorOf(notFound(method)) });
    const answer = await this.ask(method, params, signal).then(
      (result) => ({ result }),
      (error: unknown) => ({ error: errorOf(error) }),
    );
    if (!signal.aborted) await this.#send({ jsonrpc: "2.0", id, ...answer });
  }
}

const notFound = (method: string) => new McpError(METHOD_NOT_FOUND, `Method not found: ${method.slice(0, 200)}`);

function errorOf(error: unknown): JsonObject {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof McpError)) return { code: INTERNAL_ERROR, message };
  // The server adds the prefix itself.
  return { code: error.code, message: message.replace(/^MCP error -?\d+: /, "") };
}
