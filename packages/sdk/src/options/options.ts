// Everything a query can be told. What is left out is for the program, its settings and its flags to decide.

import type { Settings } from "@keelson/protocol";
import type { HookCallbacks } from "../hooks/callbacks.ts";
import type { McpServerConfig } from "../mcp/config.ts";
import type { CanUseTool, PermissionMode } from "../permissions/permissions.ts";
import type { SpawnedProcess, SpawnOptions } from "../process/spawn.ts";
import type { Spares } from "../spares.ts";
import type { SessionStore, SessionStoreFlush } from "../stores/session-store.ts";
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
  /** Further folders to work in; absolute paths. */
  additionalDirectories?: string[];
  /** A trusted checkout whose settings are used instead of those of `cwd`. */
  projectConfigRoot?: string;
  /** The agent to be: its prompt, tools and model. */
  agent?: string;
  agents?: Record<string, AgentDefinition>;
  /** Rules for what runs unasked. */
  allowedTools?: string[];
  /** Tools, or rules, that never run. */
  disallowedTools?: string[];
  toolAliases?: Record<string, string>;
  /** The built-in tools to offer; none with an empty list. */
  tools?: string[] | { type: "preset"; preset: "claude_code" };
  toolConfig?: ToolConfig;
  /** Answers permission questions. */
  canUseTool?: CanUseTool;
  permissionMode?: PermissionMode;
  /** Needed for the mode "bypassPermissions". */
  allowDangerouslySkipPermissions?: boolean;
  /** An MCP tool that answers permission questions. */
  permissionPromptToolName?: string;
  /** "none": what would be asked is denied. */
  permissionPrompts?: "host" | "none";
  planModeInstructions?: string;
  /** Go on with the last session of the folder. */
  continue?: boolean;
  /** Go on with this session. */
  resume?: string;
  /** Go on in a copy. */
  forkSession?: boolean;
  /** The id a new session shall have; a UUID. */
  sessionId?: string;
  /** With `resume`: go on after the message with this UUID. */
  resumeSessionAt?: string;
  resumeDropsTurn?: string;
  /** False: keep no transcript. */
  persistSession?: boolean;
  /** Keeps a copy of the transcript elsewhere, and resumes from there. */
  sessionStore?: SessionStore;
  sessionStoreFlush?: SessionStoreFlush;
  /** Milliseconds a store may take to load a session; 60,000 when absent. */
  loadTimeoutMs?: number;
  title?: string;
  /** Where to work; the caller's own folder when absent. */
  cwd?: string;
  /** Replaces the environment; the caller's own when absent. */
  env?: Record<string, string | undefined>;
  /** What runs a program that is a script. */
  executable?: "bun" | "deno" | "node";
  executableArgs?: string[];
  /** The program. Found by itself when absent: $KEELSON_BIN, the installed package "keelson", $PATH. */
  pathToClaudeCodeExecutable?: string;
  /** The same, by its own name. */
  pathToKeelsonExecutable?: string;
  /** Takes a program that was kept ready, made by `keepSpares()`; which program it is was said there. */
  spares?: Spares;
  /** Starts the program some other way: in a container, on another machine. */
  spawnClaudeCodeProcess?: (options: SpawnOptions) => SpawnedProcess;
  /** Further flags, without the dashes; null for flags without a value. */
  extraArgs?: Record<string, string | null>;
  model?: string;
  /** Models to turn to when the first is overloaded, comma-separated. */
  fallbackModel?: string;
  betas?: SdkBeta[];
  thinking?: ThinkingConfig;
  effort?: EffortLevel;
  /** @deprecated Use `thinking`. */
  maxThinkingTokens?: number;
  maxTurns?: number;
  maxBudgetUsd?: number;
  taskBudget?: { total: number };
  /** Needed for `rewindFiles`. */
  enableFileCheckpointing?: boolean;
  hooks?: HookCallbacks;
  /** Answers questions of MCP servers; declined when absent. */
  onElicitation?: OnElicitation;
  onUserDialog?: OnUserDialog;
  supportedDialogKinds?: string[];
  perTaskStopAffordance?: boolean;
  includeHookEvents?: boolean;
  /** Also the pieces of a reply while it is being written. */
  includePartialMessages?: boolean;
  forwardSubagentText?: boolean;
  /** Prompts as they are: no mentions, no slash commands. */
  verbatimPrompts?: boolean;
  promptSuggestions?: boolean;
  agentProgressSummaries?: boolean;
  mcpServers?: Record<string, McpServerConfig>;
  /** Only these MCP servers. */
  strictMcpConfig?: boolean;
  /** A JSON Schema the answer has to fit. */
  outputFormat?: OutputFormat;
  plugins?: SdkPluginConfig[];
  pluginDelivery?: "argv" | "initialize";
  sandbox?: SandboxSettings;
  /** Settings above those of user and project: a path, or the settings themselves. */
  settings?: string | Settings;
  /** Settings of the policy layer; only those that restrict count. */
  managedSettings?: Settings;
  /** Which settings files to read; all of them when absent. */
  settingSources?: SettingSource[];
  skills?: string[] | "all";
  /** Absent: no system prompt at all. The preset is the program's own. */
  systemPrompt?: SystemPromptOption;
  debug?: boolean;
  debugFile?: string;
  /** Gets what the program writes to standard error, as it comes. */
  stderr?: (data: string) => void;
};
