// Untrusted patterns, matched in bounded time: shared by rules, hooks, instruction files and schemas.

export { compileGlob, lastName, matchDepths, matchesGlob, type Glob } from "./glob.ts";
export { compileLine, splitNames, type GitignoreLine } from "./gitignore.ts";
export { fold } from "../permission/match/paths.ts";
export { isAllowedUrl } from "./url-pattern.ts";
export { wildcard } from "../permission/match/wildcard.ts";
