// The prompts of one session, one at a time: the session is given the next one when the one before has its reply, so that
// stopping one can never reach another.

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
  isCancelled: boolean;
  isSent: boolean;
  resolve(reason: TurnEnd): void;
  reject(error: unknown): void;
}

export class Turns {
  readonly #options: TurnsOptions;
  readonly #queue: WaitingTurn[] = [];
  #running: WaitingTurn | undefined;
  /** Settled when the session has dealt with the last stop. */
  #stopping: Promise<void> = Promise.resolve();

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** The prompt is in the queue when this returns. The signal takes it back. */
  add(content: PromptContent, signal: AbortSignal): Promise<TurnEnd> {
    const { promise, resolve, reject } = Promise.withResolvers<TurnEnd>();
    const uuid = this.#options.newId();
    const turn: WaitingTurn = { uuid, content, isCancelled: false, isSent: false, resolve, reject };
    this.#queue.push(turn);
    signal.addEventListener("abort", () => this.#cancelOne(turn), { once: true });
    void this.#next();
    return promise;
  }

  /** All prompts so far. With none, nothing happens. */
  cancel(): void {
    for (const turn of this.#queue.splice(0)) turn.resolve("cancelled");
    if (this.#running) this.#stop(this.#running);
  }

  /** What the stream says about the prompts. Call it when everything before this message has been sent. */
  take(message: Outbound): void {
    const turn = this.#running;
    if (turn === undefined) return;
    if (isResult(message)) {
      const { user_message_uuids: ids = [], user_message_uuid: id } = message;
      if (id !== turn.uuid && !ids.includes(turn.uuid)) return;
      this.#settle(turn, this.#options.reasonOf(message));
    } else if (message.type === "command_lifecycle" && message.command_uuid === turn.uuid) {
      if (message.state === "cancelled" || message.state === "completed") this.#settle(turn, "cancelled");
    }
  }

  /** The session has ended: nothing will be answered any more. */
  end(): void {
    this.cancel();
    if (this.#running) this.#settle(this.#running, "cancelled");
  }

  #cancelOne(turn: WaitingTurn): void {
    const at = this.#queue.indexOf(turn);
    if (at >= 0) {
      this.#queue.splice(at, 1);
      turn.resolve("cancelled");
    } else if (turn === this.#running) this.#stop(turn);
  }

  #stop(turn: WaitingTurn): void {
    if (turn.isCancelled) return;
    turn.isCancelled = true;
    // One that is not with the session yet is not given to it.
    if (turn.isSent) this.#stopping = this.#interrupt(turn).catch(() => undefined);
  }

  /** Another client's run may be in front of it, which is not stopped. */
  async #interrupt(turn: WaitingTurn): Promise<void> {
    const requests = this.#options.requests();
    const { cancelled } = await requests.request("cancel_async_message", { message_uuid: turn.uuid });
    if (cancelled) return this.#settle(turn, "cancelled");
    if (this.#running === turn) await requests.request("interrupt", {});
  }

  #settle(turn: WaitingTurn, reason: TurnEnd | RpcError): void {
    if (this.#running !== turn) return;
    this.#running = undefined;
    if (turn.isCancelled) turn.resolve("cancelled");
    else if (typeof reason === "string") turn.resolve(reason);
    else turn.reject(reason);
    void this.#stopping.then(() => this.#next());
  }

  async #next(): Promise<void> {
    await this.#stopping;
    if (this.#running !== undefined) return;
    const turn = this.#queue.shift();
    if (turn === undefined) return;
    this.#running = turn;
    try {
      await this.#options.mayRun();
    } catch (error) {
      this.#running = undefined;
      if (turn.isCancelled) turn.resolve("cancelled");
      else turn.reject(error);
      return this.#next();
    }
    if (turn.isCancelled) return this.#settle(turn, "cancelled");
    turn.isSent = true;
    this.#options.send(turn.content, turn.uuid);
  }
}
