export { extractProgram } from "./extract-program.ts";
export { files } from "./files.ts";
export { gitBranch } from "./git.ts";
export { createLedger, type Ledger } from "./ledger.ts";
export { createPrivateFile, type PrivateFile } from "./private-file.ts";
export { realPathOf } from "./real-path.ts";
export { ripgrep } from "./search.ts";
export { findRipgrep, type RipgrepPlace } from "./find-ripgrep.ts";
export { prepareSandbox, sandboxProblems, shieldStatus } from "./sandbox.ts";
export type { Sandbox, SandboxOptions, SandboxReadiness } from "./sandbox/prepare.ts";
export type { SandboxSettings } from "./sandbox/settings.ts";
export type { ShieldOptions } from "./sandbox/shield.ts";
export type { ShieldQuestion, ShieldStatus } from "./sandbox/status.ts";
export { createShell } from "./late-shell.ts";
export type { SessionShell, ShellOptions } from "./shell.ts";
export { chooseShell, isProgram, type ShellChoice } from "./shell/choose.ts";
export {
  createTasks,
  type NewTask,
  type Task,
  type TaskEnd,
  type TaskStatus,
  type Tasks,
  type TaskWatchers,
} from "./task-table.ts";
export { createWorkspace } from "./workspace.ts";
export { clearFolderEnvFiles, envFilesOf, openEnvFolder } from "./hooks/env-file.ts";
