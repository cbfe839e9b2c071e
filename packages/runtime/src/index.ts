export { openSession, type OpenOptions, type ShippedPrograms } from "./open-session.ts";
export type { Debug, DebugCategory } from "./debug.ts";
export { OpenError, type SessionChoice } from "./place.ts";

import type { listInstructions as ListInstructions } from "./list-instructions.ts";

/** Loaded when it is called: sessions have no use for it. */
export const listInstructions: typeof ListInstructions = async (snapshot) =>
  (await import("./list-instructions.ts")).listInstructions(snapshot);
