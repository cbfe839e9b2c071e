// Patterns that others bring, matched in bounded time: what rules, hooks, instruction files and schemas share.

export { compileGlob, lastName, matchDepths, matchesGlob, type Glob } from "./glob.ts";
export { compileLine, splitNames, type GitignoreLine } from "./gitignore.ts";
export { fold } from "../permission/match/paths.ts";
