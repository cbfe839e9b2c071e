// Asks a local server how long its context window really is: it is often far smaller than the model's, and some servers
// then drop the beginning of a prompt without a word. Asked beside the first reply, when the model is loaded.

import { isObject } from "@keelson/protocol";
import { ModelError, type ModelEvent, type ModelRequest } from "@keelson/engine";
import { readJson } from "../messages/read-reply.ts";
import type { KnownModel } from "../profiles.ts";
import type { ResolveOptions } from "../resolve.ts";
import type { PlainProvider } from "../retry.ts";
import { callServer, type Server } from "../server.ts";
import type { Destination } from "./names.ts";
import type { OpenedProvider } from "./open.ts";
import { modelOf } from "./traits.ts";

const ASK_MS = 3_000;
/** Below it, instructions and tools leave little room for the work. */
const SMALL_WINDOW = 32_768;

/** The profile's window changes once, when the server has told its own. */
export function withServerWindow(
  { provider: inner, server }: OpenedProvider,
  destination: Destination,
  known: KnownModel,
  { memory, env, settings }: ResolveOptions,
): { readonly provider: PlainProvider; readonly known: KnownModel } {
  const { provider, id, name } = destination;
  const { isGuess } = modelOf(destination, { ...settings, env });
  const windows = memory?.windows ?? new Map<string, number>();
  let asked: Promise<void> | undefined;
  let warning: string | undefined;
  const { contextWindow: assumed, maxTokens, ...rest } = known.profile;
  const windowOf = () => {
    const told = windows.get(name);
    // What the user says about a model is its limit; a server may have less.
    return told === undefined ? assumed : isGuess ? told : Math.min(told, assumed);
  };

  const ask = async (): Promise<void> => {
    const window = await serverWindow(server, provider, id);
    if (window === undefined) return;
    windows.set(name, window);
    if (window < SMALL_WINDOW) warning = smallWindow(provider, name, window);
  };
  async function* watched(events: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent> {
    for await (const event of events) {
      if (event.type === "message_start" && !windows.has(name)) asked ??= ask();
      yield* notice();
      yield event;
    }
    yield* notice();
  }
  function* notice(): Generator<ModelEvent> {
    if (warning === undefined) return;
    const text = warning;
    warning = undefined;
    yield { type: "notice", notice: { type: "loss", text } };
  }
  const fitting = (request: ModelRequest): ModelRequest => ({
    ...request,
    max_tokens: Math.min(request.max_tokens, Math.max(1, Math.floor(windowOf() / 2))),
  });
  return {
    provider: {
      ...inner,
      stream: (request, signal) => watched(inner.stream(fitting(request), signal)),
      plain: (request, signal) => watched(inner.plain(fitting(request), signal)),
    },
    known: {
      ...known,
      profile: {
        ...rest,
        maxTokens,
        get contextWindow() {
          return windowOf();
        },
      },
    },
  };
}

function smallWindow(provider: string, name: string, window: number): string {
  const fix =
    provider === "ollama"
      ? "raise OLLAMA_CONTEXT_LENGTH"
      : provider === "lmstudio"
        ? "load the model with a longer context"
        : "start the server with a longer context";
  return `${name} has a context window of ${window} tokens here, which is little for agent work; ${fix}`;
}

/** Undefined if the server does not tell. Never throws. */
async function serverWindow(server: Server, provider: string, id: string): Promise<number | undefined> {
  const root = { ...server, baseUrl: server.baseUrl.replace(/\/v1$/, "") };
  const ask = async (from: Server, path: string): Promise<unknown> => {
    try {
      const request = { path, timeoutMs: ASK_MS, errorOf: () => new ModelError("unknown", "No answer") };
      return await readJson(await callServer(from, request, AbortSignal.timeout(ASK_MS)));
    } catch {
      return undefined;
    }
  };
  if (provider === "ollama") return loadedWindow(await ask(root, "/api/ps"), id);
  return listedWindow(await ask(server, "/models"), id) ?? propsWindow(await ask(root, "/props"));
}

const number = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? value : undefined;

/** Ollama's loaded models. */
function loadedWindow(answer: unknown, id: string): number | undefined {
  const models = isObject(answer) && Array.isArray(answer["models"]) ? answer["models"].filter(isObject) : [];
  const plain = (name: unknown) => String(name).replace(/:latest$/, "");
  const model = models.find((each) => plain(each["name"] ?? each["model"]) === plain(id));
  return number(model?.["context_length"]);
}

/** vLLM says it in its list of models. */
function listedWindow(answer: unknown, id: string): number | undefined {
  const models = isObject(answer) && Array.isArray(answer["data"]) ? answer["data"].filter(isObject) : [];
  const model = models.find((each) => each["id"] === id) ?? (models.length === 1 ? models[0] : undefined);
  return number(model?.["max_model_len"]) ?? number(model?.["loaded_context_length"]);
}

/** llama.cpp. */
function propsWindow(answer: unknown): number | undefined {
  if (!isObject(answer)) return undefined;
  const settings = isObject(answer["default_generation_settings"]) ? answer["default_generation_settings"] : {};
  return number(settings["n_ctx"]) ?? number(answer["n_ctx"]);
}
