// Custom tools: functions in this process that the model can call.
//   bun examples/sdk/custom-tools.ts "reserve three M4 bolts for Ada"

import process from "node:process";
import { createSdkMcpServer, query, tool } from "@keelson/sdk";
import { z } from "zod";

const stock = new Map([
  ["M4 bolt", 10],
  ["M6 bolt", 2],
]);
const said = (text: string) => ({ content: [{ type: "text" as const, text }] });

const find = tool(
  "find_part",
  "Finds parts by part of their name, with the number in stock",
  { name: z.string().describe("Any part of the name") },
  async ({ name }) => {
    const found = [...stock].filter(([part]) => part.toLowerCase().includes(name.toLowerCase()));
    return said(found.map(([part, count]) => `${part}: ${count}`).join("\n") || "No such part");
  },
  // It changes nothing, so several calls may run in parallel.
  { annotations: { readOnlyHint: true } },
);

const reserve = tool(
  "reserve_part",
  "Reserves parts from stock for a person",
  { part: z.string(), count: z.number().int().positive(), person: z.string() },
  async ({ part, count, person }) => {
    const left = (stock.get(part) ?? 0) - count;
    // The model reads this and may try something else. Throwing an error has the same effect.
    if (left < 0) return { ...said(`There are only ${stock.get(part) ?? 0} of "${part}"`), isError: true };
    stock.set(part, left);
    return said(`Reserved ${count} of "${part}" for ${person}; ${left} left`);
  },
);

const running = query({
  prompt: process.argv[2] ?? "How many bolts are there?",
  options: {
    systemPrompt: "You run the stock of a small workshop.",
    // Only our own tools, and both may run without approval: their names are mcp__<server>__<tool>.
    tools: [],
    mcpServers: { stock: createSdkMcpServer({ name: "stock", tools: [find, reserve] }) },
    allowedTools: ["mcp__stock__find_part", "mcp__stock__reserve_part"],
  },
});

for await (const message of running) {
  if (message.type === "assistant") {
    for (const block of message.message.content) {
      if (block.type === "tool_use") console.log(`> ${block.name} ${JSON.stringify(block.input)}`);
    }
  }
  if (message.type === "result" && message.subtype === "success") console.log(message.result);
}
console.log(`In stock: ${[...stock].map(([part, count]) => `${part} ${count}`).join(", ")}`);
