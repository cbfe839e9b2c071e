// One session on the page: its stream to signals that views read, and what a person does to messages.

import { batch, signal } from "@preact/signals";
import {
  ControlChannel,
  SessionTodos,
  SessionTasks,
  withoutCompactError,
  type BackgroundTask,
  type ConversationReader,
  type Requests,
  type SessionQuestion,
  type TodoItem,
} from "@keelson/client";
import {
  isResult,
  readField,
  type AttachedClient,
  type ControlRequest,
  type ListedCommand,
  type Outbound,
  type PermissionMode,
  type PromptMessage,
  type WaitingPrompt,
  type ReplyTo,
  type StreamMessage,
} from "@keelson/protocol";
import { SessionStream } from "../connection/stream.ts";
import type { MarkdownText } from "../transcript/markdown-text.ts";
import { PageItems } from "./items.ts";
import { KeptNotes } from "./kept-notes.ts";
import { Outgoing, type OutgoingPrompt } from "./outgoing.ts";

/** `behind`: connected, and what was missed is still coming. */
export type LinkState = "connecting" | "connected" | "behind" | "offline";

export interface AnsweredElsewhere {
  readonly by: string;
  readonly at: number;
}

export type PromptContent = PromptMessage["message"]["content"];

export interface SessionUsage {
  /** How full the context is, of 100. */
  readonly context: number;
  /** US dollars; null if the price of a model is unknown. */
  readonly cost: number | null;
}

export class LiveSession {
  readonly id: string;
  readonly items: PageItems;
  readonly link = signal<LinkState>("connecting");
  /** Why it cannot be shown. */
  readonly failure = signal<string | undefined>(undefined);
  readonly state = signal<"idle" | "running" | "requires_action">("idle");
  readonly questions = signal<readonly SessionQuestion[]>([]);
  /** Those that others answer. */
  readonly watched = signal<readonly ControlRequest[]>([]);
  readonly outgoing = signal<readonly OutgoingPrompt[]>([]);
  /** Those that wait for their turn, whoever sent them. */
  readonly queue = signal<readonly WaitingPrompt[]>([]);
  readonly watchers = signal<readonly AttachedClient[]>([]);
  readonly todos = signal<readonly TodoItem[]>([]);
  readonly tasks = signal<readonly BackgroundTask[]>([]);
  /** Those that may be typed. */
  readonly commands = signal<readonly ListedCommand[]>([]);
  readonly mode = signal<PermissionMode>("default");
  readonly facts = signal<ReplyTo<"get_session_info"> | undefined>(undefined);
  readonly usage = signal<SessionUsage | undefined>(undefined);
  /** Someone else has answered what was asked here. */
  readonly elsewhere = signal<AnsweredElsewhere | undefined>(undefined);
  readonly isViewer = signal(false);
  /** What is asked for to get older messages; null if there are none. */
  readonly older = signal<string | null>(null);
  readonly isReadingOlder = signal(false);
  /** A prompt that was sent will not run. */
  returned: (content: PromptContent) => void = () => undefined;
  /** The session continues under another id. */
  moved: (id: string) => void = () => undefined;
  readonly #stream: SessionStream;
  readonly #outgoing: Outgoing;
  readonly #todos = new SessionTodos();
  readonly #tasks = new SessionTasks();
  #reader: ConversationReader<MarkdownText>;
  #channel: ControlChannel;
  /** Of this connection, as `watchers` has it. */
  self = "";
  #head = 0;
  /** No program has it open. Undefined until the connection says it. */
  #isStored: boolean | undefined;
  /** It is to open as soon as that is known. */
  #isWanted = false;
  /** The conversation was taken back, and more is shown. */
  #isStale = false;

  constructor(id: string, cwd: string) {
    this.id = id;
    this.items = new PageItems(new KeptNotes(id));
    this.#outgoing = new Outgoing(id);
    this.outgoing.value = this.#outgoing.prompts;
    this.#reader = this.items.reader(cwd);
    this.#channel = this.#newChannel();
    this.#stream = new SessionStream(id, {
      began: () => this.#began(),
      message: (message, cursor) => batch(() => this.#take(message, cursor)),
      lost: (why) => this.#lost(why),
    });
  }

  /** `later`: behind the run, and not as a part of it. */
  prompt(content: PromptContent, text: string, { later = false } = {}): void {
    const uuid = crypto.randomUUID();
    const message: PromptMessage = {
      type: "user",
      message: { role: "user", content },
      parent_tool_use_id: null,
      uuid,
      ...(later ? { priority: "later" } : {}),
    };
    this.#outgoing.add({ uuid, text, message, isQueued: false });
    this.outgoing.value = this.#outgoing.prompts;
    this.#stream.send(message);
  }

  /** Takes a prompt back that waits, unless it runs by then. */
  takeBack(uuid: string): void {
    void this.#channel.request("cancel_async_message", { message_uuid: uuid }).catch(() => undefined);
  }

  /** The newest of those that wait. */
  takeBackLast(): void {
    const last = this.outgoing.value.findLast(({ isQueued }) => isQueued);
    if (last) this.takeBack(last.uuid);
  }

  interrupt(): void {
    void this.#channel.request("interrupt").catch(() => undefined);
  }

  async readOlder(): Promise<void> {
    const before = this.older.value;
    if (before === null || this.isReadingOlder.value) return;
    this.isReadingOlder.value = true;
    try {
      const page = await this.#channel.request("get_messages", { before });
      // The conversation may have begun anew meanwhile.
      if (this.older.value !== before) return;
      this.items.addOlder(page.messages, this.facts.value?.cwd ?? "");
      this.older.value = page.before;
    } catch {
      // The button is still there.
    } finally {
      this.isReadingOlder.value = false;
    }
  }

  get requests(): Requests {
    this.open();
    return this.#channel;
  }

  /** So far, its transcript is shown; it opens for whoever may do more than look, and begins to. */
  open(): void {
    if (this.#isStored === undefined) this.#isWanted = true;
    if (!this.#isStored || this.isViewer.peek()) return;
    this.#isStored = false;
    this.#ask();
  }

  async setMode(mode: PermissionMode): Promise<void> {
    this.mode.value = (await this.#channel.request("set_permission_mode", { mode })).mode;
  }

  close(): void {
    this.#channel.end();
    this.#stream.close();
  }

  #newChannel(): ControlChannel {
    return new ControlChannel({
      send: (message) => void this.#stream.send(message),
      newId: () => crypto.randomUUID(),
      asked: (question) => {
        const call = readField(question.request, "tool_use_id");
        if (typeof call === "string") this.#reader.asked(call);
        const open = this.questions.value;
        const at = open.findIndex(({ id }) => id === question.id);
        this.questions.value = at < 0 ? [...open, question] : open.with(at, question);
        question.signal.addEventListener("abort", () => this.settled(question));
      },
    });
  }

  /** It was answered, here or by someone else. */
  settled(question: SessionQuestion): void {
    const call = readField(question.request, "tool_use_id");
    if (typeof call === "string") this.#reader.answered(call, Date.now());
    this.questions.value = this.questions.value.filter((each) => each !== question);
  }

  #began(): void {
    this.#isStale = false;
    this.#isStored = undefined;
    const asked = this.questions.value;
    this.#channel.end();
    // Until the session asks them again: what was typed for an answer stays.
    this.questions.value = asked;
    this.#channel = this.#newChannel();
    for (const { message } of this.#outgoing.prompts) this.#stream.send(message);
  }

  /** What an open session knows. */
  #ask(): void {
    // It also says what runs in the background.
    void this.#channel.request("initialize").then(
      ({ commands }) => (this.commands.value = commands),
      () => undefined,
    );
    void this.readFacts();
    void this.#readUsage();
  }

  async #readUsage(): Promise<void> {
    try {
      const [{ percentage }, { session }] = await Promise.all([
        this.#channel.request("get_context_usage", { detail: "summary" }),
        this.#channel.request("get_usage", { skip_behaviors: true }),
      ]);
      this.usage.value = { context: percentage, cost: session.total_cost_usd };
    } catch {
      // The next run asks again.
    }
  }

  async readFacts(): Promise<void> {
    try {
      const facts = await this.#channel.request("get_session_info");
      this.facts.value = facts;
      this.mode.value = facts.permission_mode;
    } catch {
      // The next connection asks again.
    }
  }

  #lost(why: string | undefined): void {
    if (why !== undefined) this.failure.value = why;
    this.link.value = navigator.onLine ? "connecting" : "offline";
  }

  #take(message: Outbound, cursor: string | null): void {
    if (message.type === "stream") this.#about(message);
    if (this.#channel.take(message)) {
      this.#startAnewIfStale();
      return this.#caughtUp(cursor);
    }
    this.#confirm(message);
    this.#todos.take(message);
    this.#tasks.take(message, Date.now());
    this.todos.value = this.#todos.todos;
    // A task changes in place.
    if (message.type === "system") this.tasks.value = [...this.#tasks.tasks];
    if (message.type === "system") {
      if (message.subtype === "session_state_changed") this.state.value = message.state;
      else if (message.subtype === "conversation_rewound") {
        // One of the past is only shown.
        if (cursor !== null) this.#isStale = true;
      } else if (message.subtype === "commands_changed") this.commands.value = message.commands;
      else if (message.subtype === "init") this.mode.value = message.permissionMode;
      else if (message.subtype === "status" && message.permissionMode) this.mode.value = message.permissionMode;
    }
    if (message.type === "conversation_reset") this.moved(message.new_conversation_id);
    this.items.see(message);
    this.#reader.take(withoutCompactError(message), Date.now());
    this.items.seen(message);
    if (isResult(message)) {
      this.items.flush();
      // Also the model: someone else may have chosen another one.
      void this.readFacts();
      void this.#readUsage();
    }
    this.#caughtUp(cursor);
    this.#startAnewIfStale();
  }

  /** After the replies that are on their way, such as to whoever took it back. */
  #startAnewIfStale(): void {
    if (!this.#isStale || this.#channel.waiting > 0) return;
    this.#isStale = false;
    this.#stream.startAnew();
  }

  #about(message: StreamMessage): void {
    switch (message.subtype) {
      case "hello":
        this.self = message.client;
        this.#head = message.head;
        this.state.value = message.state;
        this.watchers.value = message.watchers;
        this.queue.value = message.queue ?? [];
        this.isViewer.value = message.role === "watcher";
        this.watched.value = message.role === "watcher" ? message.pending : [];
        this.questions.value = this.questions.value.filter(({ id }) =>
          message.pending.some(({ request_id }) => request_id === id),
        );
        this.link.value = "behind";
        this.#isStored = message.stored === true;
        if (!this.#isStored) this.#ask();
        else if (this.#isWanted) this.open();
        this.#isWanted = false;
        // With nothing missed, nothing comes.
        if (this.#stream.cursor === `${message.epoch}.${message.head}`) this.link.value = "connected";
        break;
      case "reset":
        this.older.value = message.before;
        break;
      case "queue":
        this.queue.value = message.prompts;
        break;
      case "presence":
        this.watchers.value = message.watchers;
        break;
      case "asked":
        this.watched.value = [...this.watched.value, message.question];
        break;
      case "answered":
        this.watched.value = this.watched.value.filter(({ request_id: id }) => id !== message.request_id);
        if (message.by !== null && message.by.id !== this.self)
          this.elsewhere.value = { by: message.by.name ?? "Someone else", at: Date.now() };
        break;
      default:
        break;
    }
  }

  #caughtUp(cursor: string | null): void {
    if (this.link.value !== "behind" || cursor === null) return;
    if (Number(cursor.slice(cursor.lastIndexOf(".") + 1)) < this.#head) return;
    // What was open when a server was killed has no result, and will get none.
    if (this.state.value === "idle") this.#reader.settle(Date.now());
    // With what came in between: it would look as if nothing had been said.
    this.items.flush();
    this.link.value = "connected";
  }

  /** The session says what became of a prompt. */
  #confirm(message: Outbound): void {
    if (message.type === "command_lifecycle") {
      const uuid = String(message.command_uuid);
      if (message.state === "queued") this.#outgoing.queued(uuid);
      else {
        const prompt = this.#outgoing.settle(uuid);
        if (prompt && message.state === "cancelled") this.returned(prompt.message.message.content);
      }
    } else if (message.type === "user" && message.parent_tool_use_id === null) this.#outgoing.settle(message.uuid);
    this.outgoing.value = this.#outgoing.prompts;
  }
}
