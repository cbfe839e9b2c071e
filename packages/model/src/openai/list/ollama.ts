// Ollama's models. It cuts a prompt off at the context it allocated, without a word, so that number matters more than
// what the model could do.

import { isObject } from "@keelson/protocol";
import { ModelError } from "@keelson/engine";
import type { ListedModel, ListOptions } from "../../dialect.ts";
import type { Server } from "../../http/server.ts";
import { askServer, askOrNothing, atRoot, count, objectOf } from "./ask.ts";

export async function listOllamaModels(server: Server, options: ListOptions): Promise<readonly ListedModel[]> {
  const root = atRoot(server);
  const [tags, allocated] = await Promise.all([
    askServer(root, "/api/tags", options),
    allocatedWindows(server, options),
  ]);
  if (!isObject(tags)) throw new ModelError("unknown", "The server did not answer with a list of models");
  return Promise.all(
    namesIn(tags).map(async (id) => {
      const shown = await askOrNothing(root, "/api/show", options, { model: id });
      return modelOf(id, isObject(shown) ? shown : {}, allocated.get(id));
    }),
  );
}

/** How much context the models have that are loaded now. */
export async function allocatedWindows(server: Server, options: ListOptions): Promise<Map<string, number>> {
  const loaded = await askOrNothing(atRoot(server), "/api/ps", options);
  const windows = new Map<string, number>();
  for (const model of modelsIn(loaded)) {
    const window = count(model["context_length"]);
    for (const name of [model["name"], model["model"]])
      if (window !== undefined && typeof name === "string") windows.set(name, window);
  }
  return windows;
}

const modelsIn = (value: unknown) =>
  isObject(value) && Array.isArray(value["models"]) ? value["models"].filter(isObject) : [];

const namesIn = (value: unknown) =>
  modelsIn(value).flatMap((model) => {
    const name = model["model"] ?? model["name"];
    return typeof name === "string" ? [name] : [];
  });

function modelOf(id: string, shown: Record<string, unknown>, allocated: number | undefined): ListedModel {
  const { capabilities } = shown;
  const information = Object.entries(objectOf(shown["model_info"]));
  const most = count(information.find(([key]) => key.endsWith(".context_length"))?.[1]);
  const set = count(Number(/^num_ctx\s+(\d+)/m.exec(String(shown["parameters"] ?? ""))?.[1]));
  const contextWindow = allocated ?? set ?? most;
  const can = (what: string) => Array.isArray(capabilities) && capabilities.includes(what);
  return {
    id,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(Array.isArray(capabilities) ? { images: can("vision"), thinking: can("thinking") } : {}),
  };
}
