export { isAgentCall, isTodoCall } from "./calls/known.ts";
export { callLine, labelOf, listArguments, relativePath, type CallLabel, type NamedCall } from "./calls/label.ts";
export { patchOfResult, textsOfHunk } from "./calls/changes.ts";
export { isInterruption, promptItems } from "./conversation/content.ts";
export { ConversationReader, type ConversationView, type Retry } from "./conversation/conversation.ts";
export { withoutCompactError } from "./conversation/notices.ts";
export {
  isSettled,
  type AgentCall,
  type AnswerItem,
  type CallItem,
  type ShownResult,
  type CallState,
  type CompactionItem,
  type ConversationItem,
  type EndItem,
  type LimitItem,
  type NoteItem,
  type OutputItem,
  type PromptItem,
  type SubagentProgress,
  type SummaryItem,
  type ThinkingItem,
} from "./conversation/item.ts";
export { TextParts, type GrowingText } from "./conversation/text.ts";
export {
  ControlChannel,
  RequestError,
  type ChannelOptions,
  type ChannelReply,
  type Requests,
  type SessionQuestion,
} from "./requests.ts";
export {
  readQuestions,
  withAnswers,
  type AskedQuestion,
  type GivenAnswer,
  type QuestionOption,
} from "./questions/asked-questions.ts";
export type { PermissionAsk } from "./questions/permission-ask.ts";
export { SessionTasks, type BackgroundTask } from "./tasks/task-list.ts";
export { SessionTodos, type TodoItem } from "./tasks/todo-list.ts";
