// Generates the part of docs/tools.md that describes each tool, from the definitions that the program sends. Run
// `bun scripts/docs/tools-page.ts` to write it.

import { join } from "node:path";
import { root } from "../root.ts";
import { offeredTools, type ToolDefinition } from "./offered-tools.ts";
import { TOOL_FACTS } from "./tool-facts.ts";

export const toolsPage = join(root, "docs", "tools.md");

const BEGIN = "<!-- The rest is generated: bun scripts/docs/tools-page.ts -->";

/** The page with a description of each tool after the mark. */
export async function toolsPageText(tools: readonly ToolDefinition[]): Promise<string> {
  const page = await Bun.file(toolsPage).text();
  const end = page.indexOf(BEGIN);
  if (end < 0) throw new Error(`docs/tools.md has lost the line ${BEGIN}`);
  return `${page.slice(0, end)}${BEGIN}\n\n${overview(tools)}\n\n${tools.map(section).join("\n\n")}\n`;
}

function overview(tools: readonly ToolDefinition[]): string {
  const rows = tools.map(({ name }) => {
    const { permission, offered } = factsOf(name);
    return `| [${name}](#${name.toLowerCase()}) | ${permission} | ${offered} |`;
  });
  return ["## All tools", "", "| Tool | Permission | Offered |", "| --- | --- | --- |", ...rows].join("\n");
}

function section({ name, description, input_schema: schema }: ToolDefinition): string {
  const { permission, offered } = factsOf(name);
  const [summary] = description.split("\n\n");
  const fields = Object.entries(schema.properties ?? {}).map(
    ([field, type]) =>
      `| \`${field}\` | ${typeOf(type)} | ${schema.required?.includes(field) ? "yes" : "no"} | ${cell(type.description ?? "")} |`,
  );
  const table = ["| Field | Type | Required | Means |", "| --- | --- | --- | --- |", ...fields];
  const input =
    fields.length > 0 ? table : [name === "StructuredOutput" ? "The input is the caller's schema." : "No input."];
  return [
    `### ${name}`,
    "",
    escape(summary!.trim()),
    "",
    `Permission: ${permission}. Offered: ${offered}.`,
    "",
    ...input,
  ].join("\n");
}

function factsOf(name: string) {
  const facts = TOOL_FACTS[name];
  if (!facts) throw new Error(`Add '${name}' to scripts/docs/tool-facts.ts: its permission and when it is offered`);
  return facts;
}

function typeOf(schema: any): string {
  if (schema.enum) return schema.enum.map((value: unknown) => `\`${String(value)}\``).join(", ");
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" or ");
  if (schema.type === "array") return `list of ${plural(schema.items ?? {})}`;
  return NAMES[schema.type as string] ?? "any";
}

const NAMES: Readonly<Record<string, string>> = {
  string: "text",
  boolean: "true or false",
  integer: "whole number",
  number: "number",
  object: "object",
};

function plural(schema: any): string {
  if (schema.type === "string" && !schema.enum) return "texts";
  return schema.type === "object" ? "objects" : typeOf(schema);
}

const cell = (text: string) => escape(text).replaceAll("|", "\\|").replaceAll(/\s+/g, " ");

/** Outside of code, `<` would begin a tag, and `*` emphasis. */
const escape = (text: string) =>
  text.replaceAll(/(`[^`]*`)|[<*]/g, (char, code: string | undefined) => code ?? (char === "<" ? "&lt;" : "\\*"));

if (import.meta.main) {
  await Bun.write(toolsPage, await toolsPageText(await offeredTools()));
  Bun.spawnSync(["npm", "run", "fmt"], { cwd: root });
}
