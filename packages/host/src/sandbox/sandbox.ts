// What a session asks about the sandbox and the shield apart from running commands.

export { prepareSandbox, sandboxProblems } from "./full/prepare.ts";
export { loadSandboxLibrary } from "./full/runtime-adapter.ts";
export { SharedLibrary } from "./full/shared-library.ts";
export { shieldStatus } from "./shield/status.ts";
