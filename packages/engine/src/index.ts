export { ModelError, ToolError, wireErrorName, type ModelErrorKind } from "./errors.ts";
export {
  anyObject,
  array,
  boolean,
  integer,
  item,
  number,
  object,
  oneOf,
  optional,
  string,
  type Infer,
  type Schema,
} from "./schema/schema.ts";
export {
  defineTool,
  type Access,
  type BackgroundCommand,
  type Files,
  type FileStat,
  type LineSink,
  type ReadLedger,
  type Search,
  type SearchResult,
  type Shell,
  type ShellOutput,
  type ShellResult,
  type Sighting,
  type Tool,
  type ToolContext,
  type CommandTask,
  type Workspace,
} from "./tool/tool.ts";
export type { DescribedCall, ShownInput } from "./tool/described-call.ts";
export type {
  Expansion,
  ExpandedPrompt,
  LocalAnswer,
  LocalCommand,
  PromptExpansion,
  CompactionPort,
  Decider,
  Limits,
  ModelChoice,
  ModelEvent,
  ModelNotice,
  ModelProfile,
  ModelProvider,
  ModelRequest,
  Permission,
  PermissionDecision,
  PermitRequest,
  Ports,
  SideReply,
  ToolDefinition,
  TypedCommandOutput,
} from "./ports.ts";
export { compactionRules, type CompactionRules, type CompactionWishes } from "./compaction/when.ts";
export { cutMiddle, isSmallWindow, kilobytes, lastLines, MAX_SHOWN, persistedNotice } from "./tool/bound.ts";
export { assembleBlock, type BlockInProgress } from "./turn/block.ts";
export { Conversation, NO_OUTPUT } from "./turn/conversation.ts";
export { buildRequest, DEFAULT_EFFORT, partsOfRun, requestParts, withCacheMark } from "./turn/request.ts";
export { run } from "./run/run.ts";
export { brokenRun, resultOf, withCounted, type End, type Totals } from "./run/result.ts";
export { assemblePool } from "./tool/pool.ts";
export { structuredOutputTool } from "./turn/structured.ts";
export { PLAN_MODE_OF_AGENTS, PLAN_MODE_OVER, renderPlanMode } from "./context/plan-mode.ts";
export {
  renderDynamicSections,
  renderSystemPrompt,
  type PromptFacts,
  type PromptStyle,
} from "./context/system-prompt.ts";
export { renderGitState, type GitState } from "./context/sections/situation.ts";
export { parseRule, type Rule } from "./permission/rules/rule.ts";
export type { CommandShell, GateDecision, GateQuestion, SandboxState } from "./permission/question.ts";
export type { GitRepository } from "./permission/git/git-danger.ts";
export type { PermissionState } from "./permission/rules/update.ts";
export { Batch, isParallelSafe } from "./tool/batch.ts";
export { checkCall, settleCall, validateInput, type SettledCall } from "./tool/tool-call.ts";
export type { StreamedCall } from "./turn/turn.ts";
export { nudge, reminder } from "./run/admit.ts";
export {
  folderSuffix,
  listingLimits,
  renderSkillListing,
  type ListedSkill,
  type ListingLimits,
} from "./context/skill-listing.ts";
export { findTool } from "./tool/pool.ts";
export { coversTool } from "./permission/match/match.ts";
export { renderChanged, renderInstructions, renderNested } from "./context/instructions.ts";
