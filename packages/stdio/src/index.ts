export { failureResult } from "./failure.ts";
export { gatherPrompt, type GatheredPrompt, type PromptSources } from "./input/prompt.ts";
export { streamJson, type StreamOptions } from "./stream-json.ts";
export type { Streams } from "./streams.ts";
export { json, text, type OnePrompt } from "./text.ts";
