// Asks a server for generateContent, at the address of Gemini's own API or of a cloud. Makes one attempt per request,
// except where the server names something it does not accept, or could not read its own model's call.

import { isObject, type StreamEvent } from "@keelson/protocol";
import { ModelError, type ModelEvent, type ModelRequest } from "@keelson/engine";
import type { DialectOptions } from "../dialect.ts";
import { idsIn } from "../fit/ids.ts";
import type { HttpCall } from "../http/http-call.ts";
import type { ErrorResponse } from "../http/http-error.ts";
import { userAgent } from "../messages/headers.ts";
import { readJson } from "../messages/reply/read-reply.ts";
import type { PlainProvider } from "../wrappers/retry.ts";
import { callServer, withoutSecrets, type Server } from "../http/server.ts";
import { googleError } from "./errors.ts";
import { GeminiHabits } from "./habits.ts";
import { readResponses } from "./reply/read-responses.ts";
import { replyEvents } from "./reply/events.ts";
import { buildGemini, type BuiltRequest } from "./request/body.ts";
import type { GenerateContentRequest } from "./wire.ts";

export interface GeminiRoute {
  readonly id: string;
  server(model: string): Server;
  /** Follows the server's address. */
  path(model: string, method: Method): string;
  /** The body of a request for the number of tokens. */
  countBody(body: GenerateContentRequest, model: string): unknown;
}

export type Method = "streamGenerateContent" | "generateContent" | "countTokens";

export function geminiProvider(route: GeminiRoute, options: DialectOptions): PlainProvider {
  const learnt = new Map<string, GeminiHabits>();

  function habitsOf(model: string): GeminiHabits {
    const habits = learnt.get(model) ?? new GeminiHabits();
    learnt.set(model, habits);
    return habits;
  }

  async function open(request: ModelRequest, method: Method, signal: AbortSignal) {
    const server = route.server(request.model);
    const habits = habitsOf(request.model);
    for (let attempt = 1; ; attempt++) {
      const built = buildGemini(request, route.id, options.traits(request.model), habits);
      const body = method === "countTokens" ? route.countBody(built.body, request.model) : built.body;
      try {
        return { server, built, call: await post(server, route.path(request.model, method), body, signal) };
      } catch (error) {
        if (attempt === MOST_ATTEMPTS || !habits.learn(error, request)) throw error;
      }
    }
  }

  async function* ask(request: ModelRequest, method: Method, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    for (let mayRepeat = true; ; mayRepeat = false) {
      const { server, built, call } = await open(request, method, signal);
      if (mayRepeat) for (const text of built.losses) yield { type: "notice", notice: { type: "loss", text } };
      const repeat = yield* translated(call, built, request, server, mayRepeat);
      if (!repeat) return;
      yield { type: "notice", notice: { type: "restart" } };
    }
  }

  async function* translated(
    call: HttpCall,
    { body, names }: BuiltRequest,
    { model, messages }: ModelRequest,
    server: Server,
    mayRepeat: boolean,
  ): AsyncGenerator<StreamEvent, boolean> {
    const context = { api: route.id, model, names, ids: idsIn(messages), mayRepeat };
    // Pictures and documents cost far less than their length.
    const requestLength = () => JSON.stringify(body, (key, value) => (key === "data" ? "" : value)).length;
    try {
      return yield* replyEvents(readResponses(call, server), { ...context, requestLength });
    } catch (error) {
      throw error instanceof ModelError ? withoutSecrets(error, server) : error;
    }
  }

  return {
    id: route.id,
    stream: (request, signal) => ask(request, "streamGenerateContent", signal),
    plain: (request, signal) => ask(request, "generateContent", signal),

    async countTokens(request, signal) {
      try {
        const { call } = await open(request, "countTokens", signal);
        const answer = await readJson(call);
        return isObject(answer) && typeof answer["totalTokens"] === "number" ? answer["totalTokens"] : undefined;
      } catch (error) {
        // Not every server can count tokens, so only an abort is an error.
        if (error instanceof ModelError && error.kind !== "aborted") return undefined;
        throw error;
      }
    },
  };
}

// Each error teaches one thing; no server has more to teach.
const MOST_ATTEMPTS = 8;

const AGENT = { "user-agent": userAgent({}) };

function post(server: Server, path: string, body: unknown, signal: AbortSignal): Promise<HttpCall> {
  const errorOf = (response: ErrorResponse) => googleError(response, server.addressFrom);
  // Headers that the user set stay as they are.
  const headers = { ...AGENT, ...server.headers };
  return callServer(server, { path, body, headers, errorOf }, signal);
}
