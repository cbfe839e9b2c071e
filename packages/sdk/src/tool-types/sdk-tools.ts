// `@keelson/sdk/sdk-tools`: input and output types of built-in tools.

export type * from "./tool-inputs.ts";
export type * from "./tool-outputs.ts";
