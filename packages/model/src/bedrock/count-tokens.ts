// Counts the tokens of a request through the service.

import { isObject } from "@keelson/protocol";
import { ModelError } from "@keelson/engine";
import { readJson } from "../messages/reply/read-reply.ts";
import { callServer, type Server } from "../http/server.ts";
import { bedrockError } from "./errors.ts";
import { withoutRegion } from "./model-id.ts";

/** The tokens of a request; undefined if the service cannot tell. It knows models, not their inference profiles. */
export async function countThrough(
  server: Server,
  model: string,
  input: object,
  signal: AbortSignal,
): Promise<number | undefined> {
  const path = `/model/${encodeURIComponent(withoutRegion(model))}/count-tokens`;
  try {
    const answer = await readJson(await callServer(server, { path, body: { input }, errorOf: bedrockError }, signal));
    return isObject(answer) && typeof answer["inputTokens"] === "number" ? answer["inputTokens"] : undefined;
  } catch (error) {
    // Not every model's tokens can be counted, so only an abort is an error.
    if (error instanceof ModelError && error.kind !== "aborted") return undefined;
    throw error;
  }
}
