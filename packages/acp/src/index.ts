export type { ClientCapabilities, SessionUpdate } from "./schema/types.ts";
