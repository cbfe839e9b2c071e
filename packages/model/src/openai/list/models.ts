// The models that a server of OpenAI's kind offers, with what it says about them. Local servers tell how much context
// they really give a model in places of their own.

import { isObject } from "@keelson/protocol";
import { ModelError } from "@keelson/engine";
import type { ListedModel, ListOptions } from "../../dialect.ts";
import type { Server } from "../../http/server.ts";
import { flavourOf } from "../shared/flavour.ts";
import { askServer, askOrNothing, atRoot, count, objectOf } from "./ask.ts";
import { listOllamaModels } from "./ollama.ts";

export async function listOpenaiModels(server: Server, options: ListOptions): Promise<readonly ListedModel[]> {
  const flavour = flavourOf(server);
  if (flavour === "ollama") return listOllamaModels(server, options);
  const azure = flavour === "azure" && !/\/openai\/v\d+\/?$/.test(server.baseUrl);
  const items = itemsIn(await askServer(server, azure ? "/openai/models" : "/models", options));
  const listed = items.map(modelOf);
  if (flavour === "lmstudio") return withLoaded(listed, await askOrNothing(atRoot(server), "/api/v0/models", options));
  if (items.some((item) => item["owned_by"] === "llamacpp"))
    return withProps(listed, await askOrNothing(atRoot(server), "/props", options));
  return listed;
}

type Item = Record<string, unknown>;

/** `{data: […]}`, `{models: […]}` or the list itself. */
function itemsIn(value: unknown): Item[] {
  const list = isObject(value) ? (value["data"] ?? value["models"]) : value;
  if (!Array.isArray(list)) throw new ModelError("unknown", "The server did not answer with a list of models");
  return list.filter((item) => isObject(item) && typeof item["id"] === "string" && !OTHER_WORK.test(item["id"]));
}

/** Models that cannot hold a conversation; vendors list them with the others. */
const OTHER_WORK =
  /^(?:text-embedding|(?:text|omni)-moderation|whisper|tts|dall-e|(?:gpt|chatgpt)-image|sora|davinci|babbage)-|-(?:tts|transcribe|realtime)(?:-|$)|^gpt-realtime/;

function modelOf(item: Item): ListedModel {
  const provider = objectOf(item["top_provider"]);
  const modalities = objectOf(item["architecture"])["input_modalities"];
  const capabilities = objectOf(item["capabilities"]);
  const parameters = item["supported_parameters"];
  const contextWindow =
    count(provider["context_length"]) ??
    count(item["context_length"]) ??
    count(item["context_window"]) ??
    count(item["max_model_len"]) ??
    count(item["max_context_length"]) ??
    count(objectOf(item["meta"])["n_ctx"]);
  const maxTokens =
    count(provider["max_completion_tokens"]) ??
    count(item["max_completion_tokens"]) ??
    count(item["max_output_tokens"]);
  const images = Array.isArray(modalities) ? modalities.includes("image") : capabilities["vision"];
  const thinking = Array.isArray(parameters) ? parameters.includes("reasoning") : capabilities["reasoning"];
  const price = priceOf(objectOf(item["pricing"]));
  return {
    id: item["id"] as string,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(typeof images === "boolean" ? { images } : {}),
    ...(typeof thinking === "boolean" ? { thinking } : {}),
    ...(price ? { price } : {}),
  };
}

/** OpenRouter's prices are dollars per token, as text. */
function priceOf({ prompt, completion, input_cache_read }: Item): ListedModel["price"] {
  const [input, output, cacheRead] = [prompt, completion, input_cache_read].map(perMillion);
  if (input === undefined || output === undefined) return undefined;
  return { input, output, ...(cacheRead === undefined ? {} : { cacheRead }) };
}

function perMillion(value: unknown): number | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const dollars = Number(value);
  // Below zero means that the price depends.
  return Number.isFinite(dollars) && dollars >= 0 ? Number((dollars * 1_000_000).toPrecision(12)) : undefined;
}

/** LM Studio loads a model with less context than it could have. */
function withLoaded(listed: readonly ListedModel[], told: unknown): readonly ListedModel[] {
  const items = isObject(told) && Array.isArray(told["data"]) ? itemsIn(told) : [];
  return listed.flatMap((model) => {
    const item = items.find(({ id }) => id === model.id);
    if (!item) return [model];
    if (item["type"] === "embeddings") return [];
    const contextWindow = count(item["loaded_context_length"]) ?? count(item["max_context_length"]);
    return [{ ...model, ...(contextWindow ? { contextWindow } : {}), images: item["type"] === "vlm" }];
  });
}

/** llama.cpp serves one model, with the context it was started with. */
function withProps(listed: readonly ListedModel[], props: unknown): readonly ListedModel[] {
  if (!isObject(props)) return listed;
  const contextWindow = count(objectOf(props["default_generation_settings"])["n_ctx"]) ?? count(props["n_ctx"]);
  const { vision } = objectOf(props["modalities"]);
  return listed.map((model) => ({
    ...model,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(typeof vision === "boolean" ? { images: vision } : {}),
  }));
}
