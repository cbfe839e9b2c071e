// Answers requests from the other side, a limited number at a time.

import type { JsonObject } from "@keelson/protocol";
import { CONNECTION_CLOSED, INTERNAL_ERROR, INVALID_REQUEST, McpError, METHOD_NOT_FOUND, rpcError } from "./rpc.ts";

/** Resolves with the result. The signal aborts if the server cancels its request or the connection ends. */
export type RequestHandler = (params: JsonObject, signal: AbortSignal) => Promise<JsonObject>;

export type RequestHandlers = Readonly<Record<string, RequestHandler>>;

/** What happens to requests beyond the limit, and to a second one with the same id. */
export interface AnswerLimit {
  readonly most: number;
  readonly beyond: "drop" | "refuse";
}

const DEFAULT_LIMIT: AnswerLimit = { most: 50, beyond: "drop" };

export class Answers {
  readonly #handlers: RequestHandlers;
  readonly #send: (message: JsonObject) => Promise<void>;
  readonly #limit: AnswerLimit;
  readonly #underWay = new Map<string | number, AbortController>();
  readonly #replies = new Set<Promise<void>>();

  constructor(handlers: RequestHandlers, send: (message: JsonObject) => Promise<void>, limit = DEFAULT_LIMIT) {
    this.#handlers = handlers;
    this.#send = send;
    this.#limit = limit;
  }

  get areUnderWay(): boolean {
    return this.#underWay.size > 0;
  }

  answer(id: string | number, method: string, params: JsonObject): void {
    const { most, beyond } = this.#limit;
    if (this.#underWay.size >= most || this.#underWay.has(id)) {
      if (beyond === "refuse") void this.#send(this.#underWay.has(id) ? idInUse(id) : tooMany(id, most));
      return;
    }
    const cancelled = new AbortController();
    this.#underWay.set(id, cancelled);
    const reply = this.#reply(id, method, params, cancelled.signal).finally(() => {
      this.#underWay.delete(id);
      this.#replies.delete(reply);
    });
    this.#replies.add(reply);
  }

  /** Resolves when every request so far has its answer. */
  async settled(): Promise<void> {
    while (this.#replies.size > 0) await Promise.all(this.#replies);
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

const idInUse = (id: string | number) =>
  rpcError(id, INVALID_REQUEST, `Another request has the ID ${JSON.stringify(id)}`);

const tooMany = (id: string | number, most: number) =>
  rpcError(id, CONNECTION_CLOSED, `Too many requests at once; the limit is ${most}`);

const notFound = (method: string) => new McpError(METHOD_NOT_FOUND, `Method not found: ${method.slice(0, 200)}`);

function errorOf(error: unknown): JsonObject {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof McpError)) return { code: INTERNAL_ERROR, message };
  // The server adds the prefix itself.
  const { code, data } = error;
  const about = data === undefined ? {} : { data: data as JsonObject };
  return { code, message: message.replace(/^MCP error -?\d+: /, ""), ...about };
}
