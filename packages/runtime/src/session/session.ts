// A session: the loop between inbox and outbox. Prompts run one at a time; control requests take effect immediately.

import { brokenRun, resultOf, run, type Conversation, type End, type Limits, type Ports } from "@keelson/engine";
import {
  stricterMode,
  textOf,
  type AttachOptions,
  type ControlSubtype,
  type EndReason,
  type Entry,
  type FieldsOf,
  type Inbound,
  type PermissionMode,
  type PromptMessage,
  type ReplyTo,
  type ResultMessage,
  type Session,
  type SessionClient,
} from "@keelson/protocol";
import { customTitle, dequeued, lastPrompt } from "@keelson/store";
import type { ClientRequests } from "../controls/client-requests.ts";
import type { Controls } from "../controls/controls.ts";
import type { Cost } from "../model/cost.ts";
import type { Gate } from "../gate/gate.ts";
import type { Ownership } from "../owner/ownership.ts";
import type { MadeLate } from "../made-late.ts";
import { FIRST_CLIENT, fromNow, type StreamClient, type Clients } from "../stream/clients.ts";
import { enqueuePrompt } from "../stream/enqueue.ts";
import type { Inbox, Work } from "../stream/inbox.ts";
import type * as Joining from "../stream/joining.ts";
import type { StreamBeginning } from "../stream/joining.ts";
import type { Outbox } from "../stream/outbox.ts";
import { OpenError, type SessionPlace } from "./place.ts";
import type { ReportedState, RunState } from "./run-state.ts";
import type { Storage } from "./storage.ts";

export interface SessionParts {
  readonly place: SessionPlace;
  readonly owner: Ownership;
  /** A message for people, before the first prompt. */
  readonly announce: string | undefined;
  readonly runState: RunState;
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly gate: Gate;
  readonly cost: Cost;
  readonly agents: Storage["agents"];
  readonly liveCalls: Storage["liveCalls"];
  conversation(): Conversation;
  readonly controls: MadeLate<Controls>;
  readonly clients: Clients;
  readonly requests: MadeLate<ClientRequests>;
  /** Takes away what a client that is gone had brought. */
  dropClient(client: string): void;
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
  /** The entries that were copied from another session; undefined if none were. */
  forked(): { readonly path: string; readonly entries: readonly Entry[] } | undefined;
  /** Every client sees what subagents say, unless it says otherwise. */
  readonly agentText: boolean;
  /** Sets variables for processes started from now on. */
  setEnvironment(variables: Readonly<Record<string, string>>): void;
  /** The title to write at the end of the transcript, where session lists look for it. */
  title(): string | undefined;
  /** Does what the reply may need, while the model thinks. */
  prepare(): void;
  /** What the transcript grants is proven from now on. */
  sealTranscript(): void;
  /** More will happen without a word from a client. */
  isBusy(): boolean;
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

const partsOf = ({ prompt, parts = prompt ? [prompt] : [] }: Work) => parts;

/** Marks a result that no prompt of a client asked for. */
function originOf(prompt: PromptMessage | undefined): Pick<ResultMessage, "origin"> {
  if (!prompt) return { origin: { kind: "task-notification" } };
  return prompt.origin ? { origin: prompt.origin } : {};
}

// A single client at the end of a pipe needs none of it.
const joining = () => require("../stream/joining.ts") as typeof Joining;

/** Models take longer: a session that gets its answer sooner pays for less. */
const PREPARE_AFTER_MS = 150;

export class LiveSession implements Session {
  readonly announce: string | undefined;
  readonly initialPrompt: string | undefined;
  /** Called when a client has come or gone. */
  clientsChanged: () => void = () => undefined;
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
    parts.clients.left = (client) => this.#left(client);
    const { clients, inbox } = parts;
    inbox.changed = () => {
      if (!clients.awaitsFirst && clients.wants("streamEvents")) joining().tellQueue(clients, inbox);
    };
    this.#ready = parts.start().then(() => void (this.#isReady = true));
    this.#work = this.#loop();
  }

  /** Changes when the conversation is cleared. */
  get id(): string {
    return this.#parts.place.id;
  }

  attach(options: AttachOptions = {}): SessionClient {
    const { clients, agentText } = this.#parts;
    const view = { ...(agentText ? { agentText } : {}), ...options.view };
    const client = clients.attach({ ...options, view }, (own, start) => this.#begin(own, start, options));
    if (clients.wants("streamEvents")) joining().tellPresence(clients, client);
    this.clientsChanged();
    return {
      id: client.id,
      messages: client,
      get cursor() {
        return client.cursor;
      },
      send: (input) => this.#receive(input, client),
      detach: () => clients.detach(client),
    };
  }

  /** What it gets before the messages from now on. */
  #begin(client: StreamClient, start: number, options: AttachOptions): StreamBeginning {
    const { requests, runState, place } = this.#parts;
    const { mirror, streamEvents } = client.view;
    const asksForMore = options.replay || options.after !== undefined || mirror || streamEvents;
    if (client.id === FIRST_CLIENT && !asksForMore) return fromNow(client, start);
    return joining().join(client, start, options, {
      ...this.#parts,
      sessionId: () => place.id,
      state: () => runState.state,
      questions: requests.made?.questions ?? [],
      questionsFor: (asked) => requests.made?.questionsFor(asked) ?? [],
    });
  }

  #receive(input: Inbound, client: StreamClient): void {
    const { controls } = this.#parts;
    if (client.isDetached) return;
    switch (input.type) {
      case "control_request":
        // `initialize` is answered after the start hooks; requests keep their order.
        if (!this.#isReady) return void this.#ready.then(() => controls.get().handle(input, client));
        return controls.get().handle(input, client);
      case "control_cancel_request":
        return controls.made?.cancel(input.request_id, client);
      default:
        if (client.role === "watcher") return joining().refuse(input, client, this.#parts.outbox);
        return this.#take(input, client);
    }
  }

  #take(input: Exclude<Inbound, { type: "control_request" | "control_cancel_request" }>, client: StreamClient): void {
    switch (input.type) {
      case "user": {
        const { origin: _, shell: __, byUser: ___, mostMode: ____, ...prompt } = input;
        return enqueuePrompt(isByUser(input) ? { ...prompt, byUser: true } : prompt, this.#parts, client);
      }
      case "control_response":
        return this.#parts.requests.made?.answered(input, client);
      case "update_environment_variables":
        return this.#parts.setEnvironment(input.variables);
    }
  }

  get title(): string | undefined {
    return this.#parts.title();
  }

  /** Those of other programs, too. */
  get clientCount(): number {
    return [...this.#parts.clients.all].length;
  }

  hasClient(id: string): boolean {
    return [...this.#parts.clients.all].some((client) => client.id === id);
  }

  /**
   * These clients have sent all they ever will. Like the session at the end of its input, they answer nothing more, and
   * read until their prompts are done.
   */
  async endInput(ids: readonly string[]): Promise<void> {
    const { clients, inbox, requests } = this.#parts;
    const ending = [...clients.all].filter(({ id }) => ids.includes(id));
    for (const client of ending) {
      requests.made?.left(client);
      client.isSilent = true;
    }
    await Promise.race([inbox.settled(new Set(ids)), this.ended]);
    for (const client of ending) clients.detach(client, { now: false });
  }

  get busy(): boolean {
    return this.#parts.isBusy();
  }

  get state(): ReportedState {
    return this.#parts.runState.state;
  }

  /** Called when `state` has changed. */
  set stateChanged(listener: () => void) {
    this.#parts.runState.changed = listener;
  }

  /** It takes no more prompts. */
  get closing(): boolean {
    return !this.#parts.inbox.takesPrompts;
  }

  /** Resolves when everything has ended, however it did. */
  get ended(): Promise<void> {
    return this.#work.catch(() => undefined);
  }

  /** What a control request of a client does, for the process that the session is in. */
  async request<Subtype extends ControlSubtype>(
    subtype: Subtype,
    fields?: FieldsOf<Subtype>,
  ): Promise<ReplyTo<Subtype>> {
    await this.#ready;
    return this.#parts.controls.get().perform(subtype, fields, new AbortController().signal);
  }

  #left(client: StreamClient): void {
    const { controls, requests, dropClient, clients } = this.#parts;
    controls.made?.left(client);
    requests.made?.left(client);
    dropClient(client.id);
    if (clients.wants("streamEvents")) joining().tellPresence(clients);
    this.clientsChanged();
  }

  async close(reason: EndReason): Promise<void> {
    const { inbox, clients, controls, requests, runState } = this.#parts;
    this.#closing = reason;
    this.#parts.owner.stopListening();
    const now = reason !== "end_of_input";
    inbox.close({ now });
    clients.areSilent = true;
    if (now) controls.made?.close();
    requests.made?.close();
    if (now) {
      this.#silent = true;
      inbox.clear();
      runState.interrupt();
      void this.#parts.stopAgents();
    }
    await this.#work;
  }

  async #loop(): Promise<void> {
    const { inbox, outbox, runState, title, dispose, owner } = this.#parts;
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
        await this.#parts.controls.made?.changed();
        if (!runState.running) runState.running = true;
        // What ends during a run gets its own run afterwards, even if the input is closed by then.
        const release = inbox.hold();
        await this.#perform(work, signal).finally(() => {
          inbox.settle(partsOf(work));
          release();
        });
      }
      if (runs > 0) noteTitle();
      owner.ending();
      await this.#parts.end(this.#closing);
      await dispose();
    } finally {
      outbox.end();
      // A session that failed must not keep others out for as long as its process lives.
      owner.stopListening();
      owner.release();
    }
  }

  async #perform(work: Work, signal: AbortSignal): Promise<void> {
    const { prompt } = work;
    const parts = partsOf(work);
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
    // The request travels meanwhile.
    setImmediate(() => void gate.warm());
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
