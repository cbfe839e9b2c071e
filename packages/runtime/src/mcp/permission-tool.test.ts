import { expect, test } from "bun:test";
import type { McpStage } from "./open-servers.ts";
import { askPromptTool } from "./permission-tool.ts";

const question = { subtype: "can_use_tool", tool_name: "Bash", input: {}, tool_use_id: "t1" } as const;
const yes = { blocks: [{ type: "text", text: '{"behavior":"allow"}' }], isError: false };

test.each([
  [{ untrusted: true }, { error: expect.stringContaining("is from a folder that is not trusted") }],
  [{}, { response: { behavior: "allow" } }],
])("a server of an untrusted folder answers no permission questions: %j", async (configured, expected) => {
  const server = { definition: { configured }, call: async () => yes };
  const offered = new Map([["mcp__p__ask", { server, facts: { name: "ask" } }]]);
  const mcp = { servers: { awaitTool: () => undefined, offered } } as unknown as McpStage;
  const answer = askPromptTool("mcp__p__ask", mcp)(question as never, new AbortController().signal);
  expect(await answer).toMatchObject(expected);
});
