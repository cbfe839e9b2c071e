// One request to a server of OpenAI's kind: sends it, reads the answer as a stream or as a whole, and asks again with
// less where the server refuses an optional part.

import { isObject, tryParse } from "@keelson/protocol";
import { ModelError } from "@keelson/engine";
import { peek, type HttpCall } from "../../http/http-call.ts";
import { callServer, withoutSecrets, type Server, type ServerRequest } from "../../http/server.ts";
import { SseDecoder } from "../../http/sse.ts";
import { FailedGeneration, responseErrorOf } from "./errors.ts";
import { habitsOf, rememberHabits, type ServerHabits } from "./habits.ts";
import { learn, type Sent } from "./lessons.ts";

export interface Attempted {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly sent: Sent;
}

/** What may change between two attempts. */
export interface Adjustments {
  readonly habits: ServerHabits;
  readonly maxTokens?: number;
}

// Each error teaches one thing; no server has more to teach.
const MOST_ATTEMPTS = 8;

/** Sends the request that `build` makes, again and differently as long as the server's errors say how. */
export async function sendAdjusted<T extends Attempted>(
  server: Server,
  model: string,
  build: (adjustments: Adjustments) => T,
  signal: AbortSignal,
  /** Notes what else an error says. True if another attempt will be different because of it. */
  note: (error: ModelError, built: T) => boolean = () => false,
): Promise<{ readonly call: HttpCall; readonly built: T }> {
  let adjustments: Adjustments = { habits: habitsOf(server.baseUrl, model) };
  for (let attempt = 1; ; attempt++) {
    const built = build(adjustments);
    try {
      return { call: await callServer(server, requestOf(built), signal), built };
    } catch (error) {
      if (!(error instanceof ModelError) || attempt === MOST_ATTEMPTS) throw error;
      // The request was right; the reply was not.
      if (error.cause instanceof FailedGeneration) throw error;
      // A request is shortened once; if it is still too long, the prompt is.
      if (error.kind === "prompt_too_long" && adjustments.maxTokens !== undefined) throw error;
      if (note(error, built)) continue;
      const lesson = learn(error, built.sent, adjustments.habits);
      if (!lesson) throw error;
      adjustments = { ...adjustments, habits: lesson.habits, ...lesson.once };
      rememberHabits(server.baseUrl, model, lesson.habits);
    }
  }
}

function requestOf({ path, query, body }: Attempted): ServerRequest {
  return { path, body, ...(query ? { query } : {}), errorOf: responseErrorOf };
}

const LOST = new Set<string>(["stream_cut", "connection", "timeout"]);

/** Whether the connection failed. What was complete by then stays complete. */
export const isConnectionLost = (error: unknown) => error instanceof ModelError && LOST.has(error.kind);

/** The reply, and whether it came at once: some servers ignore `stream`. Not all of them say so in the header. */
export async function openReply(call: HttpCall): Promise<{ readonly call: HttpCall; readonly isWhole: boolean }> {
  if (/\bevent-stream\b/.test(call.response.headers.get("content-type") ?? "")) return { call, isWhole: false };
  try {
    const { call: opened, beginning } = await peek(call);
    return { call: opened, isWhole: beginning.startsWith("{") || beginning === "" };
  } catch (error) {
    call.close({ finished: false });
    throw error;
  }
}

/** The error for an answer that is not of this dialect at all, such as the page of a web server. */
export function notSpoken({ baseUrl, addressFrom }: Server, dialect: string): ModelError {
  return new ModelError("unknown", `${new URL(baseUrl).origin} does not answer like ${dialect}; check ${addressFrom}`);
}

export const isWebPage = ({ response }: HttpCall) => /\bhtml\b/.test(response.headers.get("content-type") ?? "");

/**
 * The data of each event, parsed, until the mark at the end of a Chat Completions stream (`done`), or until `isOver`:
 * not every server closes its stream.
 */
export async function* readSse(
  call: HttpCall,
  isOver: () => boolean,
): AsyncGenerator<{ readonly data: Record<string, unknown> } | "done"> {
  const decoder = new SseDecoder();
  let finished = false;
  try {
    for await (const chunk of withEnd(call.chunks())) {
      for (const { data } of pushed(decoder, chunk)) {
        if (data.trim() === "") continue;
        finished = data.trim() === "[DONE]";
        yield finished ? "done" : { data: parsed(data) };
        finished ||= isOver();
        if (finished) return;
      }
    }
    finished = true;
  } finally {
    call.close({ finished });
  }
}

/** A last event without the empty line that ends it is still an event. */
async function* withEnd(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks;
  yield new TextEncoder().encode("\n\n");
}

function* pushed(decoder: SseDecoder, chunk: Uint8Array) {
  try {
    yield* decoder.push(chunk);
  } catch (error) {
    if (error instanceof RangeError) throw new ModelError("unknown", `The reply is too large: ${error.message}`);
    throw error;
  }
}

function parsed(data: string): Record<string, unknown> {
  const value = tryParse(data);
  if (!isObject(value))
    throw new ModelError("stream_cut", `The reply contains an invalid event: ${data.slice(0, 100)}`);
  return value;
}

/** Runs `body`; errors that quote a credential are redacted. */
export async function* redacted<T>(server: Server, body: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* body;
  } catch (error) {
    throw error instanceof ModelError ? withoutSecrets(error, server) : error;
  }
}
