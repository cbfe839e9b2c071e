// Amazon Bedrock: Claude in the format of the Messages API, all other models through Converse.

import { ModelError, type ModelRequest } from "@keelson/engine";
import type { Dialect, DialectOptions } from "../dialect.ts";
import type { PlainProvider } from "../retry.ts";
import type { CloudPlace, Server } from "../server.ts";
import type { RegionalCredentials } from "./aws-credentials.ts";
import { converseProvider } from "./converse/converse.ts";
import { invokeProvider } from "./invoke.ts";
import { listBedrock } from "./list.ts";
import { speaksMessages, isOpaque } from "./model-id.ts";

export const bedrockDialect: Dialect = { provider, list: listBedrock };

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
  const invoke = invokeProvider(server, options);
  const converse = converseProvider(server, options);
  /** ARNs that turned out not to be Claude. */
  const others = new Set<string>();

  const route = (model: string) =>
    speaksMessages(model) || (isOpaque(model) && !others.has(model)) ? invoke : converse;

  async function* ask(request: ModelRequest, wanted: "stream" | "plain", signal: AbortSignal) {
    const { model } = request;
    const first = route(model);
    try {
      return yield* first[wanted](request, signal);
    } catch (error) {
      // An ARN does not say what it stands for, and only Claude reads this format.
      const isOther = error instanceof ModelError && OTHER.has(error.kind) && error.status !== undefined;
      if (!isOther || first !== invoke || !isOpaque(model)) throw error;
    }
    for await (const event of converse[wanted](request, signal)) {
      others.add(model);
      yield event;
    }
  }

  return {
    id: "bedrock",
    stream: (request, signal) => ask(request, "stream", signal),
    plain: (request, signal) => ask(request, "plain", signal),
    countTokens: (request, signal) => route(request.model).countTokens!(request, signal),
  };
}

const OTHER: ReadonlySet<string> = new Set(["invalid_request", "model_not_found"]);
