// Keeps the conversation of a run within the context window. Most conversations never come near it: what makes room is
// loaded when one does.

import type { Conversation } from "../turn/conversation.ts";
import { ModelError } from "../errors.ts";
import type { Ports } from "../ports.ts";
import { lengthOfParts, type RequestParts } from "../turn/request.ts";
import type { Ending } from "../run/result.ts";

export class Room {
  readonly #conversation: Conversation;
  readonly #ports: Ports;
  #overflowed = false;

  constructor(conversation: Conversation, ports: Ports) {
    this.#conversation = conversation;
    this.#ports = ports;
  }

  /** Call before each request. Resolves to the end of the run if there is no room. */
  async make(parts: () => RequestParts): Promise<Ending | undefined> {
    const { compaction: port, model } = this.#ports;
    if (!port) return undefined;
    this.#conversation.compactions.turns++;
    const rules = port.rules(model.profile.contextWindow);
    const { threshold = Infinity, limit } = rules;
    const { account } = this.#conversation;
    if (account.tokens(lengthOfParts(parts())) < Math.min(threshold, limit) && !account.hasTooMuchMedia)
      return undefined;
    const { makeRoom } = await import("./make-room.ts");
    return makeRoom(this.#conversation, { ...this.#ports, model, compaction: port }, parts(), rules);
  }

  /** Whether the request can be sent again after this error: once per reply. */
  async recovers(error: unknown, parts: () => RequestParts): Promise<boolean> {
    const { compaction: port, model } = this.#ports;
    if (!port || this.#overflowed || !(error instanceof ModelError) || error.kind !== "prompt_too_long") return false;
    if (port.rules(model.profile.contextWindow).threshold === undefined) return false;
    this.#overflowed = true;
    const { summarize } = await import("./make-room.ts");
    const ports = { ...this.#ports, model, compaction: port };
    return (await summarize(this.#conversation, ports, parts())) === undefined;
  }

  /** The model replied. */
  replied(): void {
    this.#overflowed = false;
  }
}
