export type { AnthropicOptions } from "./messages/anthropic.ts";
export type { FallbackOptions } from "./wrappers/fallback.ts";
export { knowsReferences, REFERENCES_BETA } from "./messages/loaded-tools.ts";
export { costOf } from "./profiles/prices.ts";
export type { CommandEnd, CredentialSources, ProviderMemory } from "./choice/server/credentials.ts";
export { lookUpModel, OFFLINE_ID, type KnownModel, type ModelSettings } from "./profiles/profiles.ts";
export { fetchOptionsFrom, networkFetch } from "./http/network.ts";
export {
  besideName,
  isOffline,
  resolveModel,
  type CredentialCommands,
  type ResolvedModel,
  type ResolveOptions,
} from "./resolve.ts";
export type { PlainProvider, RetryOptions, Wait } from "./wrappers/retry.ts";
export type { Fetch } from "./http/http-call.ts";
