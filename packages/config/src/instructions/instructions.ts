// The door to instructions: what a project and its people tell the agent, as files. Settings do not need any of it.

export { loadInstructions, type InstructionSet } from "./load-instructions.ts";
export type {
  InstructionChange,
  InstructionFile,
  InstructionKind,
  LeftOut,
  LoadReason,
  WaitingRule,
} from "./instruction-file.ts";
export { memoryDirectory } from "./memory.ts";

import type { writeApproval as WriteApproval } from "./approve.ts";

/** Loaded when it is called: only the command that approves needs an editor for JSON. */
export const writeApproval: typeof WriteApproval = async (place, approved) =>
  (await import("./approve.ts")).writeApproval(place, approved);
