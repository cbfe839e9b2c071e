// An application as people write them for the official SDK; only the import differs. It exists to be compiled: here,
// against the published package, and against the official one if it is available.

import { spawn } from "node:child_process";
import { z } from "zod";
import * as z3 from "zod/v3";
import {
  AbortError,
  createSdkMcpServer,
  deleteSession,
  EXIT_REASONS,
  foldSessionSummary,
  forkSession,
  getSessionInfo,
  getSessionMessages,
  getSubagentMessages,
  HOOK_EVENTS,
  importSessionToStore,
  InMemorySessionStore,
  listSessions,
  listSubagents,
  query,
  renameSession,
  startup,
  tagSession,
  tool,
  type AccountInfo,
  type AgentDefinition,
  type AgentInfo,
  type CanUseTool,
  type ElicitationRequest,
  type ElicitationResult,
  type HookCallback,
  type HookCallbackMatcher,
  type HookEvent,
  type HookInput,
  type HookJSONOutput,
  type McpHttpServerConfig,
  type McpServerConfig,
  type McpServerStatus,
  type McpStdioServerConfig,
  type ModelInfo,
  type ModelUsage,
  type Options,
  type PermissionMode,
  type PermissionResult,
  type PermissionUpdate,
  type PostToolUseHookInput,
  type PreToolUseHookInput,
  type Query,
  type RewindFilesResult,
  type SDKAssistantMessage,
  type SDKMessage,
  type SDKPartialAssistantMessage,
  type SDKResultMessage,
  type SDKSessionInfo,
  type SDKSystemMessage,
  type SDKUserMessage,
  type SessionKey,
  type SessionMessage,
  type SessionStore,
  type SessionStoreEntry,
  type SettingSource,
  type SlashCommand,
  type SpawnedProcess,
  type SpawnOptions,
  type SyncHookJSONOutput,
  type ThinkingConfig,
  type WarmQuery,
} from "./index.ts";
import type { BashInput, BashOutput, FileEditInput, FileWriteInput, GrepInput } from "./tool-types/sdk-tools.ts";

export const canUseTool: CanUseTool = async (name, input, { signal, suggestions, blockedPath, toolUseID, agentID }) => {
  if (signal.aborted) throw new AbortError("gone");
  const always: PermissionUpdate[] = suggestions ?? [
    { type: "addRules", rules: [{ toolName: name, ruleContent: "ls *" }], behavior: "allow", destination: "session" },
    { type: "setMode", mode: "acceptEdits", destination: "session" },
    { type: "addDirectories", directories: ["/tmp"], destination: "localSettings" },
  ];
  if (name === "Bash" && (input as unknown as BashInput).command.includes("curl")) {
    return { behavior: "deny", message: `${blockedPath ?? ""} ${toolUseID} ${agentID ?? ""}`, interrupt: false };
  }
  const answer: PermissionResult = { behavior: "allow", updatedInput: input, updatedPermissions: always };
  return answer;
};

const guard: HookCallback = async (input, toolUseID, { signal }): Promise<HookJSONOutput> => {
  if (signal.aborted) return { continue: false, stopReason: toolUseID ?? "stopped" };
  switch (input.hook_event_name) {
    case "PreToolUse": {
      const { tool_name, tool_input }: PreToolUseHookInput = input;
      const path =
        tool_name === "Edit" ? (tool_input as FileEditInput).file_path : (tool_input as FileWriteInput).content;
      return {
        hookSpecificOutput: {
          hookEventName: input.hook_event_name,
          permissionDecision: path.endsWith(".env") ? "deny" : "ask",
          permissionDecisionReason: `${tool_name} on ${path}`,
          updatedInput: { file_path: path },
        },
      };
    }
    case "PostToolUse": {
      const { tool_response, tool_use_id }: PostToolUseHookInput = input;
      const additionalContext = `${tool_use_id} ${(tool_response as BashOutput).stdout}`;
      return { hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext } };
    }
    case "UserPromptSubmit":
      return { decision: "block", reason: input.prompt, suppressOutput: true };
    case "SessionStart":
      return { hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: input.source } };
    case "Stop":
      return { systemMessage: String(input.stop_hook_active) };
    case "Notification":
      return { async: true, asyncTimeout: input.message.length };
    default: {
      const nothing: SyncHookJSONOutput = {};
      return nothing;
    }
  }
};

/** One callback for all events. */
export function watchAll(saw: (input: HookInput) => void): Partial<Record<HookEvent, HookCallbackMatcher[]>> {
  const hooks: HookCallback[] = [async (input) => (saw(input), {})];
  return Object.fromEntries(HOOK_EVENTS.map((event) => [event, [{ hooks }]]));
}

const forecast = tool(
  "forecast",
  "Tells the weather",
  { city: z.string().describe("where"), days: z.number().optional(), unit: z.enum(["C", "F"]).default("C") },
  async ({ city, days, unit }) => {
    const typed: [string, number | undefined, "C" | "F"] = [city, days, unit];
    return { content: [{ type: "text", text: typed.join() }] };
  },
  { annotations: { readOnlyHint: true, openWorldHint: true } },
);
const older = tool("older", "Adds", { a: z3.string(), b: z3.array(z3.number()) }, async (args, extra) => {
  const sum: number = args.b.reduce((all, each) => all + each, args.a.length);
  return { content: [{ type: "text", text: `${sum} ${typeof extra}` }], isError: false };
});
export const weather = createSdkMcpServer({ name: "weather", version: "1.0.0", tools: [forecast, older] });

const local: McpStdioServerConfig = { type: "stdio", command: "npx", args: ["-y", "server"], env: { A: "1" } };
const remote: McpHttpServerConfig = { type: "http", url: "https://example.com/mcp", headers: { Authorization: "x" } };
const servers: Record<string, McpServerConfig> = { weather, local, remote };
const reviewer: AgentDefinition = { description: "Reviews", prompt: "Review", tools: ["Read"], model: "sonnet" };
const sources: SettingSource[] = ["user", "project", "local"];
const mode: PermissionMode = "acceptEdits";
const thinking: ThinkingConfig = { type: "enabled", budgetTokens: 4000 };

class ListStore implements SessionStore {
  readonly lists = new Map<string, SessionStoreEntry[]>();
  async append({ projectKey, sessionId, subpath = "" }: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    const name = [projectKey, sessionId, subpath].join("/");
    this.lists.set(name, [...(this.lists.get(name) ?? []), ...entries]);
  }
  async load({ projectKey, sessionId, subpath = "" }: SessionKey): Promise<SessionStoreEntry[] | null> {
    return this.lists.get([projectKey, sessionId, subpath].join("/")) ?? null;
  }
}

export const options: Options = {
  abortController: new AbortController(),
  additionalDirectories: ["/srv/shared"],
  agents: { reviewer },
  allowedTools: ["Read", "mcp__weather__forecast"],
  canUseTool,
  continue: false,
  cwd: "/srv/project",
  disallowedTools: ["WebSearch"],
  enableFileCheckpointing: true,
  env: { ...process.env, A: undefined },
  executable: "node",
  executableArgs: [],
  extraArgs: { "no-such-flag": null, flag: "value" },
  fallbackModel: "haiku",
  forkSession: true,
  hooks: { PreToolUse: [{ matcher: "Write|Edit", hooks: [guard], timeout: 5 }], Stop: [{ hooks: [guard] }] },
  includePartialMessages: true,
  maxBudgetUsd: 1.5,
  maxTurns: 10,
  mcpServers: servers,
  model: "sonnet",
  onElicitation: async (request: ElicitationRequest): Promise<ElicitationResult> => ({
    action: request.message === "" ? "decline" : "accept",
    content: {},
  }),
  outputFormat: { type: "json_schema", schema: z.toJSONSchema(z.object({ a: z.string() })) as Record<string, unknown> },
  pathToClaudeCodeExecutable: "/usr/local/bin/program",
  permissionMode: mode,
  persistSession: true,
  plugins: [{ type: "local", path: "./plugin" }],
  resume: "11111111-2222-4333-8444-555555555555",
  resumeSessionAt: "11111111-2222-4333-8444-666666666666",
  sandbox: { enabled: true, network: { allowedDomains: ["example.com"] }, filesystem: { denyRead: ["~/.ssh"] } },
  sessionStore: new InMemorySessionStore(),
  settings: { permissions: { allow: ["Bash(ls *)"], deny: ["Read(.env)"] }, env: { B: "2" } },
  settingSources: sources,
  spawnClaudeCodeProcess: ({ command, args, cwd, env, signal }: SpawnOptions): SpawnedProcess =>
    spawn(command, args, { cwd, env, signal, stdio: ["pipe", "pipe", "ignore"] }) as unknown as SpawnedProcess,
  stderr: (text) => process.stderr.write(text),
  strictMcpConfig: true,
  systemPrompt: { type: "preset", preset: "claude_code", append: "Be brief" },
  thinking,
  tools: { type: "preset", preset: "claude_code" },
};

async function* prompts(): AsyncGenerator<SDKUserMessage> {
  yield { type: "user", session_id: "", message: { role: "user", content: "hi" }, parent_tool_use_id: null };
  const data = "iVBORw0KGgo=";
  yield {
    type: "user",
    message: {
      role: "user",
      content: [
        { type: "text", text: "look" },
        { type: "image", source: { type: "base64", media_type: "image/png", data } },
      ],
    },
    parent_tool_use_id: null,
    priority: "next",
  };
}

export function tell(message: SDKMessage): string {
  switch (message.type) {
    case "assistant": {
      const { message: reply, parent_tool_use_id }: SDKAssistantMessage = message;
      for (const block of reply.content) {
        if (block.type === "text") return block.text;
        if (block.type === "thinking") return block.thinking;
        if (block.type === "tool_use") {
          return `${block.name} ${(block.input as GrepInput).pattern} ${parent_tool_use_id}`;
        }
      }
      return `${reply.usage.input_tokens + reply.usage.output_tokens}`;
    }
    case "user":
      return typeof message.message.content === "string" ? message.message.content : "";
    case "stream_event": {
      const { event }: SDKPartialAssistantMessage = message;
      return event.type === "content_block_delta" && event.delta.type === "text_delta" ? event.delta.text : "";
    }
    case "system": {
      if (message.subtype === "init") {
        const { tools, mcp_servers, model, slash_commands, permissionMode, session_id }: SDKSystemMessage = message;
        const names = mcp_servers.map(({ name, status }) => `${name} ${status}`);
        return [session_id, model, permissionMode, ...tools, ...slash_commands, ...names].join();
      }
      if (message.subtype === "compact_boundary") return message.compact_metadata.trigger;
      if (message.subtype === "hook_response") return message.hook_name + message.stdout;
      return message.subtype === "task_notification" ? message.summary : message.subtype;
    }
    case "result": {
      const result: SDKResultMessage = message;
      const usage: ModelUsage[] = Object.values(result.modelUsage);
      const cost = result.total_cost_usd.toFixed(4) + usage.map(({ costUSD }) => costUSD.toFixed(2)).join();
      const denied = result.permission_denials.map(({ tool_name, tool_use_id }) => tool_name + tool_use_id).join();
      if (result.subtype !== "success") return result.errors.join();
      return `${result.result} ${JSON.stringify(result.structured_output)} ${result.num_turns} ${cost} ${denied}`;
    }
    case "tool_progress":
      return `${message.tool_name} ${message.elapsed_time_seconds}`;
    default:
      return message.type;
  }
}

/** Reads a conversation and calls every method of the query. */
export async function application(): Promise<string[]> {
  const running: Query = query({ prompt: prompts(), options });
  const lines: string[] = [];
  for await (const message of running) {
    lines.push(tell(message));
    if ("result" in message) break;
  }
  await running.interrupt();
  await running.setPermissionMode("plan");
  await running.setModel("opus");
  await running.setModel();
  await running.setMaxThinkingTokens(null);
  await running.applyFlagSettings({ model: "haiku" });
  const commands: SlashCommand[] = await running.supportedCommands();
  const models: ModelInfo[] = await running.supportedModels();
  const agents: AgentInfo[] = await running.supportedAgents();
  const account: AccountInfo = await running.accountInfo();
  const { output_style } = await running.initializationResult();
  lines.push(output_style, account.apiProvider ?? "", ...[...commands, ...agents].map(({ name }) => name));
  lines.push(...models.map(({ value, displayName }) => value + displayName));
  const status: McpServerStatus[] = await running.mcpServerStatus();
  await running.reconnectMcpServer("local");
  await running.toggleMcpServer("local", status[0]?.status === "connected");
  const { added, removed, errors } = await running.setMcpServers({ weather, remote });
  lines.push(...added, ...removed, ...Object.keys(errors));
  const { totalTokens, categories } = await running.getContextUsage();
  lines.push(String(totalTokens), ...categories.map(({ name, tokens }) => name + tokens));
  const rewound: RewindFilesResult = await running.rewindFiles("id", { dryRun: true });
  lines.push(String(rewound.canRewind), ...(rewound.filesChanged ?? []), String(rewound.insertions));
  await running.streamInput(prompts());
  await running.stopTask("b1");
  running.close();
  return lines;
}

export async function sessions(store: SessionStore = new ListStore()): Promise<void> {
  const dir = "/srv/project";
  const list: SDKSessionInfo[] = await listSessions({ dir, limit: 10 });
  for (const { sessionId, summary, lastModified, firstPrompt, tag } of list) {
    const info = await getSessionInfo(sessionId, { dir });
    console.log(info?.customTitle, summary, lastModified, firstPrompt, tag);
    const messages: SessionMessage[] = await getSessionMessages(sessionId, { dir, limit: 5, offset: 1 });
    console.log(messages.map(({ type, uuid, session_id, message }) => [type, uuid, session_id, message]));
    for (const agent of await listSubagents(sessionId, { dir })) await getSubagentMessages(sessionId, agent, { dir });
    await renameSession(sessionId, "A title", { dir });
    await tagSession(sessionId, null, { dir });
    const { sessionId: copy } = await forkSession(sessionId, { dir, title: "A copy" });
    await importSessionToStore(sessionId, store, { dir });
    await deleteSession(copy, { dir });
  }
  const key: SessionKey = { projectKey: "-srv-project", sessionId: "11111111-2222-4333-8444-555555555555" };
  console.log(foldSessionSummary(undefined, key, [{ type: "user" }]).mtime, EXIT_REASONS.includes("other"));
}

export async function warm(): Promise<void> {
  await using ready: WarmQuery = await startup({ options: { maxTurns: 1 }, initializeTimeoutMs: 5_000 });
  const generator: AsyncGenerator<SDKMessage, void> = ready.query("hi");
  await generator.return(undefined);
}
