export { isObject, jsonOf, rememberJson, tryParse, type Json, type JsonObject } from "./json.ts";
export {
  blocksOf,
  isBlank,
  isText,
  isToolResult,
  isToolUse,
  textOf,
  type CacheControl,
  type ContentBlock,
  type DocumentBlock,
  type ImageBlock,
  type ModelMessage,
  type ReplyOrigin,
  type RedactedThinkingBlock,
  type TextBlock,
  type ThinkingBlock,
  type ToolReferenceBlock,
  type ToolResultBlock,
  type ToolUseBlock,
} from "./content.ts";
export { NO_USAGE, type BlockDelta, type ReplyMessage, type StreamEvent, type Usage } from "./stream-event.ts";
export {
  isChainEntry,
  type AgentMetadata,
  type AssistantSubject,
  type AttachmentSubject,
  type ChainEntry,
  type ChainSubject,
  type CostState,
  type Entry,
  type Envelope,
  type FileBackup,
  type PersistedWorktree,
  type FileHistoryEntry,
  type MetadataEntry,
  type NewEntry,
  type SystemSubject,
  type UserSubject,
} from "./entry.ts";
export {
  isResult,
  type AssistantMessage,
  type InitMessage,
  type Message,
  type ModelUsage,
  type ResultMessage,
  type ResultSubtype,
  type Signal,
  type StreamEventMessage,
  type SystemMessage,
  type TerminalReason,
  type UserMessage,
} from "./message.ts";
export {
  controlError,
  controlSuccess,
  readControlResponse,
  type ControlCancelRequest,
  type ControlRequest,
  type ControlResponse,
} from "./control.ts";
export type { ScheduledJob } from "./schedule.ts";
export type {
  EnvironmentUpdate,
  EndReason,
  Inbound,
  Outbound,
  PromptMessage,
  PromptOrigin,
  Session,
} from "./session.ts";
export { fileStamp } from "./file-stamp.ts";
export { LineSplitter, toLine } from "./jsonl.ts";
export { COMMAND_SOURCE, isCommandRecord, isJoinedPrompt, isPrompt, project, projectPrompt } from "./project.ts";
export {
  isPermissionMode,
  PERMISSION_MODES,
  type PermissionDenial,
  type PermissionMode,
  type PermissionUpdate,
  type RuleBehavior,
  type RuleSource,
  type RuleValue,
} from "./permission.ts";
export type {
  CompatBlock,
  HookGroup,
  ModelBlock,
  ModelPrice,
  ProviderApi,
  ProviderBlock,
  Settings,
  SettingsKey,
} from "./settings.ts";
export {
  HOOK_EVENTS,
  NOTHING_SAID,
  type AgentHook,
  type CallbackHook,
  type CommandHook,
  type HookEvent,
  type HookHandler,
  type HookOutcome,
  type HookPermission,
  type HookRegistration,
  type HookRun,
  type HookVerdict,
  type HttpHook,
  type McpToolHook,
  type PromptHook,
} from "./hook.ts";
export { COMPATIBLE_VERSION, VERSION } from "./version.ts";
export type {
  ConfiguredMcpServer,
  McpOAuthConfig,
  McpProxyConfig,
  McpRemoteConfig,
  McpScope,
  McpServerPattern,
  McpSdkConfig,
  McpServerConfig,
  McpStdioConfig,
  McpToolPolicy,
  UnusedMcpServer,
} from "./mcp-config.ts";
export type {
  CodeCall,
  CodeFindings,
  CodeOperation,
  CodePlace,
  CodePosition,
  CodeProblem,
  CodeSymbol,
  ConfiguredLanguageServer,
  LanguageServerScope,
  PositionEncoding,
  UnusedLanguageServer,
} from "./language-server.ts";
export type { PluginIdentity, Skill, SkillProblem, SkillSource } from "./skill.ts";
export type { Plugin, UnusedPlugin } from "./plugin.ts";
export type { AgentDefinition, AgentProblem, AgentSource } from "./agent.ts";
