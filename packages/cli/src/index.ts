export { main } from "./main.ts";
export type { SessionChoice, SessionsHere, WantedSession } from "./open.ts";
export type { EndSignal, ProcessIO } from "./process/process-io.ts";
