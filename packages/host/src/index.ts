export { findProgram, pathOutside, programsOnPath } from "./programs/find-program.ts";
export { createFiles } from "./files/files.ts";
export { gitBranch } from "./git/branch.ts";
export { createLedger, type Ledger } from "./files/ledger.ts";
export {
  createPrivateFile,
  makeTemporary,
  ownTemporary,
  privateDirectory,
  programCache,
  type PrivateFile,
} from "./files/private-file.ts";
export { createSearch } from "./programs/search.lazy.ts";
export { prepareSandbox, sandboxProblems, sharedSandbox, shieldStatus } from "./sandbox/sandbox.lazy.ts";
export type { Sandbox, SandboxOptions, SandboxReadiness } from "./sandbox/full/prepare.ts";
export type { SandboxBlock } from "./sandbox/full/settings.ts";
export type { AgentDenyRules, ShieldOptions } from "./sandbox/shield/shield.ts";
export type { ShieldStatusOptions, ShieldStatus } from "./sandbox/shield/status.ts";
export { createShell } from "./shell/shell.lazy.ts";
export type { SessionShell, ShellOptions } from "./shell/shell.ts";
export { chooseShell, readsAs, type ShellChoice } from "./shell/environment/choose.ts";
export { createTasks, type TaskHandle, type Tasks, type TaskWatchers } from "./tasks/task-table.ts";
export type { NewTask, Task, TaskAgent, TaskEnd, TaskStatus, TaskUsage } from "./tasks/task.ts";
export { createWorkspace } from "./files/workspace.ts";
