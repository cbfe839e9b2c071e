// What a session asks about the sandbox and the shield apart from running commands.

export { prepareSandbox, sandboxProblems } from "./full/prepare.ts";
export { shieldStatus } from "./shield/status.ts";
