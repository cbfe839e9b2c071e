export { failureResult } from "./failure.ts";
export { gatherPrompt, type GatheredPrompt, type PromptSources } from "./input/prompt.ts";
export type { Streams } from "./streams.ts";
export { lineWriter, type LineWriter } from "./write.ts";
