// Claude on Vertex AI: the Messages API through streamRawPredict.

import type { JsonObject } from "@keelson/protocol";
import { ModelError, type ModelEvent, type ModelRequest } from "@keelson/engine";
import { streamedError } from "../gemini/errors.ts";
import type { DialectOptions } from "../dialect.ts";
import type { Caller } from "../messages/headers.ts";
import { messagesProvider } from "../messages/provider.ts";
import { readEvents } from "../messages/reply/read-reply.ts";
import type { PlainProvider } from "../wrappers/retry.ts";
import type { CloudPlace, Server } from "../http/server.ts";
import { vertexError } from "./errors.ts";
import { placePath } from "./place.ts";

const VERSION_FIELD: JsonObject = { anthropic_version: "vertex-2023-10-16" };
const METHODS = { stream: "streamRawPredict", plain: "rawPredict" } as const;

type VertexCaller = Caller & Pick<DialectOptions, "extraBody">;

export function claudeOnVertex(server: Server, place: CloudPlace, caller: VertexCaller): PlainProvider {
  const publisher = `${placePath(place)}/publishers/anthropic/models`;
  const betas = new KnownBetas();
  const inner = messagesProvider(
    server,
    {
      id: "vertex",
      form(request, wanted) {
        const headers = { "anthropic-beta": betas.header(request) };
        const base = { extra: { ...VERSION_FIELD, ...caller.extraBody }, headers, streamField: true };
        if (wanted === "count") return { ...base, path: `${publisher}/count-tokens:rawPredict` };
        const path = `${publisher}/${modelSegment(request.model)}:${METHODS[wanted]}`;
        return { ...base, path, omit: ["model", "context_management"] };
      },
      errorOf: (response) => vertexError(response, server.addressFrom),
      readStream: (call, secrets) => readEvents(call, secrets, streamedError),
    },
    caller,
  );

  async function* ask(how: "stream" | "plain", request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    try {
      return yield* inner[how](request, signal);
    } catch (error) {
      if (!betas.learn(error, request)) throw error;
    }
    yield* inner[how](request, signal);
  }

  return {
    ...inner,
    stream: (request, signal) => ask("stream", request, signal),
    plain: (request, signal) => ask("plain", request, signal),
  };
}

/** The betas that the server accepts: each cloud knows others, and refuses a request with one that it does not know. */
class KnownBetas {
  readonly #refused = new Set<string>();

  /** Without the beta of `context_management`, which is not sent. */
  header(request: ModelRequest): string | undefined {
    const betas = [...new Set(request.betas)].filter((beta) => !this.#refused.has(beta));
    return betas.length > 0 ? betas.join(",") : undefined;
  }

  /** True if the error is about betas, and the request is worth another attempt without them. */
  learn(error: unknown, request: ModelRequest): boolean {
    const isRefusal =
      error instanceof ModelError && error.kind === "invalid_request" && /\bbeta\b/i.test(error.message);
    if (!isRefusal) return false;
    const sent = request.betas.filter((beta) => !this.#refused.has(beta));
    const named = sent.filter((beta) => error.message.includes(beta));
    for (const beta of named.length > 0 ? named : sent) this.#refused.add(beta);
    return sent.length > 0;
  }
}

/** The id as Google spells it: `claude-sonnet-4-5@20250929`. */
function modelSegment(model: string): string {
  return encodeURIComponent(model.replace(/^publishers\/anthropic\/models\//, "")).replaceAll("%40", "@");
}
