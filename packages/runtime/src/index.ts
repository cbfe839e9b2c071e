export { openSession, type OpenOptions } from "./open-session.ts";
export { OpenError, type SessionChoice } from "./place.ts";
