// All options of a query. The program, its settings and its flags decide about options that are left out.

import type { Settings } from "@keelson/protocol";
import type { HookCallbacks } from "../hooks/callbacks.ts";
import type { McpServerConfig } from "../mcp/config.ts";
import type { CanUseTool, PermissionMode } from "../permissions/permissions.ts";
import type { SpawnedProcess, SpawnOptions } from "../process/spawn.ts";
import type { Spares } from "../start/spares.ts";
import type { SessionStore, SessionStoreFlush } from "@keelson/store/remote";
import type { AgentDefinition, EffortLevel } from "./agents.ts";
import type { OnElicitation, OnUserDialog } from "./dialogs.ts";
import type { SandboxSettings } from "./sandbox.ts";

export type { Settings };

export type SettingSource = "user" | "project" | "local";
export type SdkBeta = "context-1m-2025-08-07";

export type ThinkingAdaptive = { type: "adaptive"; display?: "summarized" | "omitted" };
export type ThinkingEnabled = { type: "enabled"; budgetTokens?: number; display?: "summarized" | "omitted" };
export type ThinkingDisabled = { type: "disabled" };
export type ThinkingConfig = ThinkingAdaptive | ThinkingEnabled | ThinkingDisabled;

export type OutputFormatType = "json_schema";
export type BaseOutputFormat = { type: OutputFormatType };
export type JsonSchemaOutputFormat = { type: "json_schema"; schema: Record<string, unknown> };
export type OutputFormat = JsonSchemaOutputFormat;

export type SdkPluginConfig = { type: "local"; path: string; skipMcpDiscovery?: boolean };
export type ToolConfig = { askUserQuestion?: { previewFormat?: "markdown" | "html" } };

export type SystemPromptOption =
  | string
  | string[]
  | { type: "custom"; prompt: string | string[]; snapshot?: boolean }
  | {
      type: "preset";
      preset: "claude_code";
      append?: string;
      excludeDynamicSections?: boolean;
      snapshot?: boolean;
    };

export type Options = {
  /** Aborting ends the program and makes the iterator throw `AbortError`. */
  abortController?: AbortController;
  /** Additional working directories; absolute paths. */
  additionalDirectories?: string[];
  /** A trusted checkout whose settings are used instead of those in `cwd`. */
  projectConfigRoot?: string;
  /** The agent to run as: its prompt, tools and model. */
  agent?: string;
  agents?: Record<string, AgentDefinition>;
  /** Rules for calls that run without approval. */
  allowedTools?: string[];
  /** Tools, or rules for calls, that never run. */
  disallowedTools?: string[];
  toolAliases?: Record<string, string>;
  /** The built-in tools to offer; an empty list offers none. */
  tools?: string[] | { type: "preset"; preset: "claude_code" };
  toolConfig?: ToolConfig;
  /** Answers permission requests. */
  canUseTool?: CanUseTool;
  permissionMode?: PermissionMode;
  /** Required for the mode "bypassPermissions". */
  allowDangerouslySkipPermissions?: boolean;
  /** An MCP tool that answers permission requests. */
  permissionPromptToolName?: string;
  /** "none": calls that need approval are denied. */
  permissionPrompts?: "host" | "none";
  planModeInstructions?: string;
  /** Continue the most recent session in this folder. */
  continue?: boolean;
  /** Continue this session. */
  resume?: string;
  /** Continue in a copy of the session. */
  forkSession?: boolean;
  /** Use this UUID for the new session. */
  sessionId?: string;
  /** With `resume`: continue after the message with this UUID. */
  resumeSessionAt?: string;
  resumeDropsTurn?: string;
  /** False: do not store a transcript. */
  persistSession?: boolean;
  /** Stores a copy of the transcript elsewhere, and resumes from there. */
  sessionStore?: SessionStore;
  sessionStoreFlush?: SessionStoreFlush;
  /** Milliseconds a store may take to load a session; 60,000 by default. */
  loadTimeoutMs?: number;
  title?: string;
  /** The working directory; the caller's by default. */
  cwd?: string;
  /** Replaces the environment; the caller's by default. */
  env?: Record<string, string | undefined>;
  /** The runtime for a program that is a script. */
  executable?: "bun" | "deno" | "node";
  executableArgs?: string[];
  /** The program. By default it is found through $KEELSON_BIN, the installed package "keelson", or $PATH. */
  pathToClaudeCodeExecutable?: string;
  /** The same as `pathToClaudeCodeExecutable`. */
  pathToKeelsonExecutable?: string;
  /** Use a process from `keepSpares()`, which decides which program runs. */
  spares?: Spares;
  /** Starts the program another way: in a container, on another machine. */
  spawnClaudeCodeProcess?: (options: SpawnOptions) => SpawnedProcess;
  /** Additional flags, without the dashes; null for flags without a value. */
  extraArgs?: Record<string, string | null>;
  model?: string;
  /** Models to use if the first is overloaded, separated by commas. */
  fallbackModel?: string;
  betas?: SdkBeta[];
  thinking?: ThinkingConfig;
  effort?: EffortLevel;
  /** @deprecated Use `thinking`. */
  maxThinkingTokens?: number;
  maxTurns?: number;
  maxBudgetUsd?: number;
  taskBudget?: { total: number };
  /** Required for `rewindFiles`. */
  enableFileCheckpointing?: boolean;
  hooks?: HookCallbacks;
  /** Answers questions from MCP servers; they are declined if absent. */
  onElicitation?: OnElicitation;
  onUserDialog?: OnUserDialog;
  supportedDialogKinds?: string[];
  perTaskStopAffordance?: boolean;
  includeHookEvents?: boolean;
  /** Also yield parts of a reply while it is being written. */
  includePartialMessages?: boolean;
  forwardSubagentText?: boolean;
  /** Keelson only: false gives every prompt its own run, also those that come during a run. */
  joinQueuedPrompts?: boolean;
  /** Send prompts as they are: no mentions, no slash commands. */
  verbatimPrompts?: boolean;
  promptSuggestions?: boolean;
  agentProgressSummaries?: boolean;
  mcpServers?: Record<string, McpServerConfig>;
  /** "initialize" sends servers outside the application over the pipe: others can read a command line. */
  mcpServersDelivery?: "argv" | "initialize";
  /** Use only these MCP servers. */
  strictMcpConfig?: boolean;
  /** A JSON Schema for the answer. */
  outputFormat?: OutputFormat;
  plugins?: SdkPluginConfig[];
  pluginDelivery?: "argv" | "initialize";
  sandbox?: SandboxSettings;
  /** Settings that override user and project settings: a path, or the settings themselves. */
  settings?: string | Settings;
  /** Settings of the policy layer; only restrictive ones apply. */
  managedSettings?: Settings;
  /** Which settings files to read; all by default. */
  settingSources?: SettingSource[];
  skills?: string[] | "all";
  /** If absent, there is no system prompt at all. The preset is the program's own. */
  systemPrompt?: SystemPromptOption;
  debug?: boolean;
  debugFile?: string;
  /** Called with what the program writes to stderr, as it arrives. */
  stderr?: (data: string) => void;
};
