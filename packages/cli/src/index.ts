export { main } from "./main.ts";
export type { OpenOptions, OpenSession, SessionChoice } from "./open.ts";
export type { EndSignal, World } from "./world.ts";
