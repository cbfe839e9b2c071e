// Connects to a hostile server, calls a tool, and prints what came of it and how much memory that took.

import { join } from "node:path";
import { createServerPrograms } from "@keelson/host/servers";
import { McpConnection, stdioTransport } from "@keelson/mcp";

const [how = ""] = process.argv.slice(2);
const programs = createServerPrograms();
const program = programs.start({
  command: process.execPath,
  args: [join(import.meta.dir, "hostile-main.ts"), how],
  cwd: import.meta.dir,
  env: { PATH: process.env["PATH"] ?? "" },
});
const problems: string[] = [];
const connection = new McpConnection({
  name: "h",
  timeoutMs: 60_000,
  callTimeoutMs: how.startsWith("endless-") || how === "deaf" ? 1_500 : 60_000,
  transport: stdioTransport(() => program),
  handlers: { "elicitation/create": () => new Promise(() => undefined) },
  onProblem: (problem) => problems.push(problem),
});

const before = process.memoryUsage().rss;
let most = before;
const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 5);

await connection.open();
const signal = new AbortController().signal;
const input = how === "deaf" ? { text: "x".repeat(3 * 1024 * 1024) } : {};
const calls = how === "deaf" ? 20 : 1;
const results = await Promise.allSettled(
  Array.from({ length: calls }, async () => await connection.call(connection.tools[0]!.facts.name, input, { signal })),
);
const { status, error, facts, tools } = connection;
const [first] = results;
const result =
  first?.status === "fulfilled" ? JSON.stringify(first.value?.blocks).slice(0, 200) : String(first?.reason?.message);
const stderrLength = (await program).stderr().length;
await connection.close();
await programs.close();
clearInterval(watch);
console.log(
  JSON.stringify({
    status,
    error,
    name: facts?.serverInfo?.name,
    tools: tools.slice(0, 10).map(({ tool, facts: { title } }) => [tool.name, tool.description.slice(0, 80), title]),
    count: tools.length,
    problems,
    result,
    refused: results.filter((each) => each.status === "rejected" && /does not read/.test(each.reason.message)).length,
    stderrLength,
    grownMb: Math.round((most - before) / 1_000_000),
  }),
);
