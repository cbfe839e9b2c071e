// Members do not keep rights that their lead gave up: when its mode is switched, theirs follow.

import { narrowerMode } from "@keelson/engine/agents";
import type { PermissionMode } from "@keelson/protocol";
import type { StartedSession } from "./backends/backend.ts";
import type { TeammateOrder } from "./new-member.ts";

/** One that does not answer holds no one up for longer. */
const MOST_MS = 5_000;

interface Follower {
  readonly program: StartedSession;
  /** The mode that its order names. */
  readonly wanted: PermissionMode | undefined;
  readonly isPlanned: boolean;
}

export class ModeFollowers {
  readonly #newId: () => string;
  readonly #members = new Map<string, Follower>();
  /** Switches that were not confirmed yet. */
  readonly #open = new Map<string, () => void>();
  #settled: Promise<unknown> = Promise.resolve();

  constructor(newId: () => string) {
    this.#newId = newId;
  }

  add(name: string, program: StartedSession, { mode, planModeRequired }: TeammateOrder): void {
    this.#members.set(name, { program, wanted: mode, isPlanned: planModeRequired === true || mode === "plan" });
  }

  delete(name: string): void {
    this.#members.delete(name);
  }

  /** One whose plan has to be approved gets no rights back this way. */
  switch(mode: PermissionMode): void {
    for (const { program, wanted, isPlanned } of this.#members.values()) {
      if (isPlanned && mode !== "plan") continue;
      const id = this.#newId();
      const done = new Promise<void>((resolve) => this.#open.set(id, resolve));
      const request = { subtype: "set_permission_mode", mode: narrowerMode(mode, wanted) };
      program.send({ type: "control_request", request_id: id, request });
      const soon = Promise.race([done, aWhile()]).finally(() => this.#open.delete(id));
      this.#settled = Promise.all([this.#settled, soon]);
    }
  }

  /** A member has switched. */
  confirmed(id: string): void {
    this.#open.get(id)?.();
  }

  /** Wait for it before members get a message: they must not act on it in the old mode. */
  settled(): Promise<unknown> {
    return this.#settled;
  }
}

const aWhile = () => new Promise<void>((resolve) => void setTimeout(resolve, MOST_MS).unref());
