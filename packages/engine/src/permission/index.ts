// The gate. Loaded with the first tool call; the command side is @keelson/engine/command, loaded with the first command.

export { decide, type GateDecision, type GateQuestion, type SandboxState } from "./decide.ts";
export { andRule, allowingRules, wish } from "./sentences.ts";
export { hiddenFiles } from "./rules/hidden.ts";
export { newMatchers, type Matchers } from "./match/match-path.ts";
export { applyUpdate, type PermissionState } from "./rules/update.ts";
