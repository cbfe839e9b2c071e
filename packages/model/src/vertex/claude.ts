// Claude on Vertex AI: the Messages API through streamRawPredict.

import type { JsonObject } from "@keelson/protocol";
import { streamedError } from "../gemini/errors.ts";
import type { DialectOptions } from "../dialect.ts";
import type { Caller } from "../messages/headers.ts";
import { messagesProvider } from "../messages/provider.ts";
import { readEvents } from "../messages/read-reply.ts";
import type { PlainProvider } from "../retry.ts";
import type { CloudPlace, Server } from "../server.ts";
import { vertexError } from "./errors.ts";
import { placePath } from "./place.ts";

const VERSION_FIELD: JsonObject = { anthropic_version: "vertex-2023-10-16" };
const METHODS = { stream: "streamRawPredict", plain: "rawPredict" } as const;

type VertexCaller = Caller & Pick<DialectOptions, "extraBody">;

export function claudeOnVertex(server: Server, place: CloudPlace, caller: VertexCaller): PlainProvider {
  const publisher = `${placePath(place)}/publishers/anthropic/models`;
  return messagesProvider(
    server,
    {
      id: "vertex",
      form({ model, betas }, wanted) {
        // Without the beta of `context_management`, which Vertex does not know.
        const headers = { "anthropic-beta": betas.length > 0 ? [...new Set(betas)].join(",") : undefined };
        const base = { extra: { ...VERSION_FIELD, ...caller.extraBody }, headers, streamField: true };
        if (wanted === "count") return { ...base, path: `${publisher}/count-tokens:rawPredict` };
        const path = `${publisher}/${modelSegment(model)}:${METHODS[wanted]}`;
        return { ...base, path, omit: ["model", "context_management"] };
      },
      errorOf: (response) => vertexError(response, server.addressFrom),
      readStream: (call, secrets) => readEvents(call, secrets, streamedError),
    },
    caller,
  );
}

/** The id as Google spells it: `claude-sonnet-4-5@20250929`. */
function modelSegment(model: string): string {
  return encodeURIComponent(model.replace(/^publishers\/anthropic\/models\//, "")).replaceAll("%40", "@");
}
