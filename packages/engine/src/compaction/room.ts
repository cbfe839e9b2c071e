// Keeps the conversation of a run within the context window. Most conversations never come near it: what makes room is
// loaded when one does.

import type { Conversation } from "../turn/conversation.ts";
import { ModelError } from "../errors.ts";
import type { Ports } from "../ports.ts";
import { lengthOfParts, type RequestParts } from "../turn/request.ts";
import type { Ending } from "../run/result.ts";
import { fullFrom } from "./when.ts";

const MOST_OVERFLOWS = 3;

export class Room {
  readonly #conversation: Conversation;
  readonly #ports: Ports;
  /** How often the server found the request too long since the last reply. */
  #overflows = 0;

  constructor(conversation: Conversation, ports: Ports) {
    this.#conversation = conversation;
    this.#ports = ports;
    // A new prompt is a reason to go on.
    conversation.compactions.refills = 0;
  }

  /** Call before each request. Resolves to the end of the run if there is no room. */
  async make(parts: () => RequestParts): Promise<Ending | undefined> {
    const { compaction: port, model } = this.#ports;
    if (!port) return undefined;
    this.#conversation.compactions.turns++;
    const rules = port.rules(model.profile.contextWindow);
    const { account } = this.#conversation;
    const besides = lengthOfParts(parts());
    if (account.tokens(besides) < fullFrom(rules, account.tokensBesides(besides)) && !account.hasTooMuchMedia)
      return undefined;
    const { makeRoom } = await import("./make-room.ts");
    return makeRoom(this.#conversation, { ...this.#ports, model, compaction: port }, parts(), rules);
  }

  /** Whether the request can be sent again after this error: it is shorter each time. */
  async recovers(error: unknown, parts: () => RequestParts): Promise<boolean> {
    if (!(error instanceof ModelError) || error.kind !== "prompt_too_long") return false;
    this.#conversation.compactions.refusals++;
    const { compaction: port, model } = this.#ports;
    if (!port || this.#overflows >= MOST_OVERFLOWS) return false;
    if (port.rules(model.profile.contextWindow).threshold === undefined) return false;
    this.#overflows++;
    const { summarize } = await import("./make-room.ts");
    const ports = { ...this.#ports, model, compaction: port };
    return (await summarize(this.#conversation, ports, parts())) === undefined;
  }

  /** The model replied. */
  replied(): void {
    this.#overflows = 0;
    this.#conversation.compactions.refusals = 0;
  }
}
