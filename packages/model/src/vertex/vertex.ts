// Vertex AI: Claude through the Messages API, every other model through generateContent. A model's region decides its
// address.

import { isObject } from "@keelson/protocol";
import { ModelError } from "@keelson/engine";
import type { Dialect, DialectOptions, ListedModel, ListOptions } from "../dialect.ts";
import { plainModel } from "../gemini/model.ts";
import { geminiProvider } from "../gemini/provider.ts";
import { readJson } from "../messages/reply/read-reply.ts";
import type { PlainProvider } from "../wrappers/retry.ts";
import { callServer, type CloudPlace, type Server } from "../http/server.ts";
import { claudeOnVertex } from "./claude.ts";
import { vertexError } from "./errors.ts";
import { isClaude, placePath } from "./place.ts";

export const vertexDialect: Dialect = {
  provider(server, options) {
    const gemini = geminiOnVertex(server, options);
    const claudes = new Map<string, PlainProvider>();
    const providerOf = (model: string): PlainProvider => {
      if (!isClaude(model)) return gemini;
      const place = placeIn(server, model);
      const key = `${place.baseUrl} ${place.region}`;
      const claude = claudes.get(key) ?? claudeOnVertex(at(server, place), place, options);
      claudes.set(key, claude);
      return claude;
    };
    return {
      id: "vertex",
      // Generators, so that what is wrong with the place is thrown when the stream is read.
      async *stream(request, signal) {
        yield* providerOf(request.model).stream(request, signal);
      },
      async *plain(request, signal) {
        yield* providerOf(request.model).plain(request, signal);
      },
      countTokens: async (request, signal) => providerOf(request.model).countTokens?.(request, signal),
    };
  },
  list: listModels,
};

function geminiOnVertex(server: Server, options: DialectOptions): PlainProvider {
  return geminiProvider(
    {
      id: "vertex",
      server: (model) => at(server, placeIn(server, model)),
      path: (model, method) => {
        const name = encodeURIComponent(plainModel(model));
        const query = method === "streamGenerateContent" ? "?alt=sse" : "";
        return `${placePath(placeIn(server, model))}/publishers/google/models/${name}:${method}${query}`;
      },
      countBody: ({ contents, systemInstruction, tools }) => ({ contents, systemInstruction, tools }),
    },
    options,
  );
}

function placeIn({ placeOf }: Server, model: string): CloudPlace {
  const place = placeOf?.(model);
  if (!place) throw new ModelError("invalid_request", "Vertex AI needs a project and a region; set CLOUD_ML_REGION");
  return place;
}

/** The server at this place, unless the settings give it one address for everything. */
function at(server: Server, { baseUrl, addressFrom }: CloudPlace): Server {
  if (server.baseUrl === "") return { ...server, baseUrl, addressFrom };
  return { ...server, addressFrom: `"baseUrl" of providers.${server.provider}` };
}

const PUBLISHERS = ["google", "anthropic"] as const;
const MOST_PAGES = 20;

/** What the publishers offer; the project may have no access to some of it. */
async function listModels(server: Server, options: ListOptions): Promise<readonly ListedModel[]> {
  const lists = await Promise.all(PUBLISHERS.map((publisher) => listPublisher(server, publisher, options)));
  return lists.flat();
}

async function listPublisher(
  server: Server,
  publisher: (typeof PUBLISHERS)[number],
  { signal, timeoutMs }: ListOptions,
): Promise<readonly ListedModel[]> {
  const place = placeIn(server, publisher === "google" ? "gemini" : "claude");
  const { project } = place;
  const found = at(server, place);
  const ids: string[] = [];
  let pageToken = "";
  for (let page = 0; page < MOST_PAGES; page++) {
    const call = await callServer(
      // The list is not part of version 1.
      { ...found, baseUrl: found.baseUrl.replace(/\/v1$/, "/v1beta1") },
      {
        path: `/publishers/${publisher}/models`,
        query: { pageSize: "200", ...(pageToken ? { pageToken } : {}) },
        headers: project ? { "x-goog-user-project": project } : {},
        timeoutMs,
        errorOf: (response) => vertexError(response, found.addressFrom),
      },
      signal,
    );
    const answer = await readJson(call);
    const models = isObject(answer) && Array.isArray(answer["publisherModels"]) ? answer["publisherModels"] : [];
    ids.push(
      ...models.flatMap((model) => (isObject(model) && typeof model["name"] === "string" ? [model["name"]] : [])),
    );
    pageToken = isObject(answer) && typeof answer["nextPageToken"] === "string" ? answer["nextPageToken"] : "";
    if (pageToken === "") break;
  }
  return ids
    .map((name) => name.split("/").at(-1)!)
    .filter((id) => /^(?:gemini|claude)/.test(id))
    .map((id) => ({ id }));
}
