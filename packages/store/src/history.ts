// Entry point for reading what happened in a session. Sessions themselves do not load it.

export { openHistory, type History } from "./read/history.ts";
export { PagedHistory, type HistoryPage } from "./read/paged-history.ts";
export { beganMs } from "./read/began.ts";
export { agentIds, agentPath, agentsDir, readAgentMeta, type AgentMeta } from "./agents/agent-files.ts";
export { hookTracePath, readHookTrace, type HookFiring } from "./hook-trace.ts";
export { namedSession } from "./sessions/named-session.ts";
export { readSpanLog, spanLogPath, type Span, type SpanKind } from "./span-log.ts";
