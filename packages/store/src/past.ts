// Entry point for existing sessions: read, list, resume, fork. A new session does not load it.

export { createOwnFile, readOwnFile, removeOwnFile } from "@keelson/disk/own-files";
export { replaceOwnFile } from "@keelson/disk/replace-file";
export { agentsToldOf } from "./agents/told-of.ts";
export { readEntries } from "./read/read-transcript.ts";
export { liveChain, type Chain, type ChainOptions } from "./read/chain.ts";
export { linkOf, type Link } from "./read/link.ts";
export { firstPromptIn } from "./sessions/first-prompt.ts";
export { loadSession, type LoadedSession, type ResumeOptions } from "./sessions/resume.ts";
export {
  findSession,
  listStoredSessions,
  newestSession,
  sessionAt,
  type FoundSession,
  type SessionInfo,
} from "./sessions/list.ts";
export { worktreesOf } from "./sessions/worktrees.ts";
export { namedSession } from "./sessions/named-session.ts";
export { forkTranscript, type ForkOptions } from "./sessions/fork.ts";
export { removeSession } from "./sessions/remove-session.ts";
