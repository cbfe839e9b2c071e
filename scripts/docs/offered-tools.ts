// The definitions of all tools, as the program sends them to a model: sessions in which everything is set up, against a
// mock model on this machine.

import { startKeelson, startMockModel, temporaryHome } from "@keelson/testkit";

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly input_schema: {
    readonly properties?: Record<string, any>;
    readonly required?: readonly string[];
    readonly additionalProperties?: boolean;
  };
}

const EVERYTHING = {
  CLAUDE_CODE_USE_POWERSHELL_TOOL: "1",
  CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: "1",
  CLAUDE_CODE_ENABLE_TASKS: "1",
  ENABLE_TOOL_SEARCH: "false",
  KEELSON_ROUTINES_URL: "http://127.0.0.1:1",
};
const SETTINGS = {
  agentPushNotifEnabled: true,
  permissions: { allow: ["ReportFindings"] },
  onboarding: { url: "http://127.0.0.1:1" },
  lspServers: { docs: { command: "/bin/false", extensionToLanguage: { ".docs": "docs" } } },
};
/** Deferred tools, and the other list of tasks. */
const OTHERS = { CLAUDE_CODE_ENABLE_TASKS: "0", ENABLE_TOOL_SEARCH: "true" };

/** Answers as an MCP server that has a tool and a resource. */
const SERVER = `for await (const line of console) {
  const { id, method } = JSON.parse(line);
  const answers = {
    initialize: {
      protocolVersion: "2025-06-18",
      serverInfo: { name: "docs", version: "1" },
      capabilities: { tools: {}, resources: {} },
    },
    "tools/list": { tools: [{ name: "ping", inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: "pong" }] },
    "resources/list": { resources: [{ uri: "docs://a", name: "a" }] },
  };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: answers[method] ?? {} }));
}`;

/** Sorted by name. Tools of MCP servers are not built in. */
export async function offeredTools(): Promise<ToolDefinition[]> {
  const runs = await Promise.all([toolsWith(EVERYTHING), toolsWith(OTHERS)]);
  const byName = new Map(runs.flat().map((tool) => [tool.name, tool]));
  return [...byName.values()]
    .filter(({ name }) => !name.startsWith("mcp__"))
    .sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
}

async function toolsWith(env: Record<string, string>): Promise<ToolDefinition[]> {
  using home = temporaryHome();
  home.settings(SETTINGS);
  home.write("server.mjs", SERVER);
  const mcp = { mcpServers: { docs: { command: process.execPath, args: [`${home.project}/server.mjs`] } } };
  // A call of its tool waits for the server, so the next request has all tools.
  const ping = { calls: [{ name: "mcp__docs__ping", input: {} }] };
  await using model = await startMockModel([
    ping,
    { calls: [{ name: "StructuredOutput", input: {} }] },
    { text: "done" },
  ]);
  const stream = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
  const flags = [...stream, "--permission-prompt-tool", "stdio", "--json-schema", '{"type":"object"}'];
  const arguments_ = [...flags, "--mcp-config", JSON.stringify(mcp), "--allowedTools", "mcp__docs"];
  await using running = startKeelson(arguments_, { home, url: model.url, stdin: "open", env });
  running.send({ type: "user", message: { role: "user", content: "go" }, parent_tool_use_id: null });
  await running.waitForLine(({ type }) => type === "result");
  running.closeStdin();
  await running.done;
  return model.requests[1]!.body.tools;
}
