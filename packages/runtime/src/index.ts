export { openSession, type OpenOptions, type ShippedPrograms } from "./open-session.ts";
export { OpenError, type SessionChoice } from "./place.ts";
