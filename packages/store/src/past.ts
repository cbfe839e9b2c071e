// The door to sessions that are there already: reading, listing, resuming, forking. A new session never opens it.

export { readEntries } from "./read.ts";
export { liveChain, type Chain, type ChainOptions } from "./chain.ts";
export { linkOf, type Link } from "./link.ts";
export { firstPromptIn } from "./first-prompt.ts";
export { loadSession, type LoadedSession, type LoadOptions } from "./resume.ts";
export {
  findSession,
  listSessions,
  newestSession,
  sessionAt,
  type FoundSession,
  type SessionInfo,
} from "./sessions.ts";
export { forkSession, type ForkOptions } from "./fork.ts";
