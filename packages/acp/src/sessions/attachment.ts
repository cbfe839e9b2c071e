// One attachment to a session: reads its messages in order, shows them as updates, and passes its questions on. A session that
// is loaded again gets another one.

import { ControlChannel, type SessionQuestion } from "@keelson/client";
import {
  isResult,
  type OpenFilesOffer,
  type Outbound,
  type PromptMessage,
  type Session,
  type SessionClient,
} from "@keelson/protocol";
import type { SessionUpdate, ToolCallFields } from "../schema/types.ts";
import { Updates, type UpdatesContext } from "../updates/updates.ts";

export interface AttachmentOptions {
  readonly session: Session;
  /** What was said so far comes first. */
  readonly replay: boolean;
  readonly context: UpdatesContext;
  /** What the editor answers about its files. */
  readonly openFiles: OpenFilesOffer | undefined;
  /** In order. Await the promise if there is one: the editor is behind. */
  show(update: SessionUpdate): void | Promise<void>;
  /** Everything that it means for the editor has been shown. */
  seen(message: Outbound): void | Promise<void>;
  asked(question: SessionQuestion): void;
  /** Nothing more comes. */
  ended(error?: Error): void;
}

export class Attachment {
  readonly requests: ControlChannel;
  readonly #client: SessionClient;
  readonly #updates: Updates;
  readonly #options: AttachmentOptions;

  constructor(options: AttachmentOptions) {
    this.#options = options;
    this.#client = options.session.attach({
      name: "editor",
      view: { partial: true, agentText: true, toolMeta: true, liveCalls: true, replayPrompts: true },
      replay: options.replay,
      ...(options.openFiles ? { openFiles: options.openFiles } : {}),
    });
    this.#updates = new Updates(options.context);
    this.requests = new ControlChannel({
      send: (message) => this.#client.send(message),
      newId: () => options.context.newId(),
      asked: (question) => options.asked(question),
    });
    this.#read().then(
      () => options.ended(),
      (error: Error) => options.ended(error),
    );
  }

  prompt(content: PromptMessage["message"]["content"], uuid: string): void {
    this.#updates.typed(uuid);
    this.#client.send({ type: "user", message: { role: "user", content }, parent_tool_use_id: null, uuid });
  }

  /** Shows something as if the session had said it. */
  async tell(message: Outbound): Promise<void> {
    for (const update of this.#updates.take(message)) await this.#options.show(update);
  }

  /** A question beside the conversation was answered. */
  async aside(question: string, answer: string): Promise<void> {
    for (const update of this.#updates.aside(question, answer)) await this.#options.show(update);
  }

  /** No call is open any more. */
  async finish(of: "turn" | "everything"): Promise<void> {
    for (const update of this.#updates.finish(of)) await this.#options.show(update);
  }

  /** An open call, as the editor knows it. */
  shown(callId: string): ToolCallFields | undefined {
    return this.#updates.shown(callId);
  }

  /** The user approved a call. */
  allowed(callId: string): void {
    for (const update of this.#updates.allowed(callId)) void this.#options.show(update);
  }

  detach(): void {
    this.#client.detach();
    this.requests.end();
  }

  async #read(): Promise<void> {
    try {
      for await (const message of this.#client.messages) {
        // A call is shown before the question about it.
        if (message.type === "control_request") await this.tell(message);
        if (this.requests.take(message)) continue;
        await this.tell(message);
        if (isResult(message)) await this.finish("turn");
        await this.#options.seen(message);
      }
    } finally {
      this.requests.end();
    }
  }
}
