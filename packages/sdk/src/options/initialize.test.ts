import { expect, test } from "bun:test";
import { createSdkMcpServer } from "../mcp/server.ts";
import { createCaller } from "../control/caller.ts";
import type { Options } from "./options.ts";

const initialize = (options: Options) => createCaller(options, async () => undefined).initialize();

const schema = { type: "object" };
const agent = { description: "d", prompt: "p" };
const plugin = { type: "local", path: "/p" } as const;
const nothing = async () => null;

const cases: [Options, object][] = [
  [{}, { systemPrompt: [""] }],
  [{ systemPrompt: "be brief" }, { systemPrompt: ["be brief"] }],
  [{ systemPrompt: ["a", "b"] }, { systemPrompt: ["a", "b"] }],
  [
    { systemPrompt: { type: "custom", prompt: "p", snapshot: true } },
    { systemPrompt: ["p"], systemPromptSnapshot: true },
  ],
  [{ systemPrompt: { type: "preset", preset: "claude_code" } }, {}],
  [
    {
      systemPrompt: {
        type: "preset",
        preset: "claude_code",
        append: "and",
        excludeDynamicSections: true,
        snapshot: false,
      },
    },
    { appendSystemPrompt: "and", excludeDynamicSections: true, systemPromptSnapshot: false },
  ],
  [{ agents: { x: agent } }, { systemPrompt: [""], agents: { x: agent } }],
  [{ outputFormat: { type: "json_schema", schema } }, { systemPrompt: [""], jsonSchema: schema }],
  [{ skills: ["a"] }, { systemPrompt: [""], skills: ["a"] }],
  [{ skills: "all" }, { systemPrompt: [""] }],
  [{ plugins: [plugin] }, { systemPrompt: [""] }],
  [
    { plugins: [plugin], pluginDelivery: "initialize" },
    { systemPrompt: [""], plugins: [plugin] },
  ],
  [
    {
      mcpServers: {
        calc: createSdkMcpServer({ name: "c" }),
        slow: createSdkMcpServer({ name: "s", timeout: 5000 }),
        x: { command: "x" },
      },
    },
    { systemPrompt: [""], sdkMcpServers: ["calc", "slow"], sdkMcpServerConfigs: { slow: { timeout: 5000 } } },
  ],
  [
    {
      mcpServers: { calc: createSdkMcpServer({ name: "c" }), x: { command: "x", env: { KEY: "1" } } },
      mcpServersDelivery: "initialize",
    },
    { systemPrompt: [""], sdkMcpServers: ["calc"], mcpServers: { x: { command: "x", env: { KEY: "1" } } } },
  ],
  [{ mcpServersDelivery: "initialize" }, { systemPrompt: [""] }],
  [
    {
      toolAliases: { Shell: "Bash" },
      planModeInstructions: "plan",
      title: "t",
      promptSuggestions: true,
      agentProgressSummaries: true,
      forwardSubagentText: true,
      supportedDialogKinds: ["k"],
      onUserDialog: nothing,
      perTaskStopAffordance: true,
      canUseTool: nothing,
      onElicitation: nothing,
    },
    {
      systemPrompt: [""],
      toolAliases: { Shell: "Bash" },
      planModeInstructions: "plan",
      title: "t",
      promptSuggestions: true,
      agentProgressSummaries: true,
      forwardSubagentText: true,
      supportedDialogKinds: ["k"],
      perTaskStopAffordance: true,
    },
  ],
];

test.each(cases)("initialize(%j)", (options, fields) => {
  // As sent over the wire: fields without a value are absent.
  expect(JSON.parse(JSON.stringify(initialize(options)))).toEqual(fields);
});
