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
export { loadSession, type LoadedSession, type LoadOptions } from "./resume.ts";
export { findSession, listSessions, newestSession, type FoundSession, type SessionInfo } from "./sessions.ts";
export { forkSession, type ForkOptions } from "./fork.ts";
export { MAX_SPILL, spillResult } from "./spill.ts";
