export { createLanguageServers, type LanguageServers, type LanguageServersOptions } from "./servers.ts";
export type { CodeQuestion } from "./client/client.ts";
export type { FileProblems } from "./edits.ts";
export type { LanguageServerStatus } from "./server.ts";
export { LanguageServerError } from "./wire/errors.ts";
