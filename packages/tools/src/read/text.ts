// Reads text: selects lines and numbers them.

import { reminderLine } from "@keelson/protocol";
import { ToolError } from "@keelson/engine";
import { decode } from "../text-file/encoding.ts";
import { toLf } from "../text-file/line-endings.ts";
import { binaryFileMessage } from "./kind.ts";
import type { TextRead } from "./output.ts";

const SNIFFED = 8_192;

export interface LineRange {
  readonly offset: number;
  readonly limit: number | null;
}

export function readLines(filePath: string, bytes: Uint8Array, { offset, limit }: LineRange): TextRead {
  const { text, encoding } = decode(bytes);
  if (!encoding.startsWith("utf-16") && bytes.subarray(0, SNIFFED).includes(0)) {
    throw new ToolError(binaryFileMessage(filePath));
  }
  // Like the reference, offset 0 starts at the first line but numbers it 0 (read.test.ts, "offset and limit").
  const { content, numLines, totalLines } = sliceLines(toLf(text), Math.max(0, offset - 1), limit ?? Infinity);
  return { type: "text", file: { filePath, content, numLines, startLine: offset, totalLines } };
}

export function showLines({ file }: TextRead): string {
  if (file.totalLines === 0) {
    return reminderLine("Warning: the file exists but the contents are empty.");
  }
  if (file.numLines === 0) {
    return reminderLine(
      `Warning: the file exists but is shorter than the provided offset (${file.startLine}). The file has ${file.totalLines} lines.`,
    );
  }
  let number = file.startLine;
  return file.content
    .split("\n")
    .map((line) => `${number++}\t${line}`)
    .join("\n");
}

/** Does not split the whole text, which may be 50 MB. A final newline starts one more line. */
function sliceLines(text: string, skip: number, maxLines: number) {
  if (text === "") return { content: "", numLines: 0, totalLines: 0 };
  let line = 0;
  let start = skip === 0 ? 0 : -1;
  let end = text.length;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    line++;
    if (line === skip) start = at + 1;
    if (line === skip + maxLines) end = at;
  }
  const totalLines = line + 1;
  if (start === -1) return { content: "", numLines: 0, totalLines };
  return { content: text.slice(start, end), numLines: Math.min(maxLines, totalLines - skip), totalLines };
}
