// The input queue of a session: prompts run one at a time; notices go to the model at its next safe boundary.

import { stricterMode, type NewEntry, type PermissionMode, type PromptMessage } from "@keelson/protocol";
import type * as QueueOrder from "./queue-order.ts";

/** One run: a prompt, or without one, the queued notices. */
export interface Work {
  readonly prompt?: PromptMessage;
  /** What it was made of, if of several. */
  readonly parts?: readonly PromptMessage[];
}

export interface NoticeOptions {
  readonly wakes: boolean;
  readonly taken?: () => void;
  /** The widest mode of a run that it starts. */
  readonly most?: PermissionMode | undefined;
}

export class Inbox {
  readonly #prompts: PromptMessage[] = [];
  readonly #notices: (Omit<NoticeOptions, "wakes"> & { readonly entry: NewEntry })[] = [];
  #arrived: (() => void) | undefined;
  #closed = false;
  /** The session ends now: nothing starts another run. */
  #isOver = false;
  #waking = false;
  /** Work under way whose end the model has to hear of. */
  #held = 0;
  /** A run is owed even if the inbox is closed. */
  #owed = false;
  #joined: string[] = [];
  /** The ids of all prompts that came, except those that were taken back. */
  readonly #ids = new Set<string>();
  /** Prompts that wait or run, with the clients that sent them. */
  readonly #underWay = new Map<PromptMessage, string>();
  /** Of those, the ones that joined the current run. */
  #joinedPrompts: PromptMessage[] = [];
  readonly #settled: (() => void)[] = [];
  /** Prompts that come during a run join it or become one. */
  joins = true;
  /** Called when other prompts wait. */
  changed: (() => void) | undefined;
  /** Called when nothing is under way any more that the model has to hear of. */
  released: (() => void) | undefined;

  /** Prompts wait in the order they came, but one for now goes before others, and one for later behind them. */
  push(prompt: PromptMessage, sender?: string): void {
    if (this.#closed) return;
    if (sender !== undefined) this.#underWay.set(prompt, sender);
    if (prompt.uuid !== undefined) this.#ids.add(prompt.uuid);
    if (this.#prompts.length === 0) this.#prompts.push(prompt);
    else queueing().insert(this.#prompts, prompt);
    this.#arrived?.();
    this.changed?.();
  }

  get queued(): readonly PromptMessage[] {
    return this.#prompts;
  }

  senderOf(prompt: PromptMessage): string | undefined {
    return this.#underWay.get(prompt);
  }

  hadPrompt(uuid: string): boolean {
    return this.#ids.has(uuid);
  }

  /** The next prompt that may join the current run. Commands and what is for later do not. */
  nextToJoin(): PromptMessage | undefined {
    const next = this.joins ? this.#prompts[0] : undefined;
    return next && next.priority !== "later" && queueing().isPlainPrompt(next) ? next : undefined;
  }

  /** Takes a prompt for the current run; false if it is no longer queued. */
  join(prompt: PromptMessage): boolean {
    const at = this.#prompts.indexOf(prompt);
    if (at < 0) return false;
    this.#prompts.splice(at, 1);
    this.#joinedPrompts.push(prompt);
    if (prompt.uuid !== undefined) this.#joined.push(prompt.uuid);
    this.changed?.();
    return true;
  }

  /** The ids of the prompts that joined the run that ends now. */
  takeJoined(): readonly string[] {
    return this.#joined.splice(0);
  }

  /** A run has ended that these prompts began. */
  settle(prompts: readonly PromptMessage[]): void {
    for (const prompt of [...prompts, ...this.#joinedPrompts.splice(0)]) this.#underWay.delete(prompt);
    this.#wakeSettled();
  }

  /** Resolves when no prompt of these clients waits or runs. */
  async settled(clients: ReadonlySet<string>): Promise<void> {
    while ([...this.#underWay.values()].some((client) => clients.has(client))) {
      await new Promise<void>((resolve) => void this.#settled.push(resolve));
    }
  }

  /** Puts a prompt at the front of the queue. */
  pushFirst(prompt: PromptMessage): void {
    this.#prompts.unshift(prompt);
    this.#arrived?.();
    this.changed?.();
  }

  /** Queues a notice for the model. With `wakes`, it starts a run if nothing else does. `taken`: it left the queue. */
  notify(entry: NewEntry, { wakes, ...more }: NoticeOptions): void {
    this.#notices.push({ entry, ...more });
    this.#waking ||= wakes;
    this.#owed ||= wakes && this.#held > 0;
    this.#arrived?.();
  }

  /** Queued notices start a run if nothing else does. */
  wake(): void {
    if (this.#notices.length === 0) return;
    this.#waking = true;
    this.#owed ||= this.#held > 0;
    this.#arrived?.();
  }

  /** The model has to hear of an end: until the returned function is called, notices start runs and we do not close. */
  hold(): () => void {
    this.#held++;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#held--;
      this.#arrived?.();
      if (this.#held === 0) this.released?.();
    };
  }

  /** The widest mode of a run that is only for the notices that wait. */
  get most(): PermissionMode | undefined {
    const modes = this.#notices.flatMap(({ most }) => most ?? []);
    return modes.length === 0 ? undefined : modes.reduce(stricterMode);
  }

  takeNotices(): NewEntry[] {
    this.#waking = this.#owed = false;
    return this.#notices.splice(0).map(({ entry, taken }) => {
      taken?.();
      return entry;
    });
  }

  /**
   * Accepts no more prompts. Queued prompts still run; notices start a run only if it is owed. With `now`, nothing does:
   * what is under way is waited for, and that is all.
   */
  close({ now = false } = {}): void {
    this.#closed = true;
    this.#isOver ||= now;
    this.#arrived?.();
  }

  /** Removes the prompt with this id, if it is still queued. */
  take(uuid: string): PromptMessage[] {
    const at = this.#prompts.findIndex((prompt) => prompt.uuid === uuid);
    return at < 0 ? [] : this.#takeBack(at, 1);
  }

  /** Removes all queued prompts. */
  clear(): PromptMessage[] {
    return this.#takeBack(0, this.#prompts.length);
  }

  #takeBack(at: number, count: number): PromptMessage[] {
    const taken = this.#prompts.splice(at, count);
    for (const { uuid } of taken) if (uuid !== undefined) this.#ids.delete(uuid);
    for (const prompt of taken) this.#underWay.delete(prompt);
    this.#wakeSettled();
    if (taken.length > 0) this.changed?.();
    return taken;
  }

  #wakeSettled(): void {
    for (const wake of this.#settled.splice(0)) wake();
  }

  get takesPrompts(): boolean {
    return !this.#closed;
  }

  /** Something waits that starts a run. Notices that start none wait for the next one. */
  get hasWork(): boolean {
    return this.#prompts.length > 0 || this.#wakes;
  }

  /** Whether there is something to run, or will be when what is under way has ended. */
  get goesOn(): boolean {
    return this.#held > 0 || this.hasWork;
  }

  /** During a run, which holds the session open itself: whether another run follows it without a word from the client. */
  get isFollowed(): boolean {
    return this.#held > 1 || this.hasWork;
  }

  get closed(): boolean {
    return this.#closed && this.#held === 0;
  }

  get waiting(): number {
    return this.#prompts.length;
  }

  /** Neither prompts nor notices wait. */
  get isEmpty(): boolean {
    return this.#prompts.length === 0 && this.#notices.length === 0;
  }

  /** The ids of queued prompts. A prompt has one only if the client gave it one. */
  get ids(): string[] {
    return this.#prompts.flatMap(({ uuid }) => (uuid === undefined ? [] : [uuid]));
  }

  /** Resolves when there is something to run, or the inbox is closed. */
  async filled(): Promise<void> {
    while (this.#prompts.length === 0 && !this.closed && !this.#wakes) {
      await new Promise<void>((resolve) => (this.#arrived = resolve));
      this.#arrived = undefined;
    }
  }

  /** Takes the next work, if any. Until then, a prompt can be removed. `waited`: prompts came during a run. */
  shift({ waited = false } = {}): Work | undefined {
    if (this.#prompts.length === 0) return this.#wakes ? {} : undefined;
    this.changed?.();
    if (waited && this.joins && this.#prompts.length > 1) return queueing().takeTogether(this.#prompts);
    return { prompt: this.#prompts.shift()! };
  }

  /** Without a prompt, notices start a run. Once the inbox is closed, only those that are owed. */
  get #wakes(): boolean {
    return !this.#isOver && (this.#owed || (this.#waking && !this.#closed));
  }
}

// For prompts that wait.
const queueing = () => require("./queue-order.ts") as typeof QueueOrder;
