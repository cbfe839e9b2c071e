// What the lead wants of its members over their streams. They do not keep rights that it gave up: when its mode is switched,
// theirs follow.

import type { PermissionMode } from "@keelson/protocol";
import type { StartedSession } from "./backends/backend.ts";
import { memberMode, type TeammateOrder } from "./new-member.ts";

/** One that does not answer holds no one up for longer. */
const MOST_MS = 5_000;

interface Follower {
  readonly program: StartedSession;
  readonly order: TeammateOrder;
  readonly isPlanned: boolean;
}

export class ModeFollowers {
  readonly #newId: () => string;
  readonly #members = new Map<string, Follower>();
  /** Questions that were not answered yet. */
  readonly #open = new Map<string, () => void>();
  #settled: Promise<unknown> = Promise.resolve();

  constructor(newId: () => string) {
    this.#newId = newId;
  }

  add(name: string, program: StartedSession, order: TeammateOrder): void {
    const isPlanned = order.planModeRequired === true || order.mode === "plan";
    this.#members.set(name, { program, order, isPlanned });
  }

  delete(name: string): void {
    this.#members.delete(name);
  }

  /** One whose plan has to be approved gets no rights back this way. */
  switch(mode: PermissionMode): void {
    for (const { program, order, isPlanned } of this.#members.values()) {
      if (isPlanned && mode !== "plan") continue;
      const soon = this.#ask(program, { subtype: "set_permission_mode", mode: memberMode(mode, order) });
      this.#settled = Promise.all([this.#settled, soon]);
    }
  }

  /** Resolves when everything that the member has said so far was heard: its answer to a question comes after it. */
  async heardOf(name: string): Promise<void> {
    const follower = this.#members.get(name);
    if (follower) await this.#ask(follower.program, { subtype: "get_session_info" });
  }

  async #ask(program: StartedSession, request: object): Promise<void> {
    const id = this.#newId();
    const done = new Promise<void>((resolve) => this.#open.set(id, resolve));
    program.send({ type: "control_request", request_id: id, request });
    await Promise.race([done, program.exited, aWhile()]);
    this.#open.delete(id);
  }

  /** A member has answered. */
  confirmed(id: string): void {
    this.#open.get(id)?.();
  }

  /** Wait for it before members get a message: they must not act on it in the old mode. */
  settled(): Promise<unknown> {
    return this.#settled;
  }
}

const aWhile = () => new Promise<void>((resolve) => void setTimeout(resolve, MOST_MS).unref());
