// /context: what fills the context window, as Markdown.

import { expectNoArguments, type RunCommand } from "../command.ts";

export const contextCommand: RunCommand = async (args, { request }) => {
  expectNoArguments("context", args);
  const usage = await request("get_context_usage");
  const { categories, totalTokens, maxTokens, percentage, model, memoryFiles, mcpTools } = usage;
  const share = (tokens: number) => `${((tokens / maxTokens) * 100).toFixed(1)}%`;
  return [
    "## Context Usage",
    `**Model:** ${model}  \n**Tokens:** ${count(totalTokens)} / ${count(maxTokens)} (${percentage}%)`,
    "### Estimated usage by category",
    table(
      ["Category", "Tokens", "Percentage"],
      categories.map(({ name, tokens }) => [name, count(tokens), share(tokens)]),
    ),
    ...section(
      "### MCP tools",
      ["Tool", "Server", "Tokens"],
      mcpTools.map(({ name, serverName, tokens }) => [name, serverName, count(tokens)]),
    ),
    ...section(
      "### Memory files",
      ["Type", "Path", "Tokens"],
      memoryFiles.map(({ type, path, tokens }) => [type, path, count(tokens)]),
    ),
  ].join("\n\n");
};

const section = (title: string, head: readonly string[], rows: readonly (readonly string[])[]) =>
  rows.length === 0 ? [] : [title, table(head, rows)];

const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.map(cell).join(" | ")} |`).join("\n");

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ");

/** `1.2k` from a thousand on. */
function count(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  return tokens < 1_000_000 ? `${short(tokens / 1_000)}k` : `${short(tokens / 1_000_000)}m`;
}

const short = (number: number) => number.toFixed(1).replace(/\.0$/, "");
