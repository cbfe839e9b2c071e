// Gemini's own API: generateContent with a key in a header.

import { isObject } from "@keelson/protocol";
import { ModelError } from "@keelson/engine";
import type { Dialect, ListedModel, ListOptions } from "../dialect.ts";
import { readJson } from "../messages/reply/read-reply.ts";
import { callServer, type Server } from "../http/server.ts";
import { googleError } from "./errors.ts";
import { plainModel } from "./model.ts";
import { geminiProvider } from "./provider.ts";

export const geminiDialect: Dialect = {
  provider: (server, options) =>
    geminiProvider(
      {
        id: "gemini",
        server: () => server,
        path: (model, method) =>
          `${version(server)}/${collection(model)}:${method}${method === "streamGenerateContent" ? "?alt=sse" : ""}`,
        countBody: (body, model) => ({ generateContentRequest: { model: collection(model), ...body } }),
      },
      options,
    ),
  list: listModels,
};

/** The version of the API, unless the address has it already. */
function version({ baseUrl }: Server): string {
  return /\/v\d+(?:alpha|beta)?\d*\/*$/.test(baseUrl) ? "" : "/v1beta";
}

function collection(model: string): string {
  const [, tuned] = /^tunedModels\/(.+)$/.exec(model) ?? [];
  return tuned === undefined
    ? `models/${encodeURIComponent(plainModel(model))}`
    : `tunedModels/${encodeURIComponent(tuned)}`;
}

const MOST_PAGES = 20;

async function listModels(server: Server, { signal, timeoutMs }: ListOptions): Promise<readonly ListedModel[]> {
  const models: ListedModel[] = [];
  let pageToken: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const call = await callServer(
      server,
      {
        path: `${version(server)}/models`,
        query: { pageSize: "1000", ...(pageToken ? { pageToken } : {}) },
        timeoutMs,
        errorOf: (response) => googleError(response, server.addressFrom),
      },
      signal,
    );
    const answer = await readJson(call);
    if (!isObject(answer)) throw new ModelError("unknown", "The server did not answer with a list of models");
    const { models: found, nextPageToken: next } = answer;
    models.push(...(Array.isArray(found) ? found.flatMap(listed) : []));
    if (typeof next !== "string" || next === "") break;
    pageToken = next;
  }
  return models;
}

/** Models that cannot chat, such as those for embeddings, are left out. */
function listed(value: unknown): ListedModel[] {
  if (!isObject(value) || typeof value["name"] !== "string") return [];
  const { name, inputTokenLimit, outputTokenLimit, supportedGenerationMethods: methods, thinking } = value;
  if (Array.isArray(methods) && !methods.includes("generateContent")) return [];
  return [
    {
      id: plainModel(name as string),
      ...(typeof inputTokenLimit === "number" ? { contextWindow: inputTokenLimit } : {}),
      ...(typeof outputTokenLimit === "number" ? { maxTokens: outputTokenLimit } : {}),
      ...(typeof thinking === "boolean" ? { thinking } : {}),
    },
  ];
}
