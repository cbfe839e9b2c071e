// What commands about providers need; sessions use `resolveModel`.

export { knownProvider, listModels, type ProviderModels, type ReachableModel } from "./list.ts";
export { providerStates, type ProviderState } from "./state.ts";
