import { expect, test } from "bun:test";
import { createSdkMcpServer } from "../mcp/server.ts";
import { toArguments } from "./arguments.ts";
import type { Options } from "./options.ts";

const STREAM = ["--output-format", "stream-json", "--verbose", "--input-format", "stream-json"];

const cases: [Options, string[]][] = [
  [{}, []],
  [{ additionalDirectories: ["/a", "/b c"] }, ["--add-dir=/a", "--add-dir=/b c"]],
  [{ agent: "reviewer" }, ["--agent=reviewer"]],
  [{ allowedTools: ["Read", "Bash(git *)"] }, ["--allowedTools=Read,Bash(git *)"]],
  [{ disallowedTools: ["Write", "Edit"] }, ["--disallowedTools=Write,Edit"]],
  [{ allowedTools: [], disallowedTools: [] }, []],
  [{ tools: ["Bash", "Read"] }, ["--tools=Bash,Read"]],
  [{ tools: [] }, ["--tools="]],
  [{ tools: { type: "preset", preset: "claude_code" } }, ["--tools=default"]],
  [{ canUseTool: async () => null }, ["--permission-prompt-tool=stdio"]],
  [{ permissionPromptToolName: "mcp__a__b" }, ["--permission-prompt-tool=mcp__a__b"]],
  [{ permissionPrompts: "none" }, ["--permission-prompts=none"]],
  [{ permissionPrompts: "host" }, []],
  [{ permissionMode: "plan" }, ["--permission-mode=plan"]],
  [{ allowDangerouslySkipPermissions: true }, ["--allow-dangerously-skip-permissions"]],
  [{ continue: true }, ["--continue"]],
  [{ resume: "id", forkSession: true, sessionId: "new" }, ["--resume=id", "--fork-session", "--session-id=new"]],
  [{ resume: "id", resumeSessionAt: "m" }, ["--resume=id", "--resume-session-at=m"]],
  [{ resumeDropsTurn: "t" }, ["--resume-drops-turn=t"]],
  [{ persistSession: false }, ["--no-session-persistence"]],
  [{ persistSession: true }, []],
  [{ sessionStore: { append: async () => {}, load: async () => null } }, ["--session-mirror"]],
  [{ model: "opus", fallbackModel: "sonnet,haiku" }, ["--model=opus", "--fallback-model=sonnet,haiku"]],
  [{ betas: ["context-1m-2025-08-07"] }, ["--betas=context-1m-2025-08-07"]],
  [{ thinking: { type: "adaptive" } }, ["--thinking=adaptive"]],
  [{ thinking: { type: "disabled" } }, ["--thinking=disabled"]],
  [{ thinking: { type: "enabled" } }, ["--thinking=enabled"]],
  [{ thinking: { type: "enabled", budgetTokens: 0 } }, ["--max-thinking-tokens=0"]],
  [
    { thinking: { type: "enabled", budgetTokens: 9, display: "summarized" }, maxThinkingTokens: 5 },
    ["--max-thinking-tokens=9", "--thinking-display=summarized"],
  ],
  [{ maxThinkingTokens: 5 }, ["--max-thinking-tokens=5"]],
  [{ effort: "xhigh" }, ["--effort=xhigh"]],
  [
    { maxTurns: 3, maxBudgetUsd: 0.5, taskBudget: { total: 100 } },
    ["--max-turns=3", "--max-budget-usd=0.5", "--task-budget=100"],
  ],
  [
    { mcpServers: { a: { command: "x", args: ["y"] }, here: createSdkMcpServer({ name: "here" }) } },
    ["--mcp-config", '{"mcpServers":{"a":{"command":"x","args":["y"]}}}'],
  ],
  [{ mcpServers: { here: createSdkMcpServer({ name: "here" }) } }, []],
  [{ strictMcpConfig: true }, ["--strict-mcp-config"]],
  [{ outputFormat: { type: "json_schema", schema: { type: "object" } } }, ['--json-schema={"type":"object"}']],
  [{ settings: "/a/settings.json" }, ["--settings", "/a/settings.json"]],
  [{ settings: { model: "m" } }, ["--settings", '{"model":"m"}']],
  [{ sandbox: { enabled: true } }, ["--settings", '{"sandbox":{"enabled":true,"failIfUnavailable":true}}']],
  [
    { settings: '{"sandbox":{"enabled":false}}', sandbox: { enabled: true, failIfUnavailable: false } },
    ["--settings", '{"sandbox":{"enabled":true,"failIfUnavailable":false}}'],
  ],
  [
    { managedSettings: { permissions: { deny: ["Bash"] } } },
    ["--managed-settings", '{"permissions":{"deny":["Bash"]}}'],
  ],
  [{ settingSources: ["user", "project"] }, ["--setting-sources=user,project"]],
  [{ settingSources: [] }, ["--setting-sources="]],
  [
    {
      plugins: [
        { type: "local", path: "/p" },
        { type: "local", path: "/q", skipMcpDiscovery: true },
      ],
    },
    ["--plugin-dir=/p", "--plugin-dir-no-mcp=/q"],
  ],
  [{ plugins: [{ type: "local", path: "/p" }], pluginDelivery: "initialize" }, ["--await-initialize"]],
  [{ mcpServers: { x: { command: "x" } }, mcpServersDelivery: "initialize" }, ["--await-initialize"]],
  [{ mcpServersDelivery: "initialize" }, []],
  [{ skills: "all" }, ["--allowedTools=Skill"]],
  [{ skills: ["a", "b"], allowedTools: ["Read"] }, ["--allowedTools=Read,Skill(a),Skill(b)"]],
  [{ includePartialMessages: true, includeHookEvents: true }, ["--include-partial-messages", "--include-hook-events"]],
  [{ debug: true, debugFile: "/d" }, ["--debug", "--debug-file=/d"]],
  [{ projectConfigRoot: "/r" }, ["--project-config-root=/r"]],
  [{ extraArgs: { bare: null, name: "n" } }, ["--bare", "--name", "n"]],
  [
    {
      systemPrompt: "p",
      agents: {},
      hooks: {},
      toolAliases: {},
      planModeInstructions: "i",
      title: "t",
      promptSuggestions: true,
      agentProgressSummaries: true,
      forwardSubagentText: true,
      perTaskStopAffordance: true,
      onElicitation: async () => null,
      verbatimPrompts: true,
    },
    [],
  ],
];

test.each(cases)("toArguments(%j)", (options, flags) => {
  expect(toArguments(options)).toEqual([...STREAM, ...flags]);
});
