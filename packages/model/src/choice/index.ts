// What commands about providers need; sessions use `resolveModel`.

export { ModelError } from "@keelson/engine";
export { defaultModelOf } from "./known/registry.ts";
export { knownProvider, reachableModels, type ProviderModels, type ReachableModel } from "./list.ts";
export { checkLogin, providerLogins, type ProviderLogin } from "./log-in.ts";
export { providerStates, type ProviderState } from "./state.ts";
