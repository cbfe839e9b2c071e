// What the lead wants of its members over their streams. They do not keep rights that it gave up: when its mode is switched,
// theirs follow.

import type { ControlChannel } from "@keelson/client/requests";
import type { PermissionMode } from "@keelson/protocol";
import { memberMode, type TeammateOrder } from "./new-member.ts";

/** One that does not answer holds no one up for longer. */
const MOST_MS = 5_000;

interface Follower {
  readonly channel: ControlChannel;
  readonly order: TeammateOrder;
  readonly isPlanned: boolean;
}

export class ModeFollowers {
  readonly #members = new Map<string, Follower>();
  #settled: Promise<unknown> = Promise.resolve();

  add(name: string, channel: ControlChannel, order: TeammateOrder): void {
    const isPlanned = order.planModeRequired === true || order.mode === "plan";
    this.#members.set(name, { channel, order, isPlanned });
  }

  delete(name: string): void {
    this.#members.delete(name);
  }

  /** One whose plan has to be approved gets no rights back this way. */
  switch(mode: PermissionMode): void {
    for (const { channel, order, isPlanned } of this.#members.values()) {
      if (isPlanned && mode !== "plan") continue;
      const soon = settledSoon(channel.request("set_permission_mode", { mode: memberMode(mode, order) }));
      this.#settled = Promise.all([this.#settled, soon]);
    }
  }

  /** Resolves when everything that the member has said so far was heard: its answer to a question comes after it. */
  async heardOf(name: string): Promise<void> {
    const follower = this.#members.get(name);
    if (follower) await settledSoon(follower.channel.request("get_session_info"));
  }

  /** Wait for it before members get a message: they must not act on it in the old mode. */
  settled(): Promise<unknown> {
    return this.#settled;
  }
}

/** Resolves when the member has answered, has ended, or takes too long. */
async function settledSoon(reply: Promise<unknown>): Promise<void> {
  const aWhile = new Promise<void>((resolve) => void setTimeout(resolve, MOST_MS).unref());
  await Promise.race([reply.then(nothing, nothing), aWhile]);
}

const nothing = () => undefined;
