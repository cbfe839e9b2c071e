export { load, reload, withEnvironment } from "./load.ts";
export type { LoadOptions } from "./gather.ts";
export { ConfigError } from "./errors.ts";
export { inspect, locateHooks, locateRules, setValue, settingsFiles, trustFolder, writeRules } from "./on-demand.ts";
export type { EffectiveValue, Inspection, SettingsFile } from "./inspect.ts";
export { KEYS } from "./check/keys.ts";
export { keyPath, valueAt } from "./check/known.ts";
export type { Flags, Hooks, Snapshot } from "./snapshot.ts";
export { changed } from "./sources.ts";
