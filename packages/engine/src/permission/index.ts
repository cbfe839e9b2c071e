// The gate and what is needed to ask it. A door of its own: a run without tool calls never loads what is behind it.

export { decide, type GateDecision, type GateQuestion, type SandboxState } from "./decide.ts";
export { hiddenFiles } from "./hidden.ts";
export { newMatchers, type Matchers } from "./match/match-path.ts";
export { isExcluded } from "./sandboxed.ts";
export {
  afterVerdict,
  classifierRequest,
  countVerdict,
  isSpent,
  needsClassifier,
  NO_DENIALS,
  readVerdict,
  type Classified,
} from "./auto/classify.ts";
export type { AutoRules } from "./auto/classify-prompt.ts";
export { nameFits, toLookUp, type LookUps, type OnDisk } from "./command/on-disk.ts";
export { landings } from "./command/deep.ts";
export { gitFolders } from "./command/git-folders.ts";
export { applyUpdate, type PermissionState } from "./update.ts";
