// `@keelson/sdk/sdk-tools`: what goes into built-in tools, and what comes out of them. Types only.

export type * from "./tool-inputs.ts";
export type * from "./tool-outputs.ts";
