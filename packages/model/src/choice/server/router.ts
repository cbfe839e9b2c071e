// Sends each request to the provider of its model: fallback models may be on other providers.

import type { ModelEvent, ModelRequest } from "@keelson/engine";
import type { PlainProvider } from "../../wrappers/retry.ts";

/** `others` opens the provider of each other model, at its first request. */
export function routed(
  main: PlainProvider,
  model: string,
  others: ReadonlyMap<string, () => Promise<PlainProvider>>,
): PlainProvider {
  const opened = new Map<string, Promise<PlainProvider>>();
  const target = (request: ModelRequest): PlainProvider | Promise<PlainProvider> => {
    const open = request.model === model ? undefined : others.get(request.model);
    if (!open) return main;
    const known = opened.get(request.model) ?? open();
    opened.set(request.model, known);
    return known;
  };
  async function* through(
    request: ModelRequest,
    ask: (provider: PlainProvider) => AsyncIterable<ModelEvent>,
  ): AsyncGenerator<ModelEvent> {
    yield* ask(await target(request));
  }
  return {
    id: main.id,
    stream: (request, signal) => through(request, (provider) => provider.stream(request, signal)),
    plain: (request, signal) => through(request, (provider) => provider.plain(request, signal)),
    countTokens: async (request, signal) => (await target(request)).countTokens?.(request, signal),
  };
}
