export { SessionDirectory } from "./directory/directory.ts";
export type { SessionsHere, SharedSession } from "./directory/sessions-here.ts";
export type { WantedSession } from "./directory/wanted-session.ts";
export type { JoinOptions, OpenedSession, ShippedPrograms } from "./session/open-options.ts";
export type { Debug, DebugCategory } from "./observe/debug.ts";
export { OpenError, type SessionChoice } from "./session/place.ts";

import type { listInstructions as ListInstructions, outsideIncludes as OutsideIncludes } from "./instructions/list.ts";

/** Loaded on first call; sessions do not need it. */
export const listInstructions: typeof ListInstructions = async (snapshot) =>
  (await import("./instructions/list.ts")).listInstructions(snapshot);
export const outsideIncludes: typeof OutsideIncludes = async (snapshot) =>
  (await import("./instructions/list.ts")).outsideIncludes(snapshot);
