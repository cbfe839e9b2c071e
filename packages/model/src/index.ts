export type { AnthropicOptions } from "./anthropic.ts";
export type { FallbackOptions } from "./fallback.ts";
export { costOf } from "./prices.ts";
export { lookUpModel, OFFLINE_ID, type KnownModel } from "./profiles.ts";
export { fetchOptionsFrom, networkFetch } from "./network.ts";
export { resolveModel, type ResolvedModel, type ResolveOptions } from "./resolve.ts";
export type { PlainProvider, RetryOptions, Wait } from "./retry.ts";
export type { Fetch } from "./http-call.ts";
