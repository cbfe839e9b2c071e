// The prompts of one session, one at a time: the session is given the next one when the one before has its reply, so that
// stopping one can never reach another. Only a prompt that steers is given to it while another one runs.

import type { Requests } from "@keelson/client";
import { isResult, type Outbound, type PromptMessage, type ResultMessage } from "@keelson/protocol";
import type { RpcError } from "../rpc/rpc-error.ts";
import type { TurnEnd } from "./stop-reason.ts";

type PromptContent = PromptMessage["message"]["content"];

export interface TurnsOptions {
  newId(): string;
  /** Gives it to the session. */
  send(content: PromptContent, uuid: string): void;
  requests(): Requests;
  /** Rejects with an RpcError if there is no one to answer. */
  mayRun(): Promise<void>;
  reasonOf(result: ResultMessage): TurnEnd | RpcError;
}

interface WaitingTurn {
  readonly uuid: string;
  readonly content: PromptContent;
  /** It was put into this one, whose reply comes when it is answered too. */
  readonly into?: WaitingTurn;
  isCancelled: boolean;
  isSent: boolean;
  /** How its run ended, while the reply has to wait for what was put into it. */
  end?: TurnEnd | Error;
  resolve(reason: TurnEnd): void;
  reject(error: unknown): void;
}

export class Turns {
  readonly #options: TurnsOptions;
  readonly #queue: WaitingTurn[] = [];
  #running: WaitingTurn | undefined;
  /** Beside the one that runs: the session takes them at its next safe boundary, or after it. */
  readonly #steering = new Set<WaitingTurn>();
  /** Settled when the session has dealt with the last stop. */
  #stopping: Promise<unknown> = Promise.resolve();

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** The prompt has its place when this returns. The signal takes it back. `steers`: it does not wait for the one that runs. */
  add(content: PromptContent, signal: AbortSignal, { steers = false } = {}): Promise<TurnEnd> {
    const { turn, promise } = this.#newTurn(content);
    signal.addEventListener("abort", () => this.#cancelOne(turn), { once: true });
    if (steers && this.#steerable !== undefined) this.#steer(turn);
    else this.#enqueue(turn);
    return promise;
  }

  /** Puts this into the prompt that runs, whose reply answers both. False if none does. */
  inject(content: PromptContent): boolean {
    const into = this.#steerable;
    if (into === undefined) return false;
    const { turn, promise } = this.#newTurn(content, into);
    promise.catch(() => undefined);
    this.#steer(turn);
    return true;
  }

  /** All prompts so far. With none, nothing happens. */
  cancel(): void {
    for (const turn of this.#queue.splice(0)) turn.resolve("cancelled");
    this.#stop(this.#open, { interrupts: true });
  }

  /** What the stream says about the prompts. Call it when everything before this message has been sent. */
  take(message: Outbound): void {
    if (isResult(message)) {
      for (const turn of this.#answeredBy(message)) this.#settle(turn, this.#options.reasonOf(message));
    } else if (message.type === "command_lifecycle") {
      const turn = this.#open.find(({ uuid }) => uuid === message.command_uuid);
      const isOver = message.state === "cancelled" || message.state === "completed";
      if (turn && isOver && turn.end === undefined) this.#settle(turn, "cancelled");
    }
  }

  /** Whether a reply will say how this run ended. */
  owes(result: ResultMessage): boolean {
    return this.#answeredBy(result).length > 0;
  }

  /** The session has ended: nothing will be answered any more. */
  end(): void {
    this.cancel();
    for (const turn of this.#open) this.#settle(turn, "cancelled");
  }

  #newTurn(content: PromptContent, into?: WaitingTurn) {
    const { promise, resolve, reject } = Promise.withResolvers<TurnEnd>();
    const uuid = this.#options.newId();
    const own = { uuid, content, isCancelled: false, isSent: false, resolve, reject };
    const turn: WaitingTurn = into === undefined ? own : { ...own, into };
    return { turn, promise };
  }

  #answeredBy({ user_message_uuid: id, user_message_uuids: ids = [] }: ResultMessage): readonly WaitingTurn[] {
    return this.#open.filter(({ uuid }) => id === uuid || ids.includes(uuid));
  }

  #enqueue(turn: WaitingTurn): void {
    this.#queue.push(turn);
    void this.#next();
  }

  /** What was given to the session, or is about to be. What steers comes first: it is stopped first, and answered first. */
  get #open(): readonly WaitingTurn[] {
    return [...this.#steering, ...(this.#running ? [this.#running] : [])];
  }

  /** What a prompt can join. One that is being stopped takes no more: what comes behind a stop is not stopped with it. */
  get #steerable(): WaitingTurn | undefined {
    const turn = this.#running ?? [...this.#steering][0];
    return turn?.isCancelled === true ? undefined : turn;
  }

  #steer(turn: WaitingTurn): void {
    this.#steering.add(turn);
    // Behind the one that it steers.
    if (this.#running?.isSent !== false) this.#send(turn);
  }

  #send(turn: WaitingTurn): void {
    turn.isSent = true;
    this.#options.send(turn.content, turn.uuid);
  }

  #cancelOne(turn: WaitingTurn): void {
    const at = this.#queue.indexOf(turn);
    if (at >= 0) {
      this.#queue.splice(at, 1);
      turn.resolve("cancelled");
      return;
    }
    const inside = this.#open.filter(({ into }) => into === turn);
    // What has joined a run cannot leave it, and the run is not its own.
    const isGuest = this.#steering.has(turn) && this.#running !== undefined && this.#running.end === undefined;
    if (this.#open.includes(turn)) this.#stop([...inside, turn], { interrupts: !isGuest });
  }

  #stop(turns: readonly WaitingTurn[], how: { readonly interrupts: boolean }): void {
    const stopped = turns.filter(({ isCancelled }) => !isCancelled);
    for (const turn of stopped) turn.isCancelled = true;
    // One that is not with the session yet is not given to it.
    for (const turn of stopped) if (!turn.isSent && turn !== this.#running) this.#settle(turn, "cancelled");
    const sent = stopped.filter(({ isSent }) => isSent);
    if (sent.length > 0) this.#stopping = this.#takeBack(sent, how).catch(() => undefined);
  }

  /** Another client's run may be in front of them, which is not stopped. */
  async #takeBack(turns: readonly WaitingTurn[], { interrupts }: { readonly interrupts: boolean }): Promise<void> {
    const requests = this.#options.requests();
    const takeOne = async (turn: WaitingTurn) => {
      const { cancelled } = await requests.request("cancel_async_message", { message_uuid: turn.uuid });
      if (cancelled || !interrupts) this.#settle(turn, "cancelled");
    };
    await Promise.all(turns.map(takeOne));
    if (turns.some((turn) => this.#open.includes(turn))) await requests.request("interrupt", {});
  }

  #settle(turn: WaitingTurn, reason: TurnEnd | Error): void {
    if (!this.#open.includes(turn)) return;
    if (this.#running === turn) this.#leaveUnsent(turn);
    if (this.#open.some(({ into }) => into === turn)) {
      turn.end = reason;
      return;
    }
    this.#steering.delete(turn);
    if (this.#running === turn) this.#running = undefined;
    if (turn.isCancelled) turn.resolve("cancelled");
    else if (typeof reason === "string") turn.resolve(reason);
    else turn.reject(reason);
    if (turn.into?.end !== undefined) this.#settle(turn.into, reason);
    void this.#stopping.then(() => this.#next());
  }

  /** What was to follow a prompt that never ran. */
  #leaveUnsent(turn: WaitingTurn): void {
    const unsent = [...this.#steering].filter(({ isSent }) => !isSent);
    for (const each of unsent) this.#steering.delete(each);
    this.#queue.unshift(...unsent.filter(({ into }) => into !== turn));
    for (const each of unsent) if (each.into === turn) each.resolve("cancelled");
  }

  async #next(): Promise<void> {
    await this.#stopping;
    if (this.#open.length > 0) return;
    const turn = this.#queue.shift();
    if (turn === undefined) return;
    this.#running = turn;
    try {
      await this.#options.mayRun();
    } catch (error) {
      return this.#settle(turn, error as RpcError);
    }
    if (turn.isCancelled) return this.#settle(turn, "cancelled");
    this.#send(turn);
    for (const each of this.#steering) if (!each.isSent) this.#send(each);
  }
}
