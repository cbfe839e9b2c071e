export { ModelError, ToolError, type ModelErrorKind } from "./errors.ts";
export {
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
} from "./schema.ts";
export {
  defineTool,
  type Access,
  type BackgroundCommand,
  type Files,
  type FileStat,
  type ReadLedger,
  type Search,
  type SearchResult,
  type Shell,
  type ShellOutput,
  type ShellResult,
  type Sighting,
  type Tool,
  type ToolContext,
  type Workspace,
} from "./tool.ts";
export type {
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
  ToolDefinition,
} from "./ports.ts";
export { cutMiddle, kilobytes, MAX_SHOWN, persistedNotice } from "./bound.ts";
export { Conversation } from "./conversation.ts";
export { run } from "./run.ts";
export { addUsage, resultOf, type End, type Totals } from "./result.ts";
export { assemblePool } from "./pool.ts";
export { structuredOutputTool } from "./structured.ts";
export { renderSystemPrompt, type PromptFacts } from "./context/system-prompt.ts";
export { parseRule, type Rule } from "./permission/rule.ts";
export { decide, type GateDecision, type GateQuestion, type SandboxState } from "./permission/decide.ts";
export { hiddenFiles } from "./permission/hidden.ts";
export { newMatchers, type Matchers } from "./permission/match-path.ts";
export { isExcluded } from "./permission/sandboxed.ts";
export {
  afterVerdict,
  classifierRequest,
  countVerdict,
  isSpent,
  needsClassifier,
  NO_DENIALS,
  readVerdict,
  type Classified,
  type ClassifierFacts,
  type Denials,
} from "./permission/classify.ts";
export type { AutoRules } from "./permission/classify-prompt.ts";
export { pathsInCommand } from "./permission/command-files.ts";
export { applyUpdate, type PermissionState } from "./permission/update.ts";
export type { Explanation, PathExplanation, Verdict } from "./permission/explain.ts";
export type { CommandExplanation, PartExplanation, RedirectionExplanation } from "./permission/explain-command.ts";
export type { Remedy } from "./permission/explain-remedy.ts";
export type { RuleNote } from "./permission/explain-rule.ts";
/** Why the gate says what it says: loaded by those who ask. */
export const loadExplain = () => import("./permission/explain.ts");
export { checkInput } from "./validate.ts";
