export {
  agentTool,
  type AgentAnswer,
  type AgentKeeper,
  type AgentOrder,
  type AgentOutput,
  type AgentToolStats,
} from "./agent/agent.ts";
export { bashTool, withoutGitGuidance } from "./bash/bash.ts";
export { cronCreateTool, cronDeleteTool, cronListTool } from "./cron/cron.ts";
export type { ListedJob, NewJob, NewWakeup, ScheduleKeeper, WaitingWakeup } from "./cron/schedule-keeper.ts";
export { scheduleWakeupTool } from "./cron/schedule-wakeup.ts";
export { editTool } from "./edit/edit.ts";
export { globTool } from "./glob/glob.ts";
export { grepTool } from "./grep/grep.ts";
export { notebookEditTool } from "./notebook-edit/notebook-edit.ts";
export { interactiveTools } from "./interactive.lazy.ts";
export type { PlanKeeper } from "./plan/plan-keeper.ts";
export { monitorTool, type Monitors, type MonitorSource } from "./monitor/monitor.ts";
export { readFileTool, createReadFileTool, type ReadToolOptions } from "./read/read.ts";
export { sendMessageTool, type Recipients, type SendMessageOutput } from "./send-message/send-message.ts";
export { skillTool, type InvokedSkill, type SkillKeeper } from "./skill/skill.ts";
export type { TaskTable } from "./task/table.ts";
export { taskOutputTool } from "./task/task-output.ts";
export { taskStopTool } from "./task/task-stop.ts";
export { todoWriteTool, type Todo, type TodoList } from "./todo-write/todo-write.ts";
export { webFetchTool, type WebFetchInput, type WebFetchOutput, type WebPages } from "./web-fetch/web-fetch.ts";
export {
  webSearchTool,
  type WebSearches,
  type WebSearchInput,
  type WebSearchLink,
  type WebSearchOutput,
} from "./web-search/web-search.ts";
export {
  worktreeTools,
  type EnterWorktreeOutput,
  type ExitWorktreeOutput,
  type WorktreeKeeper,
} from "./worktree/worktree.ts";
export { writeTool } from "./write/write.ts";
