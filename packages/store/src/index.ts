export {
  isSessionId,
  keyPrefix,
  projectDir,
  projectKey,
  projectsDir,
  sessionDir,
  subagentPath,
  tasksDir,
  toolResultsDir,
  transcriptPath,
  type Place,
} from "./paths.ts";
export { lineOf, MAX_LINE } from "./line.ts";
export { nullTranscript, openTranscript, type TranscriptOptions, type TranscriptWriter } from "./transcript.ts";
export { agentName, customTitle, dequeued, enqueued, lastPrompt, tag } from "./metadata.ts";
export { readEntries } from "./read.ts";
export { liveChain, type Chain, type ChainOptions } from "./chain.ts";
export { linkOf, type Link } from "./link.ts";
export { firstPromptIn } from "./first-prompt.ts";
export { loadSession, type LoadedSession, type LoadOptions } from "./resume.ts";
export {
  findSession,
  listSessions,
  newestSession,
  sessionAt,
  type FoundSession,
  type SessionInfo,
} from "./sessions.ts";
export { forkSession, type ForkOptions } from "./fork.ts";
export { MAX_SPILL, spillResult } from "./spill.ts";
export type { HookFiring, HookTrace } from "./hook-trace.ts";
export { loadHookTrace, openCheckpoints, pruneFileHistory, readFileHistory } from "./on-demand.ts";
export type { CheckpointOptions, Checkpoints, RewindResult } from "./checkpoints.ts";
