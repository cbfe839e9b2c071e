export { readEditorPrompt, type EditorPrompt } from "./prompt/prompt.ts";
export type { QuestionStep, EditorQuestion, QuestionContext } from "./questions/question.ts";
export { questionFor } from "./questions/questions.ts";
export type * from "./schema/types.ts";
export { availableCommands } from "./updates/commands.ts";
export { Updates, type SessionSettings, type UpdatesContext } from "./updates/updates.ts";
