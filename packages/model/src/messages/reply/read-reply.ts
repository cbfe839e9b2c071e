// Reads replies in the format of the Messages API: as a stream of server-sent events, or as one object. Shared by the API
// itself and by the clouds that speak its format.

import { isObject, tryParse, type ReplyMessage, type StreamEvent } from "@keelson/protocol";
import { ModelError } from "@keelson/engine";
import type { HttpCall } from "../../http/http-call.ts";
import type * as HttpError from "../../http/http-error.ts";
import type * as JoinedDeltas from "./joined-deltas.ts";
import { isReply, isValidEvent, safeEvent, safeMessage } from "./replay.ts";
import { SseDecoder } from "../../http/sse.ts";

const MAX_REPLY_BYTES = 64 * 1024 * 1024;

/** The events of a stream as they came: those of one chunk together, so that none of them is waited for. */
export type EventBatches = AsyncIterable<Iterable<StreamEvent>>;

/** Decodes server-sent events. Passes unknown event types through. `errorIn` knows errors of another shape. */
export async function* readEvents(
  call: HttpCall,
  secrets: readonly string[],
  errorIn?: (value: unknown) => ModelError | undefined,
): AsyncGenerator<Iterable<StreamEvent>> {
  const decoder = new SseDecoder();
  // Headless runs gather nothing.
  const gathering = call.canGather ? (require("./joined-deltas.ts") as typeof JoinedDeltas) : undefined;
  let last: StreamEvent | undefined;
  for await (const chunk of call.chunks(() => gathering?.gatherTimes(last) ?? 0)) {
    const events: StreamEvent[] = [];
    let failure: unknown;
    try {
      for (const { data } of decoder.push(chunk)) {
        if (data !== "[DONE]") events.push(parseEvent(data, secrets, errorIn));
      }
    } catch (error) {
      failure = error;
    }
    // What came before a broken event is shown all the same.
    const shown = gathering && events.length > 1 ? gathering.joinedDeltas(events) : events;
    last = shown.at(-1) ?? last;
    yield shown;
    if (failure instanceof RangeError) throw new ModelError("unknown", `The reply is too large: ${failure.message}`);
    if (failure !== undefined) throw failure;
  }
}

/** Parses one event. Throws ModelError for an `error` event, and for one that is not valid. */
export function parseEvent(
  data: string,
  secrets: readonly string[],
  errorIn?: (value: unknown) => ModelError | undefined,
): StreamEvent {
  const event = tryParse(data);
  if (isObject(event) && event["type"] === "error") throw errors().streamError(event["error"], secrets);
  if (isObject(event) && isValidEvent(event)) return safeEvent(event);
  const error = errorIn?.(event);
  if (error) throw error;
  const shown = errors().redact(data.slice(0, 100), secrets);
  throw new ModelError("stream_cut", `The reply contains an invalid event: ${shown}`);
}

/** Most replies need none of it. */
const errors = () => require("../../http/http-error.ts") as typeof HttpError;

/** Passes events on until `message_stop`, then closes the call. Throws ModelError if the reply is not complete. */
export async function* untilStop(batches: EventBatches, call: HttpCall): AsyncGenerator<StreamEvent> {
  const open = new Set<number>();
  let finished = false;
  try {
    reading: for await (const events of batches) {
      for (const event of events) {
        if (event.type === "content_block_start") open.add(event.index);
        if (event.type === "content_block_stop") open.delete(event.index);
        finished = event.type === "message_stop";
        if (finished && open.size > 0) break reading;
        yield event;
        if (finished) return;
      }
    }
  } finally {
    call.close({ finished });
  }
  throw new ModelError("stream_cut", "The reply ended before it was complete");
}

/** Reads the whole body; undefined if it is not JSON. */
export async function readJson(call: HttpCall): Promise<unknown> {
  let finished = false;
  try {
    const text = await call.text(MAX_REPLY_BYTES);
    finished = true;
    return tryParse(text);
  } finally {
    call.close({ finished });
  }
}

/** The reply in a body. Throws ModelError if it is none; `addressFrom` names what to check then. */
export function asReply(
  value: unknown,
  { baseUrl, addressFrom }: { readonly baseUrl: string; readonly addressFrom: string },
  secrets: readonly string[],
): ReplyMessage {
  if (isReply(value)) return safeMessage(value);
  if (isObject(value) && value["type"] === "error") throw errors().streamError(value["error"], secrets);
  throw new ModelError(
    "unknown",
    `${new URL(baseUrl).origin} does not behave like the Messages API; check ${addressFrom}`,
  );
}

/** Some gateways ignore `stream: true` and send the whole reply at once. */
export function isJson({ response }: HttpCall): boolean {
  return /\bjson\b/.test(response.headers.get("content-type") ?? "");
}
