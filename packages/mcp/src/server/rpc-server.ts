// The answering side of a JSON-RPC connection: reads messages, runs requests side by side, and answers each exactly once.
// Our own requests to the other side go through the client. Knows no MCP method but the cancellation.

import { isObject, toLine, tryParse, type JsonObject } from "@keelson/protocol";
import { Client } from "../client.ts";
import {
  CONNECTION_CLOSED,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  rpcError,
  rpcResult,
  type RequestId,
} from "../rpc.ts";

/** A request that cannot be answered with a result. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly code: number;

  constructor(code: number, message: string) {
    super(message.slice(0, MAX_MESSAGE_LENGTH));
    this.code = code;
  }
}

export interface IncomingRequest {
  readonly params: JsonObject;
  /** Aborted when the client cancels the request or the connection closes. */
  readonly signal: AbortSignal;
}

export interface RpcServerOptions {
  /** Undefined if there is no such method. */
  handler(method: string): ((request: IncomingRequest) => Promise<JsonObject> | JsonObject) | undefined;
  /** Writes a line. Rejects if the other side no longer reads. */
  write(line: string): void | Promise<void>;
  /** Called when a write failed. */
  onGone(): void;
}

const MAX_MESSAGE_LENGTH = 1_000;
const MAX_IN_FLIGHT = 1_000;
const MAX_BATCH = 100;

export class RpcServer {
  readonly #options: RpcServerOptions;
  /** For our own requests and notifications. */
  readonly client: Client;
  readonly #inFlight = new Map<RequestId, AbortController>();
  readonly #unsent = new Set<Promise<void>>();
  readonly #work = new Set<Promise<void>>();

  constructor(options: RpcServerOptions) {
    this.#options = options;
    this.client = new Client({ send: (message) => this.#send(message).then(() => undefined) });
  }

  /** Takes one line. Every request in it is answered, however malformed it is. */
  receive(line: string): void {
    if (line.trim() === "") return;
    const message = tryParse(line);
    if (message === undefined) return this.#refuse(PARSE_ERROR, "The message is not valid JSON");
    if (!Array.isArray(message)) return this.#run(this.#take(message));
    if (message.length === 0 || message.length > MAX_BATCH) {
      return this.#refuse(INVALID_REQUEST, `A batch must have 1 to ${MAX_BATCH} messages`);
    }
    const taken = message.map((each) => this.#take(each));
    this.#run(
      Promise.all(taken).then((answers) => {
        const given = answers.filter((answer) => answer !== undefined);
        return given.length > 0 ? given : undefined;
      }),
    );
  }

  /** Answers a message that could not be read far enough to have an id. */
  refuseUnreadable(reason: string): void {
    this.#refuse(PARSE_ERROR, reason);
  }

  /** Resolves when everything written so far has been taken by the reader. */
  async drained(): Promise<void> {
    while (this.#unsent.size > 0) await Promise.all(this.#unsent);
  }

  /** Resolves when every request received so far has been answered. */
  async settled(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
    await this.drained();
  }

  /** Cancels every request, and our own. */
  close(): void {
    for (const controller of this.#inFlight.values()) controller.abort();
    this.client.close();
  }

  #run(answering: Promise<JsonObject | readonly JsonObject[] | undefined>): void {
    const work: Promise<void> = answering
      .then((answer) => (answer === undefined ? undefined : this.#send(answer)))
      .finally(() => this.#work.delete(work));
    this.#work.add(work);
  }

  /** Never rejects. Undefined for a message that needs no answer. */
  async #take(message: unknown): Promise<JsonObject | undefined> {
    if (!isObject(message)) return rpcError(null, INVALID_REQUEST, "The message is not an object");
    const { id, method, params } = message;
    const given = isObject(params) ? (params as JsonObject) : {};
    if (typeof method === "string" && id === undefined) return this.#notice(method, given);
    if (typeof method === "string" && isRequestId(id)) return this.#answer(id, method, given);
    if (method === undefined && isRequestId(id) && ("result" in message || "error" in message)) {
      this.client.deliver(message);
      return undefined;
    }
    return rpcError(isRequestId(id) ? id : null, INVALID_REQUEST, "The message is not a valid JSON-RPC request");
  }

  #notice(method: string, params: JsonObject): undefined {
    const { requestId } = params;
    if (method === "notifications/cancelled" && isRequestId(requestId)) this.#inFlight.get(requestId)?.abort();
  }

  async #answer(id: RequestId, method: string, params: JsonObject): Promise<JsonObject | undefined> {
    const handle = this.#options.handler(method);
    if (!handle) return rpcError(id, METHOD_NOT_FOUND, `Method not found: ${method.slice(0, MAX_MESSAGE_LENGTH)}`);
    if (this.#inFlight.has(id)) return rpcError(id, INVALID_REQUEST, `The request ID ${JSON.stringify(id)} is in use`);
    if (this.#inFlight.size >= MAX_IN_FLIGHT) {
      return rpcError(id, CONNECTION_CLOSED, `Too many requests at once; the limit is ${MAX_IN_FLIGHT}`);
    }
    const controller = new AbortController();
    this.#inFlight.set(id, controller);
    try {
      const result = await handle({ params, signal: controller.signal });
      // The client does not expect an answer to a request that it cancelled.
      return controller.signal.aborted ? undefined : rpcResult(id, result);
    } catch (error) {
      if (controller.signal.aborted) return undefined;
      if (error instanceof RequestError) return rpcError(id, error.code, error.message);
      return rpcError(id, INTERNAL_ERROR, error instanceof Error ? error.message : String(error));
    } finally {
      this.#inFlight.delete(id);
    }
  }

  #refuse(code: number, message: string): void {
    this.#run(Promise.resolve(rpcError(null, code, message)));
  }

  /** Never rejects: without a reader there is no one to tell. */
  #send(message: JsonObject | readonly JsonObject[]): Promise<void> {
    const sent: Promise<void> = this.#write(toLine(message)).finally(() => this.#unsent.delete(sent));
    this.#unsent.add(sent);
    return sent;
  }

  async #write(line: string): Promise<void> {
    try {
      await this.#options.write(line);
    } catch {
      this.#options.onGone();
    }
  }
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === "string" || (typeof id === "number" && Number.isFinite(id));
}
