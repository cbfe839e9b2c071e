// The types of what opens sessions. The runtime implements them; only `start.ts` loads it.

export type {
  Debug,
  DebugCategory,
  JoinOptions,
  SessionChoice,
  SessionsHere,
  SharedSession,
  WantedSession,
} from "@keelson/runtime";
