// Control requests in both directions between a client and its session, matched by id: what the client asks, and what the
// session asks the client. It owns no connection: messages are given to it, and it is told how to send.

import {
  controlBody,
  controlError,
  controlSuccess,
  isObject,
  readField,
  type AttachedClient,
  type ControlCancelRequest,
  type ControlRequest,
  type ControlResponse,
  type ControlSubtype,
  type FieldsOf,
  type ReplyTo,
  type UncheckedRequest,
} from "@keelson/protocol";

/** A request that the session refused or could not carry out. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly code: string | undefined;
  /** It was about a file, and there is none of this name. */
  readonly isMissing: boolean;

  constructor(message: string, code?: string, isMissing = false) {
    super(message);
    this.code = code;
    this.isMissing = isMissing;
  }
}

export interface Requests {
  /** Rejects with a RequestError. The signal takes the request back: it gets no reply. */
  request<Subtype extends ControlSubtype>(
    subtype: Subtype,
    fields?: FieldsOf<Subtype>,
    signal?: AbortSignal,
  ): Promise<ReplyTo<Subtype>>;
}

/** A request of the session to this client. The first answer settles it, and is sent even if the question was withdrawn. */
export interface SessionQuestion {
  readonly id: string;
  readonly request: UncheckedRequest;
  /** Aborted when the session no longer waits for an answer. */
  readonly signal: AbortSignal;
  /** Who answered instead, once it is withdrawn; undefined if no other client did. */
  readonly answeredBy: AttachedClient | undefined;
  answer(response?: unknown): void;
  /** It cannot be answered here. */
  refuse(error: string, code?: string): void;
  /** Passes on what someone else answered. */
  relay(reply: ControlResponse["response"]): void;
  /** The answer reaches the session another way, or never. */
  leave(): void;
}

type Send = (message: ControlRequest | ControlResponse | ControlCancelRequest) => void;

export interface ChannelOptions {
  readonly send: Send;
  newId(): string;
  /** The session asks something. */
  asked(question: SessionQuestion): void;
  /** The error of a request that was refused. If absent, a RequestError. */
  refused?(error: string, code: string | undefined, isMissing: boolean): Error;
}

/** What a request got: the payload, and the object that it came in. */
export interface ChannelReply<Payload = unknown> {
  readonly response: Payload;
  readonly envelope: Readonly<Record<string, unknown>>;
}

interface AskedHere {
  readonly withdrawn: AbortController;
  answeredBy: AttachedClient | undefined;
}

interface WaitingRequest {
  resolve(reply: ChannelReply): void;
  reject(error: Error): void;
}

export class ControlChannel implements Requests {
  readonly #options: ChannelOptions;
  readonly #waiting = new Map<string, WaitingRequest>();
  readonly #asked = new Map<string, AskedHere>();
  #ended: Error | undefined;

  constructor(options: ChannelOptions) {
    this.#options = options;
  }

  /** How many requests have no reply yet. */
  get waiting(): number {
    return this.#waiting.size;
  }

  async request<Subtype extends ControlSubtype>(
    subtype: Subtype,
    fields?: FieldsOf<Subtype>,
    signal?: AbortSignal,
  ): Promise<ReplyTo<Subtype>> {
    return (await this.ask<ReplyTo<Subtype>>(controlBody(subtype, fields), { signal })).response;
  }

  /** The same for any request, with all of the reply, of which only the sender says what it is. `send`: another way to send. */
  ask<Payload>(
    request: UncheckedRequest,
    { send = this.#options.send, signal }: { readonly send?: Send; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<ChannelReply<Payload>> {
    if (this.#ended) return Promise.reject(this.#ended);
    if (signal?.aborted) return Promise.reject(new RequestError(TAKEN_BACK));
    const id = this.#options.newId();
    return new Promise((resolve, reject) => {
      const takeBack = () => {
        if (!this.#waiting.delete(id)) return;
        reject(new RequestError(TAKEN_BACK));
        send({ type: "control_cancel_request", request_id: id });
      };
      const settled = () => signal?.removeEventListener("abort", takeBack);
      this.#waiting.set(id, {
        resolve: (reply: ChannelReply<Payload>) => {
          settled();
          resolve(reply);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
      });
      signal?.addEventListener("abort", takeBack, { once: true });
      send({ type: "control_request", request_id: id, request });
    });
  }

  /** Takes a message of the session. False if it is not about requests. */
  take(message: object): boolean {
    switch (readField(message, "type")) {
      case "control_response":
        this.#replied(readField(message, "response"));
        return true;
      case "control_request": {
        const request = readField(message, "request");
        const id = readField(message, "request_id");
        if (typeof id !== "string") return true;
        if (isRequest(request)) this.#ask(id, request);
        else this.#options.send(controlError(id, "The request has no subtype"));
        return true;
      }
      case "control_cancel_request":
        this.#withdraw(String(readField(message, "request_id")), clientIn(readField(message, "answered_by")));
        return true;
      default:
        return false;
    }
  }

  /** All requests that wait fail with this error; later ones work. */
  fail(error: Error): void {
    for (const [id, { reject }] of this.#waiting) {
      this.#waiting.delete(id);
      reject(error);
    }
  }

  /** Nothing more comes from the session, and nothing more can be sent. */
  end(error: Error = new RequestError("The session has ended")): void {
    this.#ended ??= error;
    this.fail(this.#ended);
    for (const id of [...this.#asked.keys()]) this.#withdraw(id);
  }

  #replied(envelope: unknown): void {
    if (!isObject(envelope)) return;
    const id = String(envelope["request_id"]);
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (envelope["subtype"] !== "error") return waiting?.resolve({ response: envelope["response"], envelope });
    const { error_code: code } = envelope;
    const { refused = (...about) => new RequestError(...about) } = this.#options;
    const error = String(envelope["error"]);
    waiting?.reject(refused(error, typeof code === "string" ? code : undefined, envelope["missing"] === true));
  }

  #ask(id: string, request: UncheckedRequest): void {
    // A client that attaches may be given one that it has.
    if (this.#asked.has(id)) return;
    const here: AskedHere = { withdrawn: new AbortController(), answeredBy: undefined };
    this.#asked.set(id, here);
    let isSettled = false;
    const settle = (response?: ControlResponse) => {
      if (isSettled || this.#ended) return;
      // What cannot be sent is no answer yet.
      if (response) this.#options.send(response);
      isSettled = true;
      if (this.#asked.get(id) === here) this.#asked.delete(id);
    };
    this.#options.asked({
      id,
      request,
      signal: here.withdrawn.signal,
      get answeredBy() {
        return here.answeredBy;
      },
      answer: (response) => settle(controlSuccess(id, response)),
      refuse: (error, code) => settle(controlError(id, error, code)),
      relay: (reply) => settle({ type: "control_response", response: { ...reply, request_id: id } }),
      leave: () => settle(),
    });
  }

  #withdraw(id: string, by?: AttachedClient): void {
    const here = this.#asked.get(id);
    this.#asked.delete(id);
    if (here === undefined) return;
    here.answeredBy = by;
    here.withdrawn.abort();
  }
}

function clientIn(value: unknown): AttachedClient | undefined {
  if (!isObject(value) || typeof value["id"] !== "string") return undefined;
  const { id, name, role } = value;
  return { id, ...(typeof name === "string" ? { name } : {}), role: role === "watcher" ? role : "driver" };
}

const TAKEN_BACK = "The request was taken back";

const isRequest = (value: unknown): value is UncheckedRequest =>
  isObject(value) && typeof value["subtype"] === "string";
