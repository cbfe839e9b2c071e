// Reads text: selects lines, as many as are shown at once, and numbers them.

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
  const lf = toLf(text);
  const skip = Math.max(0, offset - 1);
  const { content, numLines, totalLines } = sliceLines(lf, skip, limit ?? Infinity);
  const next = skip + numLines + 1;
  // What follows the final newline is no line to go on with.
  const ends = next > totalLines || (next === totalLines && lf.endsWith("\n"));
  const more = numLines === 0 || ends ? {} : { nextOffset: next };
  return { type: "text", file: { filePath, content, numLines, startLine: offset, totalLines, ...more } };
}

/** The first lines of what was read, at most so many tokens of four bytes. */
export function firstPage({ file }: TextRead, maxTokens: number): TextRead {
  const start = file.content.slice(0, maxTokens * 4);
  const page = start.slice(0, Math.floor((start.length * start.length) / Math.max(1, Buffer.byteLength(start))));
  const end = page.lastIndexOf("\n");
  const skip = Math.max(0, file.startLine - 1);
  if (end === -1) throw new ToolError(longLineMessage(file, skip + 1));
  const content = page.slice(0, end);
  const numLines = content.split("\n").length;
  const nextOffset = skip + numLines + 1;
  return { type: "text", file: { ...file, content, numLines, nextOffset, truncatedByTokenCap: true } };
}

function longLineMessage({ filePath, content }: TextRead["file"], line: number): string {
  const end = content.indexOf("\n");
  const length = end === -1 ? content.length : end;
  const quoted = `'${filePath.replaceAll("'", "'\\''")}'`;
  const rest = end !== -1 && end < content.length - 1 ? ` The lines after it begin at offset ${line + 1}.` : "";
  return `Line ${line} is too long to show: it has ${length} characters. Look at a part of it with a command, such as sed -n '${line}p' ${quoted} | cut -c1-2000, or with Grep and -o.${rest}`;
}

export function showLines({ file }: TextRead): string {
  if (file.totalLines === 0) {
    return "(The file is empty.)";
  }
  if (file.numLines === 0) {
    return `(Nothing to show: the file has ${file.totalLines} ${file.totalLines === 1 ? "line" : "lines"}, and the offset is ${file.startLine}.)`;
  }
  let number = file.startLine;
  const lines = file.content.split("\n").map((line) => `${number++}\t${line}`);
  return [...lines, ...goesOn(file)].join("\n");
}

function goesOn({ nextOffset, numLines, totalLines, truncatedByTokenCap }: TextRead["file"]): string[] {
  if (nextOffset === undefined) return [];
  if (!truncatedByTokenCap) return ["", `(The file goes on, to line ${totalLines}. The next offset is ${nextOffset}.)`];
  const shown = numLines === 1 ? "this is line " : `these are lines ${nextOffset - numLines}–`;
  return [
    "",
    `(Too long to show at once: ${shown}${nextOffset - 1} of ${totalLines}. Search with Grep for what you need, or go on with offset ${nextOffset}.)`,
  ];
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
