// The types of what opens sessions. The runtime implements them; only `start.ts` loads it.

export type { Debug, DebugCategory, JoinOptions, SessionChoice, SessionsHere, WantedSession } from "@keelson/runtime";
