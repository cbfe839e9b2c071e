// Models on Bedrock that are not Claude, through the Converse API. Makes one attempt per request, plus one for each thing
// that the model turns out not to accept.

import { isObject } from "@keelson/protocol";
import { ModelError, type ModelEvent, type ModelRequest } from "@keelson/engine";
import type { DialectOptions } from "../../dialect.ts";
import { idsIn } from "../../fit/ids.ts";
import type { HttpCall } from "../../http/http-call.ts";
import { isJson, readJson } from "../../messages/reply/read-reply.ts";
import type { PlainProvider } from "../../wrappers/retry.ts";
import { callServer, type Server } from "../../http/server.ts";
import { countThrough } from "../count-tokens.ts";
import { bedrockError } from "../errors.ts";
import { readNamedEvents } from "../wire/frames.ts";
import { ConverseHabits } from "./habits.ts";
import { converseRequest, textLength } from "./request.ts";
import { ConverseReply } from "./stream.ts";
import { eventsOfReply } from "./whole-reply.ts";

export function converseProvider(server: Server, options: DialectOptions): PlainProvider {
  const known = new Map<string, ConverseHabits>();
  const secrets = () => [...server.credentials.secrets(), ...Object.values(server.headers ?? {})];

  function habitsOf(model: string): ConverseHabits {
    const habits = known.get(model) ?? new ConverseHabits();
    known.set(model, habits);
    return habits;
  }

  async function open(request: ModelRequest, wanted: "stream" | "plain", signal: AbortSignal) {
    const habits = habitsOf(request.model);
    for (;;) {
      const { body, names, losses } = converseRequest(request, options.traits(request.model), habits);
      const isWhole = wanted === "plain" || (habits.has("no streaming") && body.toolConfig !== undefined);
      const path = `/model/${encodeURIComponent(request.model)}/${isWhole ? "converse" : "converse-stream"}`;
      try {
        const call = await callServer(server, { path, body, errorOf: bedrockError }, signal);
        return { call, names, losses };
      } catch (error) {
        if (!habits.learn(error, body.inferenceConfig?.maxTokens ?? 0)) throw error;
      }
    }
  }

  async function* ask(request: ModelRequest, wanted: "stream" | "plain", signal: AbortSignal) {
    for (let attempt = 1; ; attempt++) {
      const { call, names, losses } = await open(request, wanted, signal);
      const requestId = call.response.headers.get("x-amzn-requestid") ?? crypto.randomUUID();
      const id = `msg_bdrk_${requestId.replaceAll("-", "")}`;
      const reply = new ConverseReply({ id, model: request.model, names, usedIds: idsIn(request.messages) });
      for (const text of losses) yield notice({ type: "loss", text });
      yield* readReply(call, reply, secrets());
      if (!reply.isWorthAnother || attempt > 1) return yield* reply.end(() => textLength(request));
      if (reply.hasStarted) yield notice({ type: "restart" });
    }
  }

  return {
    id: "bedrock",
    stream: (request, signal) => ask(request, "stream", signal),
    plain: (request, signal) => ask(request, "plain", signal),

    async countTokens(request, signal) {
      const { body } = converseRequest(request, options.traits(request.model), habitsOf(request.model));
      const { messages, system, toolConfig, additionalModelRequestFields } = body;
      return countThrough(
        server,
        request.model,
        { converse: { messages, system, toolConfig, additionalModelRequestFields } },
        signal,
      );
    },
  };
}

/** Reads to the end of the reply. Throws ModelError if it is not complete. */
async function* readReply(
  call: HttpCall,
  reply: ConverseReply,
  secrets: readonly string[],
): AsyncGenerator<ModelEvent> {
  if (isJson(call)) {
    const answer = await readJson(call);
    if (!isObject(answer) || !isObject(answer["output"]))
      throw new ModelError("stream_cut", "The reply ended before it was complete");
    for (const [name, payload] of eventsOfReply(answer)) yield* reply.push(name, payload);
    return;
  }
  try {
    for await (const { name, payload } of readNamedEvents(call, secrets)) {
      yield* reply.push(name, payload);
      if (reply.isComplete) return;
    }
  } finally {
    call.close({ finished: reply.isComplete });
  }
  if (!reply.isEnded) throw new ModelError("stream_cut", "The reply ended before it was complete");
}

type Notice = Extract<ModelEvent, { type: "notice" }>["notice"];
const notice = (content: Notice): ModelEvent => ({ type: "notice", notice: content });
