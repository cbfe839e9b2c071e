// Keeps a session within its budget: a request that would surely exceed it is not sent, whoever asks. Every provider of
// the session is wrapped, so conversations, subagents, hooks and side questions count alike.

import { ModelError, withCounted, type ModelProvider, type ModelRequest } from "@keelson/engine";
import { blocksOf, NO_USAGE, type ContentBlock, type Usage } from "@keelson/protocol";

export interface BudgetOptions {
  /** In dollars; undefined if there is none. */
  limit(): number | undefined;
  /** Null if a price is unknown. */
  spent(): number | null;
  costOf(model: string, usage: Usage): number | null;
}

export class Budget {
  readonly #options: BudgetOptions;
  /** The least that the requests under way cost. */
  #underWay = 0;
  /** By the first block of a conversation: how many tokens its last reply brought it to. */
  readonly #tokens = new WeakMap<ContentBlock, number>();

  constructor(options: BudgetOptions) {
    this.#options = options;
  }

  guard(provider: ModelProvider): ModelProvider {
    return {
      ...provider,
      stream: (request, signal) =>
        this.#options.limit() === undefined
          ? provider.stream(request, signal)
          : this.#stream(provider, request, signal),
    };
  }

  async *#stream(provider: ModelProvider, request: ModelRequest, signal: AbortSignal) {
    const least = this.#leastCost(request);
    const limit = this.#options.limit() ?? Infinity;
    const spent = (this.#options.spent() ?? Infinity) + this.#underWay;
    if (spent >= limit || spent + least > limit) {
      throw new ModelError("budget_exhausted", `The budget of $${limit} does not allow another request`);
    }
    this.#underWay += least;
    let usage: Usage = NO_USAGE;
    try {
      for await (const event of provider.stream(request, signal)) {
        if (event.type === "message_start") usage = { ...usage, ...event.message.usage };
        if (event.type === "message_delta") usage = withCounted(usage, event.usage);
        yield event;
      }
    } finally {
      this.#underWay -= least;
      const first = firstBlock(request);
      if (first) this.#tokens.set(first, tokensOf(usage));
    }
  }

  /** A conversation only grows: everything so far is read again, at the lowest price. */
  #leastCost(request: ModelRequest): number {
    const first = firstBlock(request);
    const tokens = (first && this.#tokens.get(first)) ?? 0;
    if (tokens === 0) return 0;
    return this.#options.costOf(request.model, { ...NO_USAGE, cache_read_input_tokens: tokens }) ?? 0;
  }
}

const firstBlock = ({ messages }: ModelRequest): ContentBlock | undefined => blocksOf(messages[0]?.content ?? [])[0];

function tokensOf({
  input_tokens,
  output_tokens,
  cache_creation_input_tokens,
  cache_read_input_tokens,
}: Usage): number {
  return input_tokens + output_tokens + (cache_creation_input_tokens ?? 0) + (cache_read_input_tokens ?? 0);
}
