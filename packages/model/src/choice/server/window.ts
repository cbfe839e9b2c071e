// Asks a local server how long its context window really is: it is often far smaller than the model's, and some servers
// then drop the beginning of a prompt without a word. Asked beside the first reply, when the model is loaded, or when
// someone wants to know.

import { ModelError, type ModelEvent, type ModelRequest } from "@keelson/engine";
import type { KnownModel } from "../../profiles/profiles.ts";
import type { ResolveOptions } from "../../resolve.ts";
import type { PlainProvider } from "../../wrappers/retry.ts";
import type { Server } from "../../http/server.ts";
import type { Destination } from "../names/names.ts";
import type { OpenedProvider } from "./open.ts";
import { modelOf } from "../known/traits.ts";

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
    // A run may have no other request; servers of one's own answer at once.
    await asked;
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
        // A server that loads models on demand may not tell yet: it is asked again beside the first reply.
        measureWindow: async () => {
          if (!windows.has(name)) await ask();
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

/** Undefined if the server does not tell. */
async function serverWindow(server: Server, provider: string, id: string): Promise<number | undefined> {
  const options = { signal: AbortSignal.timeout(ASK_MS), timeoutMs: ASK_MS };
  try {
    if (provider === "ollama") {
      // Only for models that are loaded, so the list of all of them is not needed.
      const { allocatedWindows } = await import("../../openai/list/ollama.ts");
      const windows = await allocatedWindows(server, options);
      return windows.get(id) ?? windows.get(`${id}:latest`);
    }
    const { listOpenaiModels } = await import("../../openai/list/models.ts");
    const models = await listOpenaiModels(server, options);
    const model = models.find((each) => each.id === id) ?? (models.length === 1 ? models[0] : undefined);
    return model?.contextWindow;
  } catch (error) {
    if (error instanceof ModelError) return undefined;
    throw error;
  }
}
