// /export: the conversation as Markdown, HTML or JSON. A file is written as the Write tool would write it.

import { existsSync, statSync } from "node:fs";
import { extname, join, resolve } from "node:path";
import type { ModelMessage } from "@keelson/protocol";
import { itemsOfMessages } from "../../export/items.ts";
import { markdownWriter } from "../../export/markdown.ts";
import { openExport, type ExportFormat } from "../../export/export-session.ts";
import type { RunCommand } from "../command.ts";

/** A document that passes through a tool call is held in memory. */
const LARGEST = 20_000_000;

const FORMATS: Readonly<Record<string, ExportFormat>> = { ".html": "html", ".htm": "html", ".json": "json" };

export const exportCommand: RunCommand = async (args, { targets, call }) => {
  const current = markdownOf(targets.conversation());
  if (current === "") return "There is no conversation to export yet";
  const transcript = targets.transcript();
  const format = FORMATS[extname(args).toLowerCase()] ?? "markdown";
  if (transcript === undefined && format !== "markdown") {
    throw new Error("This session keeps no transcript, so only Markdown can be exported");
  }
  const text = transcript === undefined ? current : whole(targets.sessionId, transcript, format);
  if (args === "") return text.trimEnd();
  const named = args.startsWith("~/") ? join(targets.snapshot().home, args.slice(2)) : args;
  const file = resolve(targets.workspace.cwd, named);
  // The tool would refuse, too, but ask to read the file first.
  if (existsSync(file)) throw new Error(`"${args}" already exists; choose another name`);
  await call("Write", { file_path: file, content: `${text.trimEnd()}\n` });
  return `Exported the conversation to ${file}`;
};

function whole(id: string, path: string, format: ExportFormat): string {
  if (statSync(path).size > LARGEST) {
    throw new Error(`This conversation is too large for /export; run in a terminal: keelson export ${id} -o <file>`);
  }
  return [...openExport({ id, path }, { format, bare: true }).pieces()].join("");
}

/** A conversation that is kept in no file. */
export function markdownOf(messages: readonly ModelMessage[]): string {
  const writer = markdownWriter();
  return itemsOfMessages(messages).map(writer.item).join("").trimEnd();
}
