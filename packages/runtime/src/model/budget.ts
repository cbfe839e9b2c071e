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
  /** What the requests under way cost, as far as that is known. */
  #underWay = 0;
  #inFlight = 0;
  /** Called when one of them ends. */
  readonly #waiting: (() => void)[] = [];
  /** What the latest request cost: what one of a conversation that is not known will cost, too. */
  #latest = 0;
  /** By the first block of a conversation: how many tokens its last reply brought it to. */
  readonly #tokens = new WeakMap<ContentBlock, number>();

  #hasRefused = false;

  constructor(options: BudgetOptions) {
    this.#options = options;
  }

  /** Whether a request was not sent. */
  get hasRefused(): boolean {
    return this.#hasRefused;
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
    const spent = () => this.#options.spent() ?? Infinity;
    const likely = Math.max(least, this.#latest);
    // Many agents at once: each may still fit, but not all of them.
    while (this.#underWay > 0 && spent() < limit && spent() + this.#underWay + likely > limit)
      await this.#nextEnd(signal);
    if (spent() >= limit || spent() + least > limit) {
      this.#hasRefused = true;
      throw new ModelError("budget_exhausted", `The budget of $${limit} does not allow another request`);
    }
    this.#underWay += likely;
    this.#inFlight++;
    let usage: Usage = NO_USAGE;
    try {
      for await (const event of provider.stream(request, signal)) {
        if (event.type === "message_start") usage = { ...usage, ...event.message.usage };
        if (event.type === "message_delta") usage = withCounted(usage, event.usage);
        yield event;
      }
    } finally {
      this.#inFlight--;
      // Sums of fractions leave a rest.
      this.#underWay = this.#inFlight === 0 ? 0 : this.#underWay - likely;
      const first = firstBlock(request);
      if (first) this.#tokens.set(first, tokensOf(usage));
      if (tokensOf(usage) > 0) this.#latest = this.#options.costOf(request.model, usage) ?? this.#latest;
      for (const go of this.#waiting.splice(0)) go();
    }
  }

  /** Resolves when a request under way has ended and was charged. */
  #nextEnd(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const give = () => reject(new ModelError("aborted", "The request was aborted"));
      if (signal.aborted) return give();
      signal.addEventListener("abort", give, { once: true });
      // The one that asked charges it right after its stream ends.
      this.#waiting.push(() => setTimeout(resolve));
    });
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
