export {
  getSessionInfo,
  listSessions,
  type GetSessionInfoOptions,
  type ListSessionsOptions,
  type SDKSessionInfo,
} from "./list.ts";
export {
  getSessionMessages,
  getSubagentMessages,
  listSubagents,
  type GetSessionMessagesOptions,
  type GetSubagentMessagesOptions,
  type ListSubagentsOptions,
  type SessionMessage,
} from "./messages.ts";
export {
  archiveSession,
  deleteSession,
  renameSession,
  tagSession,
  unarchiveSession,
  type SessionMutationOptions,
} from "./change.ts";
export { forkSession, type ForkSessionOptions, type ForkSessionResult } from "./fork.ts";
export { importSessionToStore, type ImportSessionToStoreOptions } from "./import.ts";
