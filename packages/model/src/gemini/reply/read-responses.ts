// Reads generateContent responses from a call: a stream of server-sent events, or JSON from a proxy that does not stream.

import { isObject, tryParse } from "@keelson/protocol";
import { ModelError } from "@keelson/engine";
import type { HttpCall } from "../../http/http-call.ts";
import { isJson, readJson } from "../../messages/reply/read-reply.ts";
import type { Server } from "../../http/server.ts";
import { SseDecoder } from "../../http/sse.ts";
import { streamedError } from "../errors.ts";
import type { GenerateContentResponse } from "../wire.ts";

/** Throws ModelError for an error in the stream. Closes the call. */
export async function* readResponses(call: HttpCall, server: Server): AsyncGenerator<GenerateContentResponse> {
  if (isJson(call)) {
    const value = await readJson(call);
    // Without `alt=sse` the stream is one list.
    for (const item of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (isObject(item) && !FIELDS.some((field) => field in item)) throw notGemini(server);
      yield asResponse(item);
    }
    return;
  }
  if (/\bhtml\b/.test(call.response.headers.get("content-type") ?? "")) {
    call.close({ finished: false });
    throw notGemini(server);
  }
  const decoder = new SseDecoder();
  let finished = false;
  try {
    for await (const chunk of call.chunks()) yield* decoded(decoder, chunk);
    // Some proxies leave out the empty line after the last event.
    yield* decoded(decoder, LINE_END);
    finished = true;
  } finally {
    call.close({ finished });
  }
}

const LINE_END = new TextEncoder().encode("\n\n");

function* decoded(decoder: SseDecoder, chunk: Uint8Array): Generator<GenerateContentResponse> {
  try {
    for (const { data } of decoder.push(chunk)) if (data !== "[DONE]") yield asResponse(tryParse(data));
  } catch (error) {
    if (error instanceof RangeError) throw new ModelError("unknown", `The reply is too large: ${error.message}`);
    throw error;
  }
}

/** Every response has one of them. */
const FIELDS = ["candidates", "promptFeedback", "usageMetadata", "error"];

function notGemini({ baseUrl, addressFrom }: Server): ModelError {
  const { origin } = new URL(baseUrl);
  return new ModelError("unknown", `${origin} does not behave like the Gemini API; check ${addressFrom}`);
}

function asResponse(value: unknown): GenerateContentResponse {
  const error = streamedError(value);
  if (error) throw error;
  if (isObject(value)) return value as GenerateContentResponse;
  throw new ModelError("stream_cut", "The reply contains a chunk that is not a JSON object");
}
