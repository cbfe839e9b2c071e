// Limits on how much one Read may return.

import { isSmallWindow, ToolError, type ToolContext } from "@keelson/engine";

const MAX_WHOLE_BYTES = 256 * 1024;
const DEFAULT_MAX_TOKENS = 25_000;
/** Of a text that is too long, so much is shown: enough to see what it is. */
const PAGE_TOKENS = 8_000;
/** Of a small window, one file gets an eighth. */
const SMALL_SHARE = 1 / 8;

type Limits = Pick<ToolContext, "env" | "window">;

export const isTooLargeWhole = (size: number): boolean => size > MAX_WHOLE_BYTES;

/** Rejects text that would take up too much of the context and has no pages to turn. */
export function checkTokens(text: string, limits: Limits, advice: string): void {
  const tokens = tokensOver(text, limits);
  if (tokens === undefined) return;
  throw new ToolError(
    `File content (${tokens} tokens) exceeds maximum allowed tokens (${maxTokens(limits)}). ${advice}`,
  );
}

/**
 * How many tokens a text has if they are too many. Estimates four UTF-8 bytes per token: close for code and prose, high
 * for other scripts, and it needs no request.
 */
export function tokensOver(text: string, limits: Limits): number | undefined {
  const most = maxTokens(limits);
  if (text.length * 3 <= most * 4) return undefined;
  const tokens = Math.ceil(Buffer.byteLength(text) / 4);
  return tokens > most ? tokens : undefined;
}

export const pageTokens = (limits: Limits): number => Math.min(PAGE_TOKENS, maxTokens(limits));

function maxTokens({ env, window }: Limits): number {
  const wanted = Number.parseInt(env.CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS ?? "", 10);
  if (wanted > 0) return wanted;
  return window !== undefined && isSmallWindow(window) ? Math.floor(window * SMALL_SHARE) : DEFAULT_MAX_TOKENS;
}
