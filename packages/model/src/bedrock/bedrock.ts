// Amazon Bedrock: Claude in the format of the Messages API, all other models through Converse.

import { ModelError, type ModelRequest } from "@keelson/engine";
import type { Dialect, DialectOptions } from "../dialect.ts";
import type { PlainProvider } from "../wrappers/retry.ts";
import type { CloudPlace, Server } from "../http/server.ts";
import type { RegionalCredentials } from "./aws-credentials.ts";
import { speaksMessages, isOpaque } from "./model-id.ts";

export const bedrockDialect: Dialect = {
  provider,
  list: async (server, options) => (await import("./list.ts")).listBedrock(server, options),
};

function provider(server: Server, options: DialectOptions): PlainProvider {
  const regions = new Map<string, PlainProvider>();
  const providerOf = (model: string): PlainProvider => {
    const place = server.placeOf?.(model);
    const key = place ? `${place.baseUrl} ${place.region}` : "";
    const found = regions.get(key) ?? regionalProvider(place ? at(server, place) : server, options);
    regions.set(key, found);
    return found;
  };
  return {
    id: "bedrock",
    // Generators, so that what is wrong with the region is thrown when the stream is read.
    async *stream(request, signal) {
      yield* providerOf(request.model).stream(request, signal);
    },
    async *plain(request, signal) {
      yield* providerOf(request.model).plain(request, signal);
    },
    countTokens: async (request, signal) => providerOf(request.model).countTokens?.(request, signal),
  };
}

function at(server: Server, { baseUrl, addressFrom, region }: CloudPlace): Server {
  const { credentials } = server;
  const isRegional = "inRegion" in credentials;
  return {
    ...server,
    baseUrl,
    addressFrom,
    credentials: isRegional ? (credentials as RegionalCredentials).inRegion(region) : credentials,
  };
}

function regionalProvider(server: Server, options: DialectOptions): PlainProvider {
  // Most sessions use one of the two; each takes about 2 ms to load.
  const invoke = once(async () => (await import("./invoke.ts")).invokeProvider(server, options));
  const converse = once(async () => (await import("./converse/converse.ts")).converseProvider(server, options));
  /** ARNs that turned out not to be Claude. */
  const others = new Set<string>();

  const isForInvoke = (model: string) => speaksMessages(model) || (isOpaque(model) && !others.has(model));

  async function* ask(request: ModelRequest, wanted: "stream" | "plain", signal: AbortSignal) {
    const { model } = request;
    if (isForInvoke(model)) {
      try {
        return yield* (await invoke())[wanted](request, signal);
      } catch (error) {
        // An ARN does not say what it stands for, and only Claude reads this format.
        const isOther = error instanceof ModelError && OTHER.has(error.kind) && error.status !== undefined;
        if (!isOther || !isOpaque(model)) throw error;
      }
    }
    for await (const event of (await converse())[wanted](request, signal)) {
      if (isOpaque(model)) others.add(model);
      yield event;
    }
  }

  return {
    id: "bedrock",
    stream: (request, signal) => ask(request, "stream", signal),
    plain: (request, signal) => ask(request, "plain", signal),
    async countTokens(request, signal) {
      const provider = await (isForInvoke(request.model) ? invoke : converse)();
      return provider.countTokens?.(request, signal);
    },
  };
}

const OTHER: ReadonlySet<string> = new Set(["invalid_request", "model_not_found"]);

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
