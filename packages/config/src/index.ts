export { whyHookOff } from "./load/hooks.ts";
export { load, ownEnvironment, reload, withEnvironment } from "./load/load.ts";
export type { LoadSettingsOptions } from "./load/gather.ts";
export { ConfigError } from "./errors.ts";
export { reachesChildren } from "./env/env.ts";
export {
  inspect,
  locateHooks,
  locateRules,
  revokeTrust,
  setValue,
  settingsFiles,
  trustedFolders,
  trustFolder,
  userIgnoreFile,
  whyNotWritten,
  writeRules,
} from "./commands.lazy.ts";
export type { EffectiveValue, Inspection, SettingsFile } from "./inspect/inspect.ts";
export { isSecret, KEYS, keyPath, valueAt } from "./check/known.ts";
export type { Flags, ConfiguredHooks, ConfiguredMcp, Snapshot } from "./load/snapshot.ts";
export { mayApply } from "./load/rules.ts";
export { changed } from "./load/sources.ts";
export { trustFix } from "./trust/trust.ts";
