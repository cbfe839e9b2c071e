// A session: the loop between inbox and outbox. Prompts run one at a time; control requests take effect immediately.

import { brokenRun, resultOf, run, type Conversation, type End, type Limits, type Ports } from "@keelson/engine";
import {
  stricterMode,
  textOf,
  type ControlResponse,
  type EndReason,
  type Inbound,
  type Outbound,
  type PermissionMode,
  type PromptMessage,
  type ResultMessage,
  type Session,
} from "@keelson/protocol";
import { customTitle, dequeued, lastPrompt } from "@keelson/store";
import type { ClientRequests } from "../controls/client-requests.ts";
import type { Controls } from "../controls/controls.ts";
import type { Cost } from "../model/cost.ts";
import type { Gate } from "../gate/gate.ts";
import { enqueuePrompt } from "../stream/enqueue.ts";
import type { Inbox, Work } from "../stream/inbox.ts";
import type { Outbox } from "../stream/outbox.ts";
import { OpenError, type SessionPlace } from "./place.ts";
import type { RunState } from "./run-state.ts";
import type { Storage } from "./storage.ts";

export interface SessionParts {
  readonly place: SessionPlace;
  /** A message for people, before the first prompt. */
  readonly announce: string | undefined;
  readonly runState: RunState;
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly gate: Gate;
  readonly cost: Cost;
  readonly agents: Storage["agents"];
  conversation(): Conversation;
  readonly controls: Controls;
  readonly client: ClientRequests;
  limits(): Limits;
  /** Called once, before anything else. Runs the start hooks. */
  start(): Promise<void>;
  /** What a session begins with that is given no prompt. */
  readonly initialPrompt?: string | undefined;
  /** What is said for a prompt. */
  opening(prompt: PromptMessage): PromptMessage;
  /** Called before each run. Applies changed settings. */
  refresh(signal: AbortSignal, prompt: PromptMessage | undefined): Promise<void>;
  ports(signal: AbortSignal): Ports;
  /** A run ended. */
  ran(end: End): void;
  /** Called when the session waits for input. */
  idle(): void;
  replay(): Iterable<Outbound>;
  /** Sets variables for processes started from now on. */
  setEnvironment(variables: Readonly<Record<string, string>>): void;
  /** The title to write at the end of the transcript, where session lists look for it. */
  title(): string | undefined;
  /** Does what the reply may need, while the model thinks. */
  prepare(): void;
  /** What the transcript grants is proven from now on. */
  sealTranscript(): void;
  /** Ends all subagents. */
  stopAgents(): Promise<void>;
  /** Runs the end hooks. */
  end(reason: EndReason): Promise<void>;
  /** Ends everything the session started. */
  dispose(): Promise<void>;
  startedMs(): number;
  now(): number;
}

/** Clients speak for the user, unless they say that a prompt is someone else's. */
function isByUser({ isSynthetic, origin, parent_tool_use_id: call }: PromptMessage): boolean {
  const { kind }: { readonly kind: string } = origin ?? { kind: "human" };
  return (isSynthetic ?? false) === false && kind === "human" && (call ?? null) === null;
}

/** Marks a result that no prompt of a client asked for. */
function originOf(prompt: PromptMessage | undefined): Pick<ResultMessage, "origin"> {
  if (!prompt) return { origin: { kind: "task-notification" } };
  return prompt.origin ? { origin: prompt.origin } : {};
}

/** Models take longer than this. A session that gets its answer sooner does not pay for calls that it does not make. */
const PREPARE_AFTER_MS = 150;

export class LiveSession implements Session {
  readonly announce: string | undefined;
  readonly initialPrompt: string | undefined;
  readonly #parts: SessionParts;
  readonly #work: Promise<void>;
  readonly #ready: Promise<void>;
  #isReady = false;
  #silent = false;
  /** The widest mode of the last prompt's run. */
  #most: PermissionMode | undefined;
  #results = 0;
  #closing: EndReason = "end_of_input";

  constructor(parts: SessionParts) {
    this.announce = parts.announce;
    this.initialPrompt = parts.initialPrompt;
    this.#parts = parts;
    this.#ready = parts.start().then(() => void (this.#isReady = true));
    this.#work = this.#loop();
  }

  /** Changes when the conversation is cleared. */
  get id(): string {
    return this.#parts.place.id;
  }

  send(input: Inbound): void {
    switch (input.type) {
      case "user": {
        const { origin: _, shell: __, byUser: ___, mostMode: ____, ...prompt } = input;
        return enqueuePrompt(isByUser(input) ? { ...prompt, byUser: true } : prompt, this.#parts);
      }
      case "control_request":
        // `initialize` is answered after the start hooks; requests keep their order.
        if (!this.#isReady) return void this.#ready.then(() => this.#parts.controls.handle(input));
        return this.#parts.controls.handle(input);
      case "control_response":
        return this.#parts.client.answered(input as ControlResponse);
      case "control_cancel_request":
        return this.#parts.controls.cancel(input.request_id);
      case "update_environment_variables":
        return this.#parts.setEnvironment(input.variables);
    }
  }

  attach(options: { readonly replay?: boolean } = {}): AsyncIterable<Outbound> {
    return this.#parts.outbox.attach(options.replay ? this.#parts.replay() : []);
  }

  async close(reason: EndReason): Promise<void> {
    const { inbox, controls, runState } = this.#parts;
    this.#closing = reason;
    const now = reason !== "end_of_input";
    inbox.close({ now });
    controls.close({ now });
    if (now) {
      this.#silent = true;
      inbox.clear();
      runState.interrupt();
      void this.#parts.stopAgents();
    }
    await this.#work;
  }

  async #loop(): Promise<void> {
    const { inbox, outbox, runState, title, dispose } = this.#parts;
    const noteTitle = () => {
      const entry = customTitle(this.id, title() ?? "");
      if (entry !== undefined) outbox.note(entry);
    };
    let runs = 0;
    try {
      await this.#ready;
      for (;;) {
        // Between prompts that wait, the session is not idle.
        if (inbox.waiting === 0) {
          if (runState.running) runState.running = false;
          this.#parts.idle();
        }
        await inbox.filled();
        const work = inbox.shift({ waited: runState.running });
        if (!work && inbox.closed) break;
        if (!work) continue;
        // Written now, in case of a crash, and again at the end. A session without prompts leaves no file.
        if (runs++ === 0) noteTitle();
        const signal = runState.begin();
        // What the client asked for before its prompt comes first, above all `initialize`.
        await this.#parts.controls.changed();
        if (!runState.running) runState.running = true;
        // What ends during a run gets its own run afterwards, even if the input is closed by then.
        const release = inbox.hold();
        await this.#perform(work, signal).finally(release);
      }
      if (runs > 0) noteTitle();
      await this.#parts.end(this.#closing);
      await dispose();
    } finally {
      outbox.end();
    }
  }

  async #perform({ prompt, parts = prompt ? [prompt] : [] }: Work, signal: AbortSignal): Promise<void> {
    const { inbox, outbox, cost, now, agents } = this.#parts;
    const ids = outbox.begin(parts);
    const started = now();
    const apiBefore = cost.apiDurationMs;
    await this.#parts.refresh(signal, prompt);
    const limits = this.#parts.limits();
    for (const _ of parts) outbox.note(dequeued(this.id, started));
    const own = await this.#run(prompt && this.#parts.opening(prompt), limits, signal);
    const end = { ...own, denials: [...own.denials, ...agents.denials] };
    agents.denials = [];
    this.#parts.ran(end);
    if (prompt) outbox.note(lastPrompt(this.id, textOf(prompt.message.content), outbox.leaf));
    outbox.note(cost.state(this.id, this.#parts.startedMs(), now()));
    if (this.#silent) return;
    const totals = {
      startedAt: started,
      durationMs: now() - started,
      // The cost starts over when the conversation is cleared.
      apiDurationMs: Math.max(0, cost.apiDurationMs - apiBefore),
      costUsd: cost.totalUsd,
      modelUsage: cost.modelUsage,
      maxBudgetUsd: limits.maxBudgetUsd,
    };
    const answered = [...ids, ...inbox.takeJoined()];
    await outbox.show({
      ...resultOf(end, totals),
      ...originOf(prompt),
      ...(answered[0] === undefined
        ? {}
        : { user_message_uuid: ids.at(-1) ?? answered[0], user_message_uuids: answered }),
      queued_turn_count: inbox.waiting,
      result_index: this.#results++,
    });
    for (const uuid of answered) outbox.lifecycle(uuid, signal.aborted ? "cancelled" : "completed");
    // A run that was over at once proved nothing yet, and the process may be killed while it waits.
    this.#parts.sealTranscript();
  }

  async #run(prompt: PromptMessage | undefined, limits: Limits, signal: AbortSignal): Promise<End> {
    const { gate } = this.#parts;
    const conversation = this.#parts.conversation();
    const preparing = setTimeout(() => this.#parts.prepare(), PREPARE_AFTER_MS);
    // What a job leaves behind, such as a command in the background, starts runs without a prompt: they are the job's too.
    if (prompt) this.#most = prompt.mostMode;
    const noticed = prompt ? undefined : this.#parts.inbox.most;
    const uncap = gate.ruleBook.capMode(
      noticed && this.#most ? stricterMode(noticed, this.#most) : (noticed ?? this.#most),
    );
    try {
      return await run(prompt, gate.ruleBook.mode, conversation, this.#parts.ports(signal), limits);
    } catch (error) {
      // The client still gets a result, and the conversation stays valid for the next prompt.
      await conversation.seal();
      const broken = brokenRun(error);
      // Anything else is a bug in Keelson, and the text says so.
      return error instanceof OpenError ? { ...broken, text: error.message } : broken;
    } finally {
      clearTimeout(preparing);
      uncap();
    }
  }
}
