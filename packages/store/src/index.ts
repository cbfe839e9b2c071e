export {
  isSessionId,
  keyPrefix,
  ownerPath,
  projectDir,
  projectKey,
  projectsDir,
  tasksDir,
  toolResultsDir,
  transcriptPath,
  type SessionLocation,
} from "./paths.ts";
export { lineOf } from "./transcript/line.ts";
export { STICKY } from "./transcript/sticky.ts";
export { nullTranscript, openTranscript, type TranscriptOptions, type TranscriptWriter } from "./transcript/writer.ts";
export {
  customTitle,
  dequeued,
  enqueued,
  lastPrompt,
  scheduled,
  titleText,
  unscheduled,
} from "./transcript/metadata.ts";
export { spillResult } from "./spill.ts";
