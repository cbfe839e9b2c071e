export { load, type LoadOptions } from "./load.ts";
export { ConfigError } from "./errors.ts";
export type { Flags, Snapshot } from "./snapshot.ts";
