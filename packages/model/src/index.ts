export type { AnthropicOptions } from "./anthropic.ts";
export type { FallbackOptions } from "./fallback.ts";
export { costOf } from "./prices.ts";
export type { CommandEnd, CredentialSources, ProviderMemory } from "./choice/server/credentials.ts";
export { lookUpModel, OFFLINE_ID, type KnownModel, type ModelSettings } from "./profiles.ts";
export { fetchOptionsFrom, networkFetch } from "./network.ts";
export {
  besideName,
  resolveModel,
  type CredentialCommands,
  type ResolvedModel,
  type ResolveOptions,
} from "./resolve.ts";
export type { PlainProvider, RetryOptions, Wait } from "./retry.ts";
export type { Fetch } from "./http-call.ts";
