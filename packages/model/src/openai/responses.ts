// OpenAI Responses, the vendor's newer interface. Makes one attempt per request; knows nothing about retry.

import { isObject, type JsonObject } from "@keelson/protocol";
import { ModelError, type ModelEvent, type ModelRequest } from "@keelson/engine";
import type { Dialect, DialectOptions } from "../dialect.ts";
import { idsIn } from "../fit/ids.ts";
import { fitNames, RESPONSES_NAMES } from "../fit/names.ts";
import { callServer, type Server } from "../http/server.ts";
import { LOSS_TEXTS } from "./chat/content.ts";
import { emptyMemory, type ReasoningMemory } from "./responses/input.ts";
import { ResponsesReader } from "./responses/reader.ts";
import { responsesRequest, sharedFields, type BuiltResponsesRequest } from "./responses/request.ts";
import { responseErrorOf } from "./shared/errors.ts";
import {
  isWebPage,
  isConnectionLost,
  notSpoken,
  openReply,
  readSse,
  redacted,
  sendAdjusted,
} from "./shared/exchange.ts";
import { flavourOf } from "./shared/flavour.ts";
import { habitsOf } from "./shared/habits.ts";
import { estimatedTokens } from "./shared/usage.ts";
import { readJson } from "../messages/reply/read-reply.ts";

export const responsesDialect: Dialect = {
  provider(server, options) {
    const memory = emptyMemory();
    let cannotCount = false;
    return {
      id: server.provider,
      stream: (request, signal) => redacted(server, reply(server, options, request, true, memory, signal)),
      plain: (request, signal) => redacted(server, reply(server, options, request, false, memory, signal)),
      async countTokens(request, signal) {
        if (cannotCount) return undefined;
        try {
          return await countInput(server, options, request, memory, signal);
        } catch (error) {
          if (!(error instanceof ModelError) || error.kind === "aborted") throw error;
          cannotCount = error.kind === "model_not_found" || error.kind === "invalid_request";
          return undefined;
        }
      },
    };
  },
  list: async (server, options) => (await import("./list/models.ts")).listOpenaiModels(server, options),
};

async function* reply(
  server: Server,
  { traits, sessionId }: DialectOptions,
  request: ModelRequest,
  stream: boolean,
  memory: ReasoningMemory,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const { model } = request;
  const names = fitNames(request.tools, RESPONSES_NAMES);
  const known = { flavour: flavourOf(server), traits: traits(model), names, sessionId, memory };
  let hasRejected = false;
  const { call: answered, built } = await sendAdjusted(
    server,
    model,
    (adjustments) => ({ path: pathOf(server), ...responsesRequest(request, stream, { ...known, ...adjustments }) }),
    signal,
    (error, sent) => (hasRejected = rejectReasoning(error, sent, memory)),
  );
  const losses = [...built.losses, ...(hasRejected ? (["thinking"] as const) : [])];
  for (const loss of losses) yield { type: "notice", notice: { type: "loss", text: LOSS_TEXTS[loss] } };

  const reader = new ResponsesReader({
    model,
    names,
    ids: idsIn(request.messages),
    estimateInput: () => estimatedTokens([built.body["instructions"], built.body.input, built.body["tools"]]),
  });
  if (isWebPage(answered)) {
    answered.close({ finished: false });
    throw notSpoken(server, "the Responses API");
  }
  const { call, isWhole } = await openReply(answered);
  if (isWhole) {
    const value = await readJson(call);
    if (!isObject(value)) throw new ModelError("stream_cut", "The reply ended before it was complete");
    if (!Array.isArray(value["output"]) && !value["error"]) throw notSpoken(server, "the Responses API");
    yield* value["error"] ? reader.push({ type: "error", error: value["error"] }) : reader.pushWhole(value);
    yield* reader.end();
    return;
  }
  try {
    for await (const event of readSse(call, () => reader.isComplete))
      if (event !== "done") yield* reader.push(event.data);
  } catch (error) {
    if (!isConnectionLost(error) || !reader.isComplete) throw error;
  }
  yield* reader.end();
}

const FOREIGN_REASONING =
  /encrypted content|required following item|without its required|item with id 'rs_[^']*' not found/i;

/** Reasoning of another key, or that lost what it led to. True if the request is worth another attempt without it. */
function rejectReasoning(error: ModelError, { body }: BuiltResponsesRequest, { rejected }: ReasoningMemory): boolean {
  if (error.apiType !== "invalid_encrypted_content" && !FOREIGN_REASONING.test(error.message)) return false;
  const sent = body.input.flatMap((item) => (item["type"] === "reasoning" ? [String(item["id"])] : []));
  for (const id of sent) rejected.add(id);
  return sent.length > 0;
}

/** Azure serves this interface under one address only. */
function pathOf(server: Server, path = "/responses"): string {
  return flavourOf(server) === "azure" && !/\/openai\/v\d+\/*$/.test(server.baseUrl) ? `/openai/v1${path}` : path;
}

async function countInput(
  server: Server,
  { traits }: DialectOptions,
  request: ModelRequest,
  memory: ReasoningMemory,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { shared } = sharedFields(request, {
    flavour: flavourOf(server),
    traits: traits(request.model),
    habits: habitsOf(server.baseUrl, request.model),
    names: fitNames(request.tools, RESPONSES_NAMES),
    memory,
  });
  const path = pathOf(server, "/responses/input_tokens");
  const call = await callServer(server, { path, body: shared as JsonObject, errorOf: responseErrorOf }, signal);
  const answer = await readJson(call);
  return isObject(answer) && typeof answer["input_tokens"] === "number" ? answer["input_tokens"] : undefined;
}
