// Parts of a request that both APIs of OpenAI share. Pure.

import type { JsonObject } from "@keelson/protocol";
import type { ModelRequest } from "@keelson/engine";

/** Said for the user where the conversation ends with the assistant: many servers refuse to continue from there. */
export const CONTINUE = "Continue.";

/** The request with descriptions of tools that did not fit elsewhere. */
export function withDetails(request: ModelRequest, details: string | undefined): ModelRequest {
  return details === undefined ? request : { ...request, system: [...request.system, { type: "text", text: details }] };
}

/** The schema of the reply, if the request has one. */
export function formatSchema(config: JsonObject | undefined): JsonObject | undefined {
  const format = config?.["format"] as JsonObject | undefined;
  return format?.["type"] === "json_schema" ? (format["schema"] as JsonObject) : undefined;
}
