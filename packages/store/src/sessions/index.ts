// For a program that shows all sessions for as long as it runs.

export { FRESH_MS, inProgressUntil } from "./in-progress.ts";
export { SessionIndex, type IndexedSession } from "./session-index.ts";
export { searchSessionTexts } from "./shelf.ts";
