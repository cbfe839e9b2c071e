// When a conversation is compacted, and when it no longer fits. Pure.

export interface CompactionRules {
  /** From this many tokens on, the conversation is compacted before the next request; undefined if never. */
  readonly threshold: number | undefined;
  /** From this many tokens on, no request is sent. */
  readonly limit: number;
}

export interface CompactionWishes {
  /** False: only when the user asks for it. */
  readonly automatic: boolean;
  /** Compacts all the same once nothing more fits: there is no one who could ask for it. */
  readonly lastResort?: boolean;
  /** Treats the context window as if it were this large, if that is smaller. */
  readonly window?: number | undefined;
  /** Compacts at this percentage of the window, if that is earlier. */
  readonly percent?: number | undefined;
}

/** Room for a summary, and for what a turn adds before the next check. In small windows, a larger share of them. */
const RESERVE = 33_000;
const SHARE = 0.6;
/** The same for requests that are refused: room for a last answer. */
const LAST_RESERVE = 23_000;
const LAST_SHARE = 0.885;

export function compactionRules(contextWindow: number, wishes: CompactionWishes): CompactionRules {
  const { automatic, lastResort = false, window = contextWindow, percent = 100 } = wishes;
  const size = Math.min(window, contextWindow);
  const usual = Math.max(size - RESERVE, Math.floor(size * SHARE));
  const limit = Math.max(contextWindow - LAST_RESERVE, Math.floor(contextWindow * LAST_SHARE));
  const early = Math.min(usual, Math.floor((size * percent) / 100));
  return { threshold: automatic ? early : lastResort ? limit : undefined, limit };
}

/** So many tokens are for the messages, or half of what the rest of a request leaves. */
const LEAST_FOR_MESSAGES = 4_000;

/**
 * From how many tokens on a conversation is compacted if its requests have so many besides their messages: the system prompt
 * and the tools may take most of a small window.
 */
export function fullFrom({ threshold = Infinity, limit }: CompactionRules, besides: number): number {
  const least = besides + Math.min(LEAST_FOR_MESSAGES, Math.floor((limit - besides) / 2));
  return Math.min(Math.max(threshold, least), limit);
}
