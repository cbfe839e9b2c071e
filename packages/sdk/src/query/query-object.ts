// What `query()` returns: the messages, and everything you can ask of a running session.

import type { Settings } from "@keelson/protocol";
import type {
  AccountInfo,
  AgentInfo,
  ModelInfo,
  RewindFilesResult,
  SDKControlGetContextUsageResponse,
  SDKControlGetUsageResponse,
  SDKControlInitializeResponse,
  SDKControlInterruptResponse,
  SDKControlMcpAuthenticateResponse,
  SDKControlMcpListResourcesResponse,
  SDKControlMcpReadResourceResponse,
  SDKControlReadFileResponse,
  SDKControlReloadOutputStylesResponse,
  SDKControlReloadPluginsResponse,
  SDKControlReloadSkillsResponse,
  SDKControlCompactConversationResponse,
  SDKControlRewindConversationResponse,
  SDKControlRunShellCommandResponse,
  SDKControlUpdatePermissionsResponse,
  SlashCommand,
} from "../control/replies.ts";
import type { McpServerConfig, McpServerStatus, McpSetServersResult } from "../mcp/config.ts";
import type { SDKMessage, SDKUserMessage } from "../messages/messages.ts";
import type { PermissionMode, PermissionUpdate } from "../permissions/permissions.ts";

/** Requests that the program refuses reject with ControlRequestError. */
export interface Query extends AsyncGenerator<SDKMessage, void> {
  /** Stops the current run; queued prompts stay queued. */
  interrupt(): Promise<SDKControlInterruptResponse | undefined>;
  setPermissionMode(mode: PermissionMode): Promise<void>;
  /** Without a model, restores the default. */
  setModel(model?: string): Promise<void>;
  /** @deprecated Use the option `thinking`. */
  setMaxThinkingTokens(maxThinkingTokens: number | null, display?: "summarized" | "omitted"): Promise<void>;
  setMcpPermissionModeOverride(serverName: string, mode: "default" | "auto" | null): Promise<{ warning?: string }>;
  /** Changes settings of this session; null resets one. */
  applyFlagSettings(settings: { [Key in keyof Settings]?: Settings[Key] | null }): Promise<void>;
  /** Writes settings to a file. */
  updateSettings(
    source: "userSettings" | "projectSettings" | "localSettings",
    settings: Record<string, unknown>,
  ): Promise<void>;
  initializationResult(): Promise<SDKControlInitializeResponse>;
  reinitialize(): Promise<SDKControlInitializeResponse>;
  supportedCommands(): Promise<SlashCommand[]>;
  supportedModels(): Promise<ModelInfo[]>;
  supportedAgents(): Promise<AgentInfo[]>;
  accountInfo(): Promise<AccountInfo>;
  mcpServerStatus(): Promise<McpServerStatus[]>;
  reconnectMcpServer(serverName: string): Promise<void>;
  toggleMcpServer(serverName: string, enabled: boolean): Promise<void>;
  /** Replaces the servers that the caller provided. */
  setMcpServers(servers: Record<string, McpServerConfig>): Promise<McpSetServersResult>;
  readMcpResource(serverName: string, uri: string): Promise<SDKControlMcpReadResourceResponse>;
  getContextUsage(options?: { detail?: "summary" | "full" }): Promise<SDKControlGetContextUsageResponse>;
  usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET(options?: {
    skipBehaviors?: boolean;
  }): Promise<SDKControlGetUsageResponse>;
  /** Null if there is no such file. */
  readFile(
    path: string,
    options?: { maxBytes?: number; encoding?: "utf-8" | "base64" },
  ): Promise<SDKControlReadFileResponse | null>;
  reloadPlugins(options?: Record<string, unknown>): Promise<SDKControlReloadPluginsResponse>;
  reloadSkills(): Promise<SDKControlReloadSkillsResponse>;
  reloadOutputStyles(): Promise<SDKControlReloadOutputStylesResponse>;
  /** Restores files to their state when the message was sent. */
  rewindFiles(userMessageId: string, options?: { dryRun?: boolean }): Promise<RewindFilesResult>;
  /** Tells the session that a file was read at this time, so it may be edited. */
  seedReadState(path: string, mtime: number): Promise<void>;
  stopTask(taskId: string): Promise<void>;
  /** Moves running tools to the background: one, or all. */
  backgroundTasks(toolUseId?: string): Promise<boolean>;
  /** Keelson only: runs a shell command of the user. No one is asked, and the model reads the output as a prompt. */
  runShellCommand(command: string): Promise<SDKControlRunShellCommandResponse>;
  /** Keelson only: goes back to before a prompt. Files do not change; see `rewindFiles`. */
  rewindConversation(userMessageId: string): Promise<SDKControlRewindConversationResponse>;
  /** Keelson only: replaces everything before a prompt with a summary, or, `from` a prompt, it and what follows it. */
  compactConversation(
    userMessageId: string,
    options?: { direction?: "up_to" | "from"; instructions?: string },
  ): Promise<SDKControlCompactConversationResponse>;
  /** Keelson only: changes rules, mode and directories, in the session and in settings files. */
  updatePermissions(updates: readonly PermissionUpdate[]): Promise<SDKControlUpdatePermissionsResponse>;
  /** Keelson only: adds a note to an instruction file. The default scope is the project. */
  addMemory(text: string, scope?: "project" | "local" | "user"): Promise<{ path: string }>;
  /** Keelson only: the resources of all servers that are connected. */
  listMcpResources(): Promise<SDKControlMcpListResourcesResponse>;
  /** Keelson only: starts the sign-in to a remote server. `mcp_sign_in` messages report how it ended. */
  authenticateMcpServer(
    serverName: string,
    options?: { openBrowser?: boolean },
  ): Promise<SDKControlMcpAuthenticateResponse>;
  /** Keelson only: the address that the browser ended at, or the code in it. */
  submitMcpCode(serverName: string, code: string): Promise<void>;
  /** Sends more prompts. */
  streamInput(messages: AsyncIterable<SDKUserMessage>): Promise<void>;
  /** Ends the program. */
  close(): void;
}

/** A program that is started and initialized and waits for its prompt. */
export interface WarmQuery extends AsyncDisposable {
  /** Call it once. */
  query(prompt: string | AsyncIterable<SDKUserMessage>): Query;
  close(): void;
}
