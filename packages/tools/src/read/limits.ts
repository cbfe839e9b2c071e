// How much one Read may bring in.

import { kilobytes, ToolError, type ToolContext } from "@keelson/engine";

const MAX_WHOLE_BYTES = 256 * 1024;
const DEFAULT_MAX_TOKENS = 25_000;
const READ_LESS =
  "Use offset and limit parameters to read specific portions of the file, or search for specific content instead of reading the whole file.";

/** Refuses, before a byte is read, to bring in a large file whole. */
export function checkFileSize(size: number): void {
  if (size > MAX_WHOLE_BYTES) {
    throw new ToolError(`File content (${kilobytes(size)}) exceeds maximum allowed size (256KB). ${READ_LESS}`);
  }
}

/**
 * Refuses text that would crowd out the conversation. Tokens are estimated at four UTF-8 bytes each: close for code
 * and prose, on the safe side for other scripts, and no request to anybody.
 */
export function checkTokens(text: string, env: ToolContext["env"], advice = READ_LESS): void {
  const most = Number.parseInt(env.CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS ?? "", 10) || DEFAULT_MAX_TOKENS;
  if (text.length * 3 <= most * 4) return;
  const tokens = Math.ceil(Buffer.byteLength(text) / 4);
  if (tokens > most) {
    throw new ToolError(`File content (${tokens} tokens) exceeds maximum allowed tokens (${most}). ${advice}`);
  }
}
