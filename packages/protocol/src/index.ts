export { printableLine, printableLines, printableSentence, withoutHidden } from "./printable.ts";
export {
  isFolded,
  isJsonObject,
  isList,
  isObject,
  jsonOf,
  readField,
  rememberJson,
  tryParse,
  type Json,
  type JsonObject,
} from "./json.ts";
export {
  blocksOf,
  isBlank,
  isWholeBlock,
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
} from "./transcript/content.ts";
export {
  NO_USAGE,
  type BlockDelta,
  type ReplyMessage,
  type StopDetails,
  type StreamEvent,
  type Usage,
} from "./stream/stream-event.ts";
export { asReminder, withoutReminderTags } from "./reminder.ts";
export {
  isChainEntry,
  type AgentMetadata,
  type AssistantSubject,
  type AttachmentSubject,
  type ByUser,
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
} from "./transcript/entry.ts";
export {
  isResult,
  type AssistantMessage,
  type Message,
  type ModelUsage,
  type ResultMessage,
  type ResultSubtype,
  type Signal,
  type StreamEventMessage,
  type SystemMessage,
  type TerminalReason,
  type UserMessage,
} from "./stream/message.ts";
export {
  controlError,
  controlSuccess,
  controlBody,
  type ControlCancelRequest,
  type ControlRequest,
  type ControlResponse,
} from "./stream/control.ts";
export type { AttachedClient, WaitingPrompt, StreamMessage } from "./stream/stream-messages.ts";
export type { SystemMessages, SystemSignal, SystemSubtype, ToolRunningSignal } from "./stream/system-messages.ts";
export type {
  ClientQuestion,
  ClientQuestions,
  ControlRequests,
  ControlSubtype,
  FieldsOf,
  ListedCommand,
  PendingQuestions,
  ChangedSessionFile,
  ListedSession,
  WorkingDiff,
  PastedText,
  ReplyTo,
  TypedPrompt,
  Unchecked,
  UncheckedRequest,
} from "./stream/control-requests.ts";
export type { ScheduledJob, ScheduledWakeup } from "./configuration/schedule.ts";
export type {
  AttachOptions,
  ClientAnswers,
  OpenFilesOffer,
  ClientRole,
  ClientView,
  EnvironmentUpdate,
  EndReason,
  Inbound,
  Outbound,
  PromptMessage,
  PromptOrigin,
  Session,
  SessionClient,
  StreamCursor,
} from "./stream/session.ts";
export type { CallLocation, FilePatch, PatchHunk, ToolKind, ToolUseMeta } from "./stream/tool-use.ts";
export { fileStamp } from "./file-stamp.ts";
export { LineSplitter, toLine } from "./stream/jsonl.ts";
export {
  COMMAND_SOURCE,
  isCommandRecord,
  isJoinedPrompt,
  isPrompt,
  project,
  projectPrompt,
  withoutAddedContext,
} from "./transcript/project.ts";
export {
  isPermissionMode,
  PERMISSION_MODES,
  stricterMode,
  type PermissionDenial,
  type PermissionMode,
  type PermissionUpdate,
  type RuleBehavior,
  type RuleSource,
  type RuleValue,
} from "./configuration/permission.ts";
export type {
  CompatBlock,
  HookGroup,
  ModelBlock,
  ModelPrice,
  ProviderApi,
  ProviderBlock,
  Settings,
  SettingsKey,
} from "./configuration/settings.ts";
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
  reportsSignal,
  type HookRun,
  type HookVerdict,
  type HttpHook,
  type McpToolHook,
  type PromptHook,
} from "./configuration/hook.ts";
export { isVariableOn, switchIn } from "./variables.ts";
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
} from "./configuration/mcp-config.ts";
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
} from "./configuration/language-server.ts";
export type { PluginIdentity, Skill, SkillProblem, SkillSource } from "./configuration/skill.ts";
export type { Plugin, UnusedPlugin } from "./configuration/plugin.ts";
export type { AgentDefinition, AgentProblem, AgentSource } from "./configuration/agent.ts";
