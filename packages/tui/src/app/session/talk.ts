// The open session and what is shown of it. What is asked or said before the session is open waits for it.

import {
  type AttachedClient,
  type ControlRequest,
  type ControlSubtype,
  type FieldsOf,
  type JsonObject,
  type ModelMessage,
  type Outbound,
  type ReplyTo,
  type Session,
} from "@keelson/protocol";
import { Feed, type ConversationOptions } from "../../stream/feed.ts";
import { RequestError, type Requests } from "@keelson/client";
import { Questions } from "./questions.ts";
import { Queued } from "./queued.ts";
import { SessionFacts } from "./session-facts.ts";
import { SessionLink } from "./session-link.ts";
import { UserTime } from "./user-time.ts";

export interface TalkOptions extends ConversationOptions {
  now(): number;
  /** Something looks different that no message told. */
  changed(): void;
  /** The session has said what it is. */
  ready(): void;
  /** The facts are those of now. */
  informed(): void;
  /** A message arrived, after everything here knows of it. */
  message(message: Outbound): void;
  /** There is a question to show. */
  asked(): void;
  withdrawn(requestId: string, answeredBy: AttachedClient | undefined): void;
  /** A message could not be shown. */
  unshown(error: unknown): void;
  ended(error?: Error): void;
}

export interface Saying {
  readonly content: ModelMessage["content"];
  /** As it was typed, to be edited again if it is taken back. */
  readonly draft: string;
  readonly priority?: "now" | "next" | "later";
  /** Whether it was typed in the prompt. */
  readonly typed?: boolean;
  /** How it goes back into the prompt if it is taken back before anything came of it. */
  readonly back?: () => void;
}

const FIRST_LOOK_MS = 250;
/** A server that takes longer is shown with the next prompt. */
const LAST_LOOK_MS = 30_000;
/** After these, what is known of the servers is old. */
const SERVER_CHANGES = ["mcp_reconnect", "mcp_toggle", "mcp_submit_code"];
/** Requests after which the session is described anew. */
const CHANGES = ["set_model", "apply_flag_settings", "register_repo_root", "rename_session"];

export class Talk implements Requests {
  readonly feed: Feed;
  readonly facts = new SessionFacts();
  readonly queued = new Queued();
  readonly questions = new Questions();
  readonly #userTime = new UserTime();
  readonly #options: TalkOptions;
  readonly #open = Promise.withResolvers<SessionLink>();
  #link: SessionLink | undefined;
  #gone = false;
  #nextLook: ReturnType<typeof setTimeout> | undefined;
  /** The prompt that the agent works at, as long as nothing came of it. */
  #unanswered: { readonly uuid: string; back(): void } | undefined;
  /** The run that is being interrupted: whether nothing came of its prompt. */
  #over: PromiseWithResolvers<boolean> | undefined;
  /** Settles when everything said before is shown. Absent if nothing was. */
  #replay: PromiseWithResolvers<void> | undefined;

  constructor(options: TalkOptions) {
    this.#options = options;
    this.feed = new Feed({ ...options, waitedMs: (now) => this.#userTime.total(now) });
    this.#open.promise.catch(() => undefined);
  }

  /** What was said before will be shown first, and prompts wait for it. */
  awaitReplay(): void {
    this.#replay ??= Promise.withResolvers<void>();
  }

  /** `replay`: what was said before is shown first. */
  opened(session: Session, { replay }: { readonly replay: boolean }): void {
    const { asked, withdrawn, unshown, ended } = this.#options;
    const link = new SessionLink(
      session,
      {
        message: (message) => this.#take(message),
        question: (request) => this.#ask(request, asked),
        withdrawn: (id, answeredBy) => {
          this.#settled(this.questions.withdraw(id));
          this.#userTime.set(this.questions.shown !== undefined || this.questions.waiting > 0, this.#options.now());
          withdrawn(id, answeredBy);
        },
        unshown,
        ended: (error) => {
          this.#gone = true;
          clearTimeout(this.#nextLook);
          this.#over?.resolve(false);
          ended(error);
        },
      },
      { replay },
    );
    this.#link = link;
    this.#open.resolve(link);
    void this.#initialize(link);
  }

  /** The session could not be opened. */
  failed(error: Error): void {
    this.#gone = true;
    this.#open.reject(error);
  }

  get sessionId(): string | undefined {
    return this.#link?.id;
  }

  get isWorking(): boolean {
    return this.facts.workingSince !== undefined;
  }

  async request<Subtype extends ControlSubtype>(
    subtype: Subtype,
    fields?: FieldsOf<Subtype>,
    signal?: AbortSignal,
  ): Promise<ReplyTo<Subtype>> {
    const reply = await (await this.#open.promise).request(subtype, fields, signal);
    if (CHANGES.includes(subtype)) void this.#inform();
    if (SERVER_CHANGES.includes(subtype)) void this.#lookAtServers();
    return reply;
  }

  say(saying: Saying): void {
    const { content, draft, priority } = saying;
    const uuid = crypto.randomUUID();
    if (this.#replay) {
      this.queued.add({ uuid, draft });
      void this.#replay.promise.then(() => {
        this.queued.remove(uuid);
        this.say(saying);
      });
      return;
    }
    if (saying.typed) this.feed.typed(uuid);
    if (saying.back && !this.isWorking) this.#unanswered = { uuid, back: saying.back };
    this.#show({ uuid, content, draft });
    void this.#open.promise.then(
      (link) => link.prompt(content, { uuid, ...(priority ? { priority } : {}) }),
      () => undefined,
    );
  }

  /** Runs a command of the user in the session's shell. */
  async run(command: string): Promise<void> {
    const uuid = crypto.randomUUID();
    const content = `<bash-input>${command}</bash-input>`;
    this.feed.typed(uuid);
    this.#show({ uuid, content, draft: `!${command}` });
    try {
      await this.request("run_shell_command", { command, uuid });
    } catch (error) {
      this.queued.remove(uuid);
      this.facts.workingSince = undefined;
      throw error;
    }
  }

  /** Takes the newest queued prompt back, if the model has not been given it. Returns what was typed. */
  async takeBack(): Promise<string | undefined> {
    const { newest } = this.queued;
    if (!newest) return undefined;
    const reply = await this.request("cancel_async_message", { message_uuid: newest.uuid });
    if (!reply.cancelled) return undefined;
    this.queued.remove(newest.uuid);
    return newest.draft;
  }

  /** Before anything came of the prompt, it goes back to where it was typed and is no part of the conversation. */
  async interrupt(): Promise<void> {
    if (!this.#link || this.#gone) return;
    const said = this.queued.count === 0 ? this.#unanswered : undefined;
    if (said === undefined || this.#over) {
      await this.request("interrupt");
      return;
    }
    const over = (this.#over = Promise.withResolvers<boolean>());
    this.feed.holdEnd();
    let isBack = false;
    try {
      await this.request("interrupt");
      const isUnanswered = await over.promise;
      this.#over = undefined;
      isBack = isUnanswered && (await this.#withdraw(said.uuid));
    } finally {
      this.#over = undefined;
      this.feed.releaseEnd({ isShown: !isBack });
    }
    if (isBack) said.back();
    this.#options.changed();
  }

  /** Whether the prompt is no longer part of the conversation. */
  async #withdraw(uuid: string): Promise<boolean> {
    try {
      await this.request("rewind_conversation", { user_message_id: uuid });
    } catch (error) {
      // It stays where it is, with the interruption behind it.
      if (error instanceof RequestError) return false;
      throw error;
    }
    this.facts.rewound(uuid);
    return true;
  }

  /** How long this run has waited for the user so far. */
  waitedMs(now: number): number {
    return this.#userTime.total(now);
  }

  answer(requestId: string, response: JsonObject): void {
    this.#settled(this.questions.shown);
    this.#userTime.set(this.questions.waiting > 0, this.#options.now());
    this.#link?.answer(requestId, response);
  }

  refuse(requestId: string, why: string): void {
    this.#userTime.set(this.questions.waiting > 0, this.#options.now());
    this.#link?.refuse(requestId, why);
  }

  async close(reason: "interrupt" | "terminate" = "interrupt"): Promise<void> {
    const link = this.#link ?? (this.#gone ? undefined : await this.#open.promise.catch(() => undefined));
    await link?.close(reason);
  }

  /** Before the session repeats it: in the queue while the agent works, otherwise in the conversation. */
  #show({ uuid, content, draft }: Pick<Saying, "content" | "draft"> & { readonly uuid: string }): void {
    if (this.isWorking) {
      this.queued.add({ uuid, draft });
      return;
    }
    this.feed.addPrompt({ type: "user", message: { role: "user", content }, parent_tool_use_id: null, uuid });
    this.facts.workingSince = this.#options.now();
  }

  #take(message: Outbound): void {
    const now = this.#options.now();
    this.facts.take(message, now);
    if (isAnswer(message)) this.#unanswered = undefined;
    this.feed.take(message, now);
    if (message.type === "result") {
      this.#over?.resolve(this.#unanswered !== undefined);
      this.#unanswered = undefined;
    }
    if (message.type === "result") this.#userTime.restart(now);
    if (message.type === "command_lifecycle" && message.state !== "queued") {
      this.queued.remove(message.command_uuid);
    }
    // Another session id and transcript; or a command or a run that changed the model, the folders, the name.
    if (message.type === "conversation_reset" || message.type === "result") void this.#inform();
    this.#options.message(message);
  }

  /** The call that the question was about waits no longer. */
  #settled(question: ControlRequest | undefined): void {
    const call = question && callOf(question);
    if (call !== undefined) this.feed.answered(call, this.#options.now());
  }

  #ask(request: ControlRequest, asked: () => void): void {
    this.questions.add(request);
    this.#userTime.set(true, this.#options.now());
    const call = callOf(request);
    if (call !== undefined) this.feed.asked(call);
    asked();
  }

  async #inform(): Promise<void> {
    const info = await this.request("get_session_info").catch(() => undefined);
    if (info) this.facts.informed(info);
    this.#options.informed();
    this.#options.changed();
  }

  /** Servers connect in the background, and no message tells of it before the first prompt. */
  async #lookAtServers(): Promise<void> {
    for (let waitMs = FIRST_LOOK_MS; ; waitMs *= 2) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#nextLook = setTimeout(resolve, waitMs);
      await promise;
      if (this.#gone) return;
      const reply = await this.request("mcp_status").catch(() => undefined);
      if (reply === undefined || this.#gone) return;
      const before = this.facts.servers;
      this.facts.serversAre(reply.mcpServers);
      if (this.facts.servers !== before) this.#options.changed();
      if (waitMs > LAST_LOOK_MS || !reply.mcpServers.some(({ status }) => status === "pending")) return;
    }
  }

  /** A reply comes after all that was replayed. */
  #replayed(): void {
    this.#replay?.resolve();
    this.#replay = undefined;
  }

  async #initialize(link: SessionLink): Promise<void> {
    try {
      this.facts.initialized(await link.request("initialize"), this.#options.now());
      this.#replayed();
      // What was said before has been repeated by now; what is unfinished in it stays so.
      if (!this.isWorking) this.feed.settle(this.#options.now());
      await this.#inform();
      this.#options.ready();
      this.#options.changed();
      void this.#lookAtServers();
    } catch {
      // The session ended first; `ended` reports that.
    }
  }
}

/** Whether something comes of a prompt: words, a call, or what a command printed. */
function isAnswer(message: Outbound): boolean {
  if (message.type === "stream_event") return message.event.type === "content_block_start";
  if (message.type === "assistant") return message.parent_tool_use_id === null;
  return message.type === "system" && message.subtype === "compact_boundary";
}

/** The call that a question is about. */
function callOf({ request }: ControlRequest): string | undefined {
  const id = "tool_use_id" in request ? request.tool_use_id : undefined;
  return typeof id === "string" ? id : undefined;
}
