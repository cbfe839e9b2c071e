// The server's end of a connection in lines of JSON. Whatever arrives is answered, however malformed it is; valid messages
// go to the client, which speaks JSON-RPC both ways.

import { isObject, toLine, tryParse, type JsonObject } from "@keelson/protocol";
import type { RequestHandlers } from "../connection/answers.ts";
import { Client } from "../connection/client.ts";
import { INVALID_REQUEST, PARSE_ERROR, rpcError } from "../connection/rpc.ts";

export interface LineConnectionOptions {
  readonly handlers: RequestHandlers;
  /** Writes a line. Rejects if the other side no longer reads. */
  write(line: string): void | Promise<void>;
  /** Called when a write failed. */
  onGone(): void;
}

const MAX_REQUESTS = 1_000;
const MAX_BATCH = 100;

export class LineConnection {
  readonly #options: LineConnectionOptions;
  /** For our own requests and notifications. */
  readonly client: Client;
  readonly #unsent = new Set<Promise<void>>();

  constructor(options: LineConnectionOptions) {
    this.#options = options;
    this.client = new Client(
      { send: (message) => this.#send(message) },
      { handlers: options.handlers, answerLimit: { most: MAX_REQUESTS, beyond: "refuse" } },
    );
  }

  receive(line: string): void {
    if (line.trim() === "") return;
    const message = tryParse(line);
    if (message === undefined) return this.refuseUnreadable("The message is not valid JSON");
    if (!Array.isArray(message)) return this.#take(message);
    if (message.length === 0 || message.length > MAX_BATCH) {
      void this.#send(rpcError(null, INVALID_REQUEST, `A batch must have 1 to ${MAX_BATCH} messages`));
    } else for (const each of message) this.#take(each);
  }

  /** Answers a message that could not be read far enough to have an id. */
  refuseUnreadable(reason: string): void {
    void this.#send(rpcError(null, PARSE_ERROR, reason));
  }

  /** Resolves when everything written so far has been taken by the reader. */
  async drained(): Promise<void> {
    while (this.#unsent.size > 0) await Promise.all(this.#unsent);
  }

  /** Resolves when every request received so far has been answered. */
  async settled(): Promise<void> {
    await this.client.answered();
    await this.drained();
  }

  /** Cancels every request, and our own. */
  close(): void {
    void this.client.close();
  }

  #take(message: unknown): void {
    const problem = problemOf(message);
    if (problem === undefined) return this.client.deliver(message);
    const id = isObject(message) && isRequestId(message["id"]) ? message["id"] : null;
    void this.#send(rpcError(id, INVALID_REQUEST, problem));
  }

  /** Never rejects: without a reader there is no one to tell. */
  #send(message: JsonObject): Promise<void> {
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

/** Undefined for a valid request, notification or response. */
function problemOf(message: unknown): string | undefined {
  if (!isObject(message)) return "The message is not an object";
  const { id, method } = message;
  const isCall = typeof method === "string" && (id === undefined || isRequestId(id));
  const isResponse = method === undefined && isRequestId(id) && ("result" in message || "error" in message);
  return isCall || isResponse ? undefined : "The message is not a valid JSON-RPC message";
}

function isRequestId(id: unknown): id is string | number {
  return typeof id === "string" || typeof id === "number";
}
