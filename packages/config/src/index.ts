export { load, ownEnvironment, reload, withEnvironment } from "./load.ts";
export type { LoadSettingsOptions } from "./gather.ts";
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
  writeRules,
} from "./commands.lazy.ts";
export type { EffectiveValue, Inspection, SettingsFile } from "./inspect.ts";
export { isSecret, KEYS, keyPath, valueAt } from "./check/known.ts";
export type { Flags, ConfiguredHooks, ConfiguredMcp, Snapshot } from "./snapshot.ts";
export { changed } from "./sources.ts";
export { trustFix } from "./trust.ts";
