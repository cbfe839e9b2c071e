// What happened in a run, as texts: from the messages that its program wrote.

import { blocksOf, isObject, isText, isToolResult, isToolUse, tryParse, type ModelMessage } from "@keelson/protocol";
import type { StoredEntry } from "../records/run.ts";

export interface LogLine {
  readonly seq: number;
  readonly at: string;
  readonly type: "user" | "assistant" | "tool" | "system" | "result";
  readonly text: string;
}

const MOST_TEXT = 16 * 1_024;
const MOST_PAGE = 256 * 1_024;

/** The lines of these entries that fit on a page, and the entry that the next page begins after. */
export function logPage(
  entries: readonly StoredEntry[],
  after: number,
  most: number,
): { readonly lines: readonly LogLine[]; readonly next: number } {
  const lines: LogLine[] = [];
  let size = 0;
  let next = after;
  for (const entry of entries) {
    const line = entry.kind === "message" ? lineOf(entry) : undefined;
    size += line === undefined ? 0 : Buffer.byteLength(JSON.stringify(line));
    if (lines.length === most || (size > MOST_PAGE && lines.length > 0)) break;
    if (line) lines.push(line);
    next = entry.seq;
  }
  return { lines, next };
}

function lineOf({ seq, at, line }: StoredEntry): LogLine | undefined {
  const message = tryParse(line);
  const said = isObject(message) ? wordsOf(message) : undefined;
  if (said === undefined || said.text === "") return undefined;
  const { type, text } = said;
  const isCut = text.length > MOST_TEXT;
  return { seq, at: new Date(at).toISOString(), type, text: isCut ? `${text.slice(0, MOST_TEXT - 1)}…` : text };
}

function wordsOf(message: Readonly<Record<string, unknown>>): Pick<LogLine, "type" | "text"> | undefined {
  const { type, subtype } = message;
  if (type === "assistant") return { type, text: textOf(message["message"]) };
  if (type === "user") {
    const content = contentOf(message["message"]);
    const isResult = content !== undefined && blocksOf(content).some(isToolResult);
    return { type: isResult ? "tool" : "user", text: textOf(message["message"]) };
  }
  if (type === "result") {
    const { result, errors } = message;
    const problems = Array.isArray(errors) ? errors.map(String).join("\n") : "";
    return { type, text: typeof result === "string" && result !== "" ? result : problems || String(subtype) };
  }
  // Of the worker: what it prepared, and why something ended.
  if (type === "system" && typeof message["text"] === "string") return { type, text: message["text"] };
  return undefined;
}

function textOf(message: unknown): string {
  const content = contentOf(message);
  if (content === undefined) return "";
  return blocksOf(content)
    .map((block) => {
      if (isText(block)) return block.text;
      if (isToolUse(block)) return `${block.name} ${JSON.stringify(block.input)}`;
      if (!isToolResult(block)) return "";
      const inside = block.content === undefined ? [] : blocksOf(block.content);
      return inside.map((each) => (isText(each) ? each.text : `[${each.type}]`)).join("\n");
    })
    .filter((text) => text !== "")
    .join("\n");
}

function contentOf(message: unknown): ModelMessage["content"] | undefined {
  const content = isObject(message) ? message["content"] : undefined;
  return typeof content === "string" || Array.isArray(content) ? content : undefined;
}
