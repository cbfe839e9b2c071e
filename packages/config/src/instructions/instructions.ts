// Entry point for instruction files. Loading settings does not need it.

export { loadInstructions, type InstructionSet } from "./load-instructions.ts";
export type {
  InstructionChange,
  InstructionFile,
  InstructionKind,
  LeftOut,
  LoadReason,
  WaitingRule,
} from "./instruction-file.ts";
export { includeAnswers } from "./approval.ts";
export { repositoryRoot } from "./files/repository.ts";
export { memoryDirectory, readMemoryIndex } from "./memory.ts";

import type { writeApproval as WriteApproval } from "./approve.ts";

/** Loaded late: only `keelson instructions approve` edits JSON. */
export const writeApproval: typeof WriteApproval = async (place, answer) =>
  (await import("./approve.ts")).writeApproval(place, answer);
