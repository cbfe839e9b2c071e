export { readPrompt, type ReadPrompt } from "./prompt/prompt.ts";
export type * from "./schema/types.ts";
export { availableCommands } from "./updates/commands.ts";
export { Updates, type SessionSettings, type UpdatesContext } from "./updates/updates.ts";
