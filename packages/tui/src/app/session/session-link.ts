// One session as the screen uses it: its messages are passed on, its questions are kept apart, and requests to it are
// matched with their replies.

import { ControlChannel, RequestError, type Requests, type SessionQuestion } from "@keelson/client";
import type {
  AttachedClient,
  ClientView,
  ControlRequest,
  ControlSubtype,
  FieldsOf,
  JsonObject,
  ModelMessage,
  Outbound,
  PromptMessage,
  ReplyTo,
  Session,
  SessionClient,
} from "@keelson/protocol";

export interface LinkEvents {
  message(message: Outbound): void;
  /** The session asks something. It waits until `answer` is called or the question is withdrawn. */
  question(request: ControlRequest): void;
  withdrawn(requestId: string, answeredBy: AttachedClient | undefined): void;
  /** A message could not be shown. What follows still can. */
  unshown(error: unknown): void;
  /** No more messages follow. */
  ended(error?: Error): void;
}

const VIEW: ClientView = {
  partial: true,
  hookEvents: true,
  agentText: true,
  replayPrompts: true,
  toolMeta: true,
  liveCalls: true,
};

export class SessionLink implements Requests {
  readonly session: Session;
  readonly #client: SessionClient;
  readonly #events: LinkEvents;
  readonly #channel: ControlChannel;
  /** Questions that wait for an answer. */
  readonly #questions = new Map<string, SessionQuestion>();
  #closed = false;

  constructor(session: Session, events: LinkEvents, options: { readonly replay: boolean }) {
    this.session = session;
    this.#events = events;
    this.#client = session.attach({ name: "terminal", view: VIEW, ...options });
    this.#channel = new ControlChannel({
      send: (message) => this.#client.send(message),
      newId: () => crypto.randomUUID(),
      asked: (question) => this.#asked(question),
    });
    void this.#listen(this.#client.messages);
  }

  get id(): string {
    return this.session.id;
  }

  request<Subtype extends ControlSubtype>(
    subtype: Subtype,
    fields?: FieldsOf<Subtype>,
    signal?: AbortSignal,
  ): Promise<ReplyTo<Subtype>> {
    if (this.#closed) return Promise.reject(new RequestError("The session has ended"));
    return this.#channel.request(subtype, fields, signal);
  }

  prompt(content: ModelMessage["content"], more: Partial<PromptMessage> = {}): string {
    const uuid = more.uuid ?? crypto.randomUUID();
    const message = { role: "user", content } as const;
    this.#client.send({ type: "user", parent_tool_use_id: null, ...more, message, uuid });
    return uuid;
  }

  answer(requestId: string, response: JsonObject): void {
    this.#questions.get(requestId)?.answer(response);
    this.#questions.delete(requestId);
  }

  /** The question cannot be answered here. */
  refuse(requestId: string, error: string): void {
    this.#questions.get(requestId)?.refuse(error);
    this.#questions.delete(requestId);
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
    if (!this.#channel.take(message)) this.#events.message(message);
  }

  #asked(question: SessionQuestion): void {
    const { id, request, signal } = question;
    this.#questions.set(id, question);
    const withdrawn = () => {
      if (this.#questions.delete(id)) this.#events.withdrawn(id, question.answeredBy);
    };
    signal.addEventListener("abort", withdrawn, { once: true });
    this.#events.question({ type: "control_request", request_id: id, request });
  }

  #end(error?: Error): void {
    this.#closed = true;
    this.#channel.end();
    this.#events.ended(error);
  }
}
