// Limits on how much one Read may return.

import { kilobytes, ToolError, type ToolContext } from "@keelson/engine";

const MAX_WHOLE_BYTES = 256 * 1024;
const DEFAULT_MAX_TOKENS = 25_000;
const READ_LESS =
  "Use offset and limit parameters to read specific portions of the file, or search for specific content instead of reading the whole file.";

/** Rejects reading a large file whole, before opening it. */
export function checkFileSize(size: number): void {
  if (size > MAX_WHOLE_BYTES) {
    throw new ToolError(`File content (${kilobytes(size)}) exceeds maximum allowed size (256KB). ${READ_LESS}`);
  }
}

/**
 * Rejects text that would take up too much of the context. Estimates four UTF-8 bytes per token: close for code and
 * prose, high for other scripts, and it needs no request.
 */
export function checkTokens(text: string, env: ToolContext["env"], advice = READ_LESS): void {
  const maxTokens = Number.parseInt(env.CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS ?? "", 10) || DEFAULT_MAX_TOKENS;
  if (text.length * 3 <= maxTokens * 4) return;
  const tokens = Math.ceil(Buffer.byteLength(text) / 4);
  if (tokens > maxTokens) {
    throw new ToolError(`File content (${tokens} tokens) exceeds maximum allowed tokens (${maxTokens}). ${advice}`);
  }
}
