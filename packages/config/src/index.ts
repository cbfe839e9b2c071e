export { load, reload, type LoadOptions } from "./load.ts";
export { ConfigError } from "./errors.ts";
export { inspect, locateRules, setValue, settingsFiles, writeRules } from "./on-demand.ts";
export type { EffectiveValue, Inspection, SettingsFile } from "./inspect.ts";
export { KEYS } from "./keys.ts";
export { keyPath, valueAt } from "./known.ts";
export type { Flags, Snapshot } from "./snapshot.ts";
export { changed } from "./sources.ts";
