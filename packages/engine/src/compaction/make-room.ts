// Keeps the conversation of a run within the context window: removes old tool results or has it summarized before a
// request that would not fit, and once after a server refused one.

import type { NewEntry } from "@keelson/protocol";
import type { Conversation } from "../conversation.ts";
import { ModelError } from "../errors.ts";
import type { CompactionPort, Ports } from "../ports.ts";
import { buildRequest, lengthOfParts, type RequestParts } from "../request.ts";
import type { Ending } from "../result.ts";
import type { CompactionRules } from "./when.ts";

/** Full again after so few requests, so often in a row: compacting does not help. */
const SOON = 3;
const MOST_REFILLS = 3;
/** Removing results is enough if it leaves at most this share of the threshold. */
const ROOMY = 0.7;
/** Counts are worth a request only if the estimate could be wrong by this much. */
const UNCERTAIN = 2_000;

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
    const { compaction: port } = this.#ports;
    if (!port) return undefined;
    const { compactions, account } = this.#conversation;
    compactions.turns++;
    const rules = port.rules(this.#ports.model.profile.contextWindow);
    const { threshold = Infinity, limit } = rules;
    const least = Math.min(threshold, limit);
    // The usual case: far from full.
    if (account.tokens(lengthOfParts(parts())) < least) return undefined;
    const used = await this.#count(parts(), least);
    if (used < least) return undefined;
    if (rules.threshold === undefined) return tooLong("blocking_limit");
    return this.#reduce(port, parts(), used, { ...rules, threshold });
  }

  /** Whether the request can be sent again after this error: once per reply. */
  async recovers(error: unknown, parts: () => RequestParts): Promise<boolean> {
    const { compaction: port } = this.#ports;
    if (!port || this.#overflowed || !(error instanceof ModelError) || error.kind !== "prompt_too_long") return false;
    if (port.rules(this.#ports.model.profile.contextWindow).threshold === undefined) return false;
    this.#overflowed = true;
    return (await this.#summarize(port, parts())) === undefined;
  }

  /** The model replied. */
  replied(): void {
    this.#overflowed = false;
  }

  async #count(parts: RequestParts, least: number): Promise<number> {
    const { account, messages } = this.#conversation;
    const besides = lengthOfParts(parts);
    const used = account.tokens(besides);
    const { provider } = this.#ports.model;
    const isClear = account.estimated(besides) < UNCERTAIN || used - account.estimated(besides) >= least;
    if (isClear || !provider.countTokens) return used;
    return (await provider.countTokens(buildRequest(parts, messages), this.#ports.signal)) ?? used;
  }

  async #reduce(
    port: CompactionPort,
    parts: RequestParts,
    used: number,
    { threshold, limit }: CompactionRules & { readonly threshold: number },
  ): Promise<Ending | undefined> {
    if (await this.#removeResults(used, threshold)) return undefined;
    const { compactions } = this.#conversation;
    compactions.refills = compactions.turns <= SOON ? compactions.refills + 1 : 0;
    if (compactions.refills >= MOST_REFILLS) return { reason: "rapid_refill_breaker", text: REFILLED };
    const problem = await this.#summarize(port, parts);
    return problem !== undefined && used >= limit ? tooLong("prompt_too_long") : undefined;
  }

  /** Whether it freed enough. */
  async #removeResults(used: number, threshold: number): Promise<boolean> {
    const { messages, account } = this.#conversation;
    const { oldResults } = await import("./old-results.ts");
    const { ids, characters, mediaTokens } = oldResults(messages);
    const freed = account.tokensIn(characters) + mediaTokens;
    if (used - freed > threshold * ROOMY) return false;
    const mark: NewEntry = {
      type: "system",
      uuid: this.#ports.newId(),
      subtype: "microcompact_boundary",
      content: "Old tool results removed",
      level: "info",
      isMeta: false,
      microcompactMetadata: { trigger: "auto", preTokens: used, tokensSaved: freed, compactedToolIds: ids },
    };
    await this.#ports.record([mark]);
    this.#conversation.add(mark);
    account.removed(freed);
    return true;
  }

  /** Resolves to the problem, if there was one. */
  async #summarize(compaction: CompactionPort, parts: RequestParts): Promise<string | undefined> {
    const { compactConversation } = await import("./compact.ts");
    const done = await compactConversation(
      this.#conversation,
      { ...this.#ports, model: this.#ports.model, compaction },
      { trigger: "auto", parts },
    );
    if ("error" in done) return done.error;
    await this.#ports.record(done.entries);
    this.#conversation.compactions.turns = 0;
    return undefined;
  }
}

const tooLong = (reason: "blocking_limit" | "prompt_too_long"): Ending => ({ reason, text: "Prompt is too long" });

const REFILLED =
  "The conversation was compacted several times in a row and is full again each time. Start a new conversation, read less at once, or use a model with a larger context window";
