// A program as it is written against the official SDK, with only the import changed. The type check is the test: what
// compiles there has to compile here.

import { expect, test } from "bun:test";
import { z } from "zod";
import * as z3 from "zod/v3";
import {
  AbortError,
  createSdkMcpServer,
  EXIT_REASONS,
  HOOK_EVENTS,
  InMemorySessionStore,
  query,
  startup,
  tool,
  type AgentDefinition,
  type CallToolResult,
  type CanUseTool,
  type HookCallback,
  type HookJSONOutput,
  type McpServerConfig,
  type ModelUsage,
  type Options,
  type PermissionMode,
  type PermissionResult,
  type PermissionUpdate,
  type PreToolUseHookInput,
  type Query,
  type SDKAssistantMessage,
  type SDKMessage,
  type SDKPartialAssistantMessage,
  type SDKResultMessage,
  type SDKSystemMessage,
  type SDKUserMessage,
  type SettingSource,
  type SlashCommand,
  type SpawnOptions,
} from "./index.ts";

const canUseTool: CanUseTool = async (toolName, input, { signal, suggestions }) => {
  if (signal.aborted) throw new AbortError("gone");
  const updatedPermissions: PermissionUpdate[] | undefined = suggestions;
  const rules = updatedPermissions?.flatMap((update) => ("rules" in update ? update.rules : []));
  rules?.push({ toolName: "Bash", ruleContent: "ls *" });
  const answer: PermissionResult =
    toolName === "Bash" && String(input["command"]).includes("rm")
      ? { behavior: "deny", message: "no", interrupt: true }
      : { behavior: "allow", updatedInput: { ...input, extra: 1 }, updatedPermissions };
  return answer;
};

const guard: HookCallback = async (input, toolUseID, { signal }): Promise<HookJSONOutput> => {
  void [toolUseID?.length, signal.aborted];
  if (input.hook_event_name !== "PreToolUse") return { continue: true };
  const { tool_name, tool_input } = input as PreToolUseHookInput;
  const path = (tool_input as { file_path?: string }).file_path ?? "";
  return {
    hookSpecificOutput: {
      hookEventName: input.hook_event_name,
      permissionDecision: path.endsWith(".env") ? "deny" : "allow",
      permissionDecisionReason: `${tool_name} on ${path}`,
    },
  };
};

const weather = tool(
  "weather",
  "Tells the weather",
  { city: z.string().describe("where"), days: z.number().optional(), unit: z.enum(["C", "F"]).default("C") },
  async ({ city, days, unit }) => {
    const typed: [string, number | undefined, "C" | "F"] = [city, days, unit];
    return { content: [{ type: "text", text: typed.join() }] };
  },
  { annotations: { readOnlyHint: true, openWorldHint: true } },
);
const older = tool("older", "d", { a: z3.string(), b: z3.array(z3.number()) }, async (args, extra) => {
  const sum: number = args.b.reduce((all, each) => all + each, args.a.length);
  const result: CallToolResult = { content: [{ type: "text", text: `${sum} ${typeof extra}` }], isError: false };
  return result;
});

const reviewer: AgentDefinition = { description: "Reviews", prompt: "Review", tools: ["Read"], model: "sonnet" };
const sources: SettingSource[] = ["user", "project"];
const mode: PermissionMode = "acceptEdits";
const servers: Record<string, McpServerConfig> = {
  here: createSdkMcpServer({ name: "here", version: "1.0.0", tools: [weather, older] }),
  files: { type: "stdio", command: "npx", args: ["-y", "server"], env: { A: "1" } },
  remote: { type: "http", url: "https://example.com/mcp", headers: { Authorization: "Bearer x" } },
};

const options: Options = {
  abortController: new AbortController(),
  agents: { reviewer },
  allowedTools: ["Read", "mcp__here__weather"],
  canUseTool,
  hooks: { PreToolUse: [{ matcher: "Write|Edit", hooks: [guard], timeout: 5 }], Stop: [{ hooks: [guard] }] },
  mcpServers: servers,
  outputFormat: { type: "json_schema", schema: z.toJSONSchema(z.object({ a: z.string() })) as Record<string, unknown> },
  permissionMode: mode,
  settingSources: sources,
  settings: { permissions: { allow: ["Bash(ls *)"] } },
  sessionStore: new InMemorySessionStore(),
  spawnClaudeCodeProcess: ({ command, args, cwd, env, signal }: SpawnOptions) => {
    throw new Error([command, ...args, cwd, env["PATH"], signal.aborted].join(" "));
  },
  systemPrompt: { type: "preset", preset: "claude_code", append: "Be brief" },
  thinking: { type: "enabled", budgetTokens: 4000 },
  tools: { type: "preset", preset: "claude_code" },
};

async function* prompts(): AsyncGenerator<SDKUserMessage> {
  yield { type: "user", session_id: "", message: { role: "user", content: "hi" }, parent_tool_use_id: null };
  const data = "iVBORw0KGgo=";
  yield {
    type: "user",
    uuid: crypto.randomUUID(),
    message: {
      role: "user",
      content: [
        { type: "text", text: "look" },
        { type: "image", source: { type: "base64", media_type: "image/png", data } },
      ],
    },
    parent_tool_use_id: null,
  };
}

function read(message: SDKMessage): string {
  switch (message.type) {
    case "assistant": {
      const { message: reply, parent_tool_use_id }: SDKAssistantMessage = message;
      for (const block of reply.content) {
        if (block.type === "text") return block.text;
        if (block.type === "tool_use") return `${block.name} ${JSON.stringify(block.input)} ${parent_tool_use_id}`;
      }
      return `${reply.usage.input_tokens + reply.usage.output_tokens}`;
    }
    case "stream_event": {
      const { event }: SDKPartialAssistantMessage = message;
      return event.type === "content_block_delta" && event.delta.type === "text_delta" ? event.delta.text : "";
    }
    case "system": {
      if (message.subtype === "init") {
        const { tools, mcp_servers, model, slash_commands }: SDKSystemMessage = message;
        return [model, ...tools, ...slash_commands, ...mcp_servers.map(({ name, status }) => name + status)].join();
      }
      if (message.subtype === "compact_boundary") return message.compact_metadata.trigger;
      return message.subtype === "task_notification" ? message.summary : message.subtype;
    }
    case "result": {
      const result: SDKResultMessage = message;
      const usage: ModelUsage[] = Object.values(result.modelUsage);
      const cost = result.total_cost_usd.toFixed(4) + usage.map(({ costUSD }) => costUSD.toFixed(2)).join();
      return result.subtype === "success" ? `${result.result} ${cost}` : result.errors.join();
    }
    default:
      return message.type;
  }
}

// Never called: it is there to be type-checked.
export async function application(): Promise<void> {
  const running: Query = query({ prompt: prompts(), options });
  for await (const message of running) {
    console.log(read(message));
    if ("result" in message) console.log(message.result);
  }
  await running.interrupt();
  await running.setPermissionMode("plan");
  await running.setModel("opus");
  const commands: SlashCommand[] = await running.supportedCommands();
  const { canRewind } = await running.rewindFiles("id", { dryRun: true });
  console.log(commands.length, canRewind, (await running.mcpServerStatus())[0]?.status);
  await using warm = await startup({ options: { maxTurns: 1 } });
  const generator: AsyncGenerator<SDKMessage, void> = warm.query("hi");
  await generator.return(undefined);
}

test("the constants are those callers compare with", () => {
  expect(HOOK_EVENTS.length).toBe(33);
  expect([...EXIT_REASONS]).toEqual(["clear", "resume", "logout", "prompt_input_exit", "other"]);
});
