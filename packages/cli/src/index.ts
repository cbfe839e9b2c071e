export { main } from "./main.ts";
export type { OpenOptions, OpenSession, SessionChoice } from "./open.ts";
export type { EndSignal, ProcessIO } from "./process/process-io.ts";
