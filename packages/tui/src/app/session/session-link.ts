// One session as the screen uses it: its messages are passed on, its questions are kept apart, and requests to it are
// matched with their replies.

import {
  controlBody,
  type ClientView,
  type ControlRequest,
  type ControlResponse,
  type ControlSubtype,
  type FieldsOf,
  type JsonObject,
  type ModelMessage,
  type Outbound,
  type PromptMessage,
  type ReplyTo,
  type Session,
  type SessionClient,
} from "@keelson/protocol";
import { RequestError, type Requests } from "@keelson/client";

export interface LinkEvents {
  message(message: Outbound): void;
  /** The session asks something. It waits until `answer` is called or the question is withdrawn. */
  question(request: ControlRequest): void;
  withdrawn(requestId: string): void;
  /** A message could not be shown. What follows still can. */
  unshown(error: unknown): void;
  /** No more messages follow. */
  ended(error?: Error): void;
}

const VIEW: ClientView = { partial: true, hookEvents: true, agentText: true, replayPrompts: true, toolMeta: true };

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export class SessionLink implements Requests {
  readonly session: Session;
  readonly #client: SessionClient;
  readonly #events: LinkEvents;
  readonly #waiting = new Map<string, Waiting>();
  #closed = false;

  constructor(session: Session, events: LinkEvents, options: { readonly replay: boolean }) {
    this.session = session;
    this.#events = events;
    this.#client = session.attach({ name: "terminal", view: VIEW, ...options });
    void this.#listen(this.#client.messages);
  }

  get id(): string {
    return this.session.id;
  }

  request<Subtype extends ControlSubtype>(subtype: Subtype, fields?: FieldsOf<Subtype>): Promise<ReplyTo<Subtype>> {
    if (this.#closed) return Promise.reject(new RequestError("The session has ended"));
    const id = crypto.randomUUID();
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#client.send({ type: "control_request", request_id: id, request: controlBody(subtype, fields) });
    });
  }

  prompt(content: ModelMessage["content"], more: Partial<PromptMessage> = {}): string {
    const uuid = more.uuid ?? crypto.randomUUID();
    const message = { role: "user", content } as const;
    this.#client.send({ type: "user", parent_tool_use_id: null, ...more, message, uuid });
    return uuid;
  }

  answer(requestId: string, response: JsonObject): void {
    this.#client.send({
      type: "control_response",
      response: { subtype: "success", request_id: requestId, response },
    });
  }

  /** The question cannot be answered here. */
  refuse(requestId: string, error: string): void {
    this.#client.send({ type: "control_response", response: { subtype: "error", request_id: requestId, error } });
  }

  async close(reason: "interrupt" | "terminate"): Promise<void> {
    this.#closed = true;
    await this.session.close(reason);
  }

  async #listen(messages: AsyncIterable<Outbound>): Promise<void> {
    try {
      for await (const message of messages) this.#show(message);
      this.#end();
    } catch (error) {
      this.#end(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** A message that cannot be shown must not end the session. */
  #show(message: Outbound): void {
    try {
      this.#take(message);
    } catch (error) {
      this.#events.unshown(error);
    }
  }

  #take(message: Outbound): void {
    switch (message.type) {
      case "control_response":
        return this.#replied(message);
      case "control_request":
        return this.#events.question(message);
      case "control_cancel_request":
        return this.#events.withdrawn(message.request_id);
      default:
        return this.#events.message(message);
    }
  }

  #replied({ response }: ControlResponse): void {
    const waiting = this.#waiting.get(response.request_id);
    this.#waiting.delete(response.request_id);
    if (response.subtype === "success") waiting?.resolve(response.response);
    else waiting?.reject(new RequestError(response.error, response.error_code, response.missing));
  }

  #end(error?: Error): void {
    this.#closed = true;
    for (const { reject } of this.#waiting.values()) reject(new RequestError("The session has ended"));
    this.#waiting.clear();
    this.#events.ended(error);
  }
}
