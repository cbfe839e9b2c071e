export { extractProgram } from "./programs/extract-program.ts";
export { createFiles } from "./files/files.ts";
export { gitBranch } from "./git/branch.ts";
export { createLedger, type Ledger } from "./files/ledger.ts";
export type { PrivateFile } from "./files/private-file.ts";
export { realPathOf } from "./files/real-path.ts";
export { createSearch } from "./programs/search.ts";
export { findRipgrep, type RipgrepOptions } from "./programs/find-ripgrep.ts";
export { prepareSandbox, sandboxProblems, shieldStatus } from "./sandbox/sandbox.lazy.ts";
export type { Sandbox, SandboxOptions, SandboxReadiness } from "./sandbox/full/prepare.ts";
export type { SandboxBlock } from "./sandbox/full/settings.ts";
export type { ShieldOptions } from "./sandbox/shield/shield.ts";
export type { ShieldStatusOptions, ShieldStatus } from "./sandbox/shield/status.ts";
export { createShell } from "./shell/shell.lazy.ts";
export type { SessionShell, ShellOptions } from "./shell/shell.ts";
export { chooseShell, type ShellChoice } from "./shell/environment/choose.ts";
export {
  createTasks,
  type NewTask,
  type Task,
  type TaskAgent,
  type TaskEnd,
  type TaskHandle,
  type TaskStatus,
  type TaskUsage,
  type Tasks,
  type TaskWatchers,
} from "./tasks/task-table.ts";
export { createWorkspace } from "./files/workspace.ts";
export { clearFolderEnvFiles, envFilesOf, openEnvFolder } from "./hooks/env-file.ts";
