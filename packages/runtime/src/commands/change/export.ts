// /export: the conversation as Markdown. A file is written as the Write tool would write it.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { blocksOf, isText, isToolResult, isToolUse, type ContentBlock, type ModelMessage } from "@keelson/protocol";
import type { RunCommand } from "../command.ts";

export const exportCommand: RunCommand = async (args, { targets, call }) => {
  const text = markdownOf(targets.conversation());
  if (text === "") return "There is no conversation to export yet";
  if (args === "") return text;
  const named = args.startsWith("~/") ? join(targets.snapshot().home, args.slice(2)) : args;
  const file = resolve(targets.workspace.cwd, named);
  // The tool would refuse, too, but ask to read the file first.
  if (existsSync(file)) throw new Error(`"${args}" exists already; choose another name`);
  await call("Write", { file_path: file, content: `${text}\n` });
  return `Exported the conversation to ${file}`;
};

/** What was said and done. Text that the program added for the model is left out. */
export function markdownOf(messages: readonly ModelMessage[]): string {
  return messages
    .flatMap(({ role, content }) => {
      const blocks = blocksOf(content).flatMap(blockText);
      const isTyped = role === "user" && !blocksOf(content).some(isToolResult);
      const title = role === "assistant" ? "## Assistant" : isTyped ? "## User" : "## Tool results";
      return blocks.length === 0 ? [] : [[title, ...blocks].join("\n\n")];
    })
    .join("\n\n");
}

function blockText(block: ContentBlock): readonly string[] {
  if (isText(block)) return block.text.trimStart().startsWith("<system-reminder>") ? [] : [block.text];
  if (isToolUse(block)) return [`**${block.name}**`, fenced(JSON.stringify(block.input, null, 2), "json")];
  if (isToolResult(block)) {
    const text = blocksOf(block.content ?? "")
      .flatMap((part) => (isText(part) ? [part.text] : [`[${part.type}]`]))
      .join("\n");
    return [fenced(text)];
  }
  return block.type === "image" || block.type === "document" ? [`[${block.type}]`] : [];
}

/** The fence is longer than any in the text. */
function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`{3,}/g), ([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
