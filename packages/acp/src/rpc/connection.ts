// JSON-RPC 2.0 in both directions: one message a line, no batches. It knows no method. Whatever arrives, the connection lives.

import { isObject, toLine, tryParse, type Json, type JsonObject } from "@keelson/protocol";
import { asRpcError, ERROR_CODES, RpcError } from "./rpc-error.ts";

export interface IncomingCall {
  readonly method: string;
  readonly params: unknown;
  /** The other side no longer wants the result. It gets a reply all the same. */
  readonly signal: AbortSignal;
}

export interface CallReply {
  readonly result: object;
  /** Done once the reply is on its way, before anything else is. */
  readonly after?: () => void;
}

export interface RpcConnectionOptions {
  /** A promise means that the reader is behind: wait for it before sending more. */
  write(line: string): void | Promise<void>;
  /** Rejects with an RpcError, or another error, which is an internal one then. Called in the order of the requests. */
  handle(call: IncomingCall): Promise<CallReply>;
  notified(method: string, params: unknown): void;
}

type RpcId = string | number | null;

interface OwnCall {
  resolve(result: unknown): void;
  reject(error: RpcError): void;
}

/** How many requests may wait for their replies, and how long their lines may be together. */
const MOST_WAITING = 1_000;
const MOST_CHARACTERS = 256 * 1024 * 1024;

/** Takes back a request, in both directions. */
const CANCEL = "$/cancel_request";

export class RpcConnection {
  readonly #options: RpcConnectionOptions;
  readonly #incoming = new Map<RpcId, AbortController>();
  readonly #own = new Map<RpcId, OwnCall>();
  #lastId = 0;
  #waiting = { requests: 0, characters: 0 };
  #ended = false;
  #slow: Promise<void> | undefined;

  constructor(options: RpcConnectionOptions) {
    this.#options = options;
  }

  /** Set while the reader of our messages is behind. */
  get slow(): Promise<void> | undefined {
    return this.#slow;
  }

  /** A line; undefined stands for one that was too long. */
  take(line: string | undefined): void {
    if (line === undefined) return this.#refuse(null, ERROR_CODES.invalidRequest, "The line is too long");
    if (line.trim() === "") return;
    const message = tryParse(line);
    if (message === undefined) return this.#refuse(null, ERROR_CODES.notJson, "The line is not JSON");
    if (Array.isArray(message)) return this.#refuse(null, ERROR_CODES.invalidRequest, "Batches are not supported");
    if (!isObject(message)) return this.#refuse(null, ERROR_CODES.invalidRequest, "A message must be an object");
    this.#takeMessage(message, line.length);
  }

  notify(method: string, params: object): void | Promise<void> {
    return this.#send({ jsonrpc: "2.0", method, params });
  }

  /** Rejects with an RpcError. The signal takes the request back; what is answered after that is ignored. */
  request(method: string, params: object, signal: AbortSignal): Promise<unknown> {
    const gone = new RpcError(ERROR_CODES.cancelled, "The request was taken back");
    if (this.#ended || signal.aborted) return Promise.reject(gone);
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const withdraw = () => {
        if (!this.#own.delete(id)) return;
        reject(gone);
        void this.notify(CANCEL, { requestId: id });
      };
      signal.addEventListener("abort", withdraw, { once: true });
      const settle = () => signal.removeEventListener("abort", withdraw);
      this.#own.set(id, {
        resolve: (result) => (settle(), resolve(result)),
        reject: (error) => (settle(), reject(error)),
      });
      void this.#send({ jsonrpc: "2.0", id, method, params });
    });
  }

  /** Nothing more comes, and nothing more is sent. */
  end(): void {
    this.#ended = true;
    for (const { reject } of this.#own.values()) {
      reject(new RpcError(ERROR_CODES.cancelled, "The connection is gone"));
    }
    this.#own.clear();
  }

  #takeMessage(message: Readonly<Record<string, unknown>>, length: number): void {
    const { id, method, params } = message;
    const isKnownId = id === null || typeof id === "string" || typeof id === "number";
    // One that says nothing is an answer, too: it must not leave a question open.
    const isAnswer = "result" in message || "error" in message || this.#own.has(idOf(id));
    if (method === undefined && isAnswer) return this.#answered(message);
    if (typeof method !== "string" || message["jsonrpc"] !== "2.0" || (id !== undefined && !isKnownId)) {
      const reply = isKnownId ? id : null;
      return this.#refuse(reply, ERROR_CODES.invalidRequest, "This is not a request of JSON-RPC 2.0");
    }
    if (isKnownId) return void this.#handleInBounds(id, method, params, length);
    if (method !== CANCEL) return this.#options.notified(method, params);
    if (isObject(params)) this.#incoming.get(idOf(params["requestId"]))?.abort();
  }

  async #handleInBounds(id: RpcId, method: string, params: unknown, length: number): Promise<void> {
    const waiting = this.#waiting;
    if (waiting.requests >= MOST_WAITING || waiting.characters + length > MOST_CHARACTERS)
      return this.#refuse(id, ERROR_CODES.internal, "Too many requests wait for their replies; wait for some of them");
    waiting.requests++;
    waiting.characters += length;
    await this.#handle(id, method, params);
    waiting.requests--;
    waiting.characters -= length;
  }

  async #handle(id: RpcId, method: string, params: unknown): Promise<void> {
    const taken = new AbortController();
    this.#incoming.set(id, taken);
    try {
      const { result, after } = await this.#options.handle({ method, params, signal: taken.signal });
      void this.#send({ jsonrpc: "2.0", id, result });
      after?.();
    } catch (error) {
      const { code, message, data } = asRpcError(error);
      this.#refuse(id, code, message, data);
    } finally {
      if (this.#incoming.get(id) === taken) this.#incoming.delete(id);
    }
  }

  #answered(message: Readonly<Record<string, unknown>>): void {
    const id = idOf(message["id"]);
    const call = this.#own.get(id);
    this.#own.delete(id);
    const { error } = message;
    if (error === undefined || error === null) return call?.resolve(message["result"]);
    const { code, message: text } = isObject(error) ? error : {};
    call?.reject(new RpcError(typeof code === "number" ? code : ERROR_CODES.internal, String(text)));
  }

  #refuse(id: RpcId, code: number, message: string, data?: Json): void {
    const error: JsonObject = { code, message, ...(data === undefined ? {} : { data }) };
    void this.#send({ jsonrpc: "2.0", id, error });
  }

  /** A reader that is gone ends the connection elsewhere. */
  #write(line: string): void | Promise<void> {
    try {
      return this.#options.write(line);
    } catch {
      return undefined;
    }
  }

  #send(message: object): void | Promise<void> {
    if (this.#ended) return undefined;
    const slow = this.#write(wellFormed(toLine(message)));
    if (slow === undefined) return undefined;
    const waiting = slow
      .catch(() => undefined)
      .finally(() => {
        if (this.#slow === waiting) this.#slow = undefined;
      });
    this.#slow = waiting;
    return waiting;
  }
}

const idOf = (value: unknown): RpcId => (typeof value === "string" || typeof value === "number" ? value : null);

/** Half of a character, where a text was cut: a strict parser would refuse the whole line. JSON has it as an escape. */
const wellFormed = (line: string) =>
  line.includes("\\ud")
    ? line.replace(/\\(?:ud[89a-f][0-9a-f]{2}|.)/g, (escape) => (escape.length > 2 ? "\ufffd" : escape))
    : line;
