// A session: an inbox, an outbox and the loop between them. Prompts run one at a time; control requests act at once.

import { brokenRun, resultOf, run, type Conversation, type End, type Limits, type Ports } from "@keelson/engine";
import {
  textOf,
  type ControlResponse,
  type EndReason,
  type Inbound,
  type Outbound,
  type PromptMessage,
  type Session,
} from "@keelson/protocol";
import { customTitle, dequeued, enqueued, lastPrompt } from "@keelson/store";
import type { Controls } from "../controls/controls.ts";
import type { Cost } from "../model/cost.ts";
import type { Gate } from "../gate/gate.ts";
import type { Inbox, Work } from "../stream/inbox.ts";
import type { Outbox } from "../stream/outbox.ts";

export interface SessionParts {
  readonly id: string;
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly gate: Gate;
  readonly cost: Cost;
  readonly conversation: Conversation;
  readonly controls: Controls;
  limits(): Limits;
  /** Once, before anything else: hooks hear of the session. Resolves when they are done. */
  start(): Promise<void>;
  /** Before each run, where nothing is under way: settings that changed are taken over as a whole. */
  refresh(signal: AbortSignal): Promise<void>;
  ports(signal: AbortSignal): Ports;
  replay(): Iterable<Outbound>;
  /** For processes that are started from now on. */
  setEnvironment(variables: Readonly<Record<string, string>>): void;
  /** A client wants to hear when the session begins and ends to work. */
  readonly tellsState: boolean;
  /** A title kept at the end of the file, where listings look for it. */
  title(): string | undefined;
  /** Hooks hear that the session is over. */
  end(reason: EndReason): Promise<void>;
  /** Ends everything the session started. */
  dispose(): Promise<void>;
  now(): number;
}

/** Tells clients that nobody asked for this result. */
const STARTED_BY_NOTICE = { origin: { kind: "task-notification" } };

export class LiveSession implements Session {
  readonly id: string;
  readonly #parts: SessionParts;
  readonly #work: Promise<void>;
  readonly #ready: Promise<void>;
  readonly #started: number;
  #abort = new AbortController();
  #isReady = false;
  #silent = false;
  #running = false;
  #questions = 0;
  #closing: EndReason = "end_of_input";

  constructor(parts: SessionParts) {
    this.id = parts.id;
    this.#parts = parts;
    this.#started = parts.now();
    parts.controls.onInterrupt(() => this.interrupt());
    this.#ready = parts.start().then(() => void (this.#isReady = true));
    this.#work = this.#loop();
  }

  send(input: Inbound): void {
    switch (input.type) {
      case "user":
        return this.#enqueue(input);
      case "control_request":
        // Whoever initializes finds the session started, its start hooks done (observed); no request overtakes another.
        if (!this.#isReady) return void this.#ready.then(() => this.#parts.controls.handle(input));
        return this.#parts.controls.handle(input);
      case "control_response":
        return this.#parts.controls.resolveRequest(input as ControlResponse);
      case "control_cancel_request":
        return this.#parts.controls.cancel(input.request_id);
      case "update_environment_variables":
        return this.#parts.setEnvironment(input.variables);
    }
  }

  /** Whether a prompt is being answered. */
  get running(): boolean {
    return this.#running;
  }

  /** Ends what is being answered. Prompts that wait still run. */
  interrupt(): void {
    this.#abort.abort();
  }

  attach(options: { readonly replay?: boolean } = {}): AsyncIterable<Outbound> {
    return this.#parts.outbox.attach(options.replay ? this.#parts.replay() : []);
  }

  async close(reason: EndReason): Promise<void> {
    const { inbox, controls } = this.#parts;
    this.#closing = reason;
    inbox.close();
    controls.close({ now: reason !== "end_of_input" });
    if (reason !== "end_of_input") {
      this.#silent = true;
      inbox.clear();
      this.#abort.abort();
    }
    await this.#work;
  }

  #enqueue(prompt: PromptMessage): void {
    const { outbox, inbox, now } = this.#parts;
    outbox.note(enqueued(this.id, textOf(prompt.message.content), now()));
    if (prompt.uuid !== undefined) outbox.lifecycle(prompt.uuid, "queued");
    inbox.push(prompt);
  }

  async #loop(): Promise<void> {
    const { inbox, outbox, title, dispose } = this.#parts;
    const noteTitle = () => {
      const entry = customTitle(this.id, title() ?? "");
      if (entry !== undefined) outbox.note(entry);
    };
    let runs = 0;
    try {
      await this.#ready;
      for (;;) {
        await inbox.filled();
        const work = inbox.shift();
        if (!work && inbox.closed) break;
        if (!work) continue;
        // At once, so that a crash does not take it, and again at the end; a session nobody asked leaves no file.
        if (runs++ === 0) noteTitle();
        this.#setRunning(true);
        await this.#perform(work);
        this.#setRunning(false);
      }
      if (runs > 0) noteTitle();
      await this.#parts.end(this.#closing);
      await dispose();
    } finally {
      outbox.end();
    }
  }

  /** While a question to the client is open, the session waits for it. */
  async whileAsking<T>(question: Promise<T>): Promise<T> {
    if (this.#questions++ === 0) this.#tellState("requires_action");
    try {
      return await question;
    } finally {
      if (--this.#questions === 0 && this.#running) this.#tellState("running");
    }
  }

  #setRunning(running: boolean): void {
    this.#running = running;
    this.#tellState(running ? "running" : "idle");
  }

  #tellState(state: "running" | "idle" | "requires_action"): void {
    const { outbox, tellsState } = this.#parts;
    if (tellsState) void outbox.show({ type: "system", subtype: "session_state_changed", state, sdk_host_only: true });
  }

  async #perform({ prompt }: Work): Promise<void> {
    const { outbox, cost, now } = this.#parts;
    if (prompt?.uuid !== undefined) outbox.lifecycle(prompt.uuid, "started");
    const started = now();
    const apiBefore = cost.apiDurationMs;
    this.#abort = new AbortController();
    await this.#parts.controls.changed();
    await this.#parts.refresh(this.#abort.signal);
    const limits = this.#parts.limits();
    if (prompt) outbox.note(dequeued(this.id, started));
    const end = await this.#run(prompt, limits);
    if (prompt) outbox.note(lastPrompt(this.id, textOf(prompt.message.content), outbox.leaf));
    outbox.note(cost.state(this.id, now() - this.#started));
    if (this.#silent) return;
    const totals = {
      durationMs: now() - started,
      apiDurationMs: cost.apiDurationMs - apiBefore,
      costUsd: cost.totalUsd,
      modelUsage: cost.modelUsage,
      maxBudgetUsd: limits.maxBudgetUsd,
    };
    await outbox.show({ ...resultOf(end, totals), ...(prompt ? {} : STARTED_BY_NOTICE) });
    if (prompt?.uuid !== undefined) outbox.lifecycle(prompt.uuid, "completed");
  }

  async #run(prompt: PromptMessage | undefined, limits: Limits): Promise<End> {
    const { gate, conversation } = this.#parts;
    // Behind the request, which leaves in this tick: the first tool call then finds the gate loaded.
    setImmediate(() => gate.warm());
    try {
      return await run(prompt, gate.mode, conversation, this.#parts.ports(this.#abort.signal), limits);
    } catch (error) {
      // A fault of ours. Whoever waits gets a result all the same, and the next prompt a conversation it can go on from.
      conversation.seal();
      return brokenRun(error);
    }
  }
}
