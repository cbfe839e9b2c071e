// OpenAI Chat Completions, spoken by most servers that are not Anthropic's. Makes one attempt per request; knows
// nothing about retry.

import { isObject } from "@keelson/protocol";
import { ModelError, type ModelEvent, type ModelRequest } from "@keelson/engine";
import type { Dialect, DialectOptions } from "../dialect.ts";
import { idsIn } from "../fit/ids.ts";
import { CHAT_NAMES, fitNames, type FittedNames } from "../fit/names.ts";
import type { Server } from "../http/server.ts";
import { addressOfChat } from "./chat/address.ts";
import { LOSS_TEXTS } from "./chat/content.ts";
import type { RefusedCall } from "./chat/failed-generation.ts";
import { ChatReader } from "./chat/reader.ts";
import { chatRequest } from "./chat/request.ts";
import { FailedGeneration } from "./shared/errors.ts";
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
import { estimatedTokens } from "./shared/usage.ts";
import { readJson } from "../messages/reply/read-reply.ts";

export const chatDialect: Dialect = {
  provider(server, options) {
    return {
      id: server.provider,
      stream: (request, signal) => redacted(server, reply({ server, options, request, stream: true, signal })),
      plain: (request, signal) => redacted(server, reply({ server, options, request, stream: false, signal })),
    };
  },
  list: async (server, options) => (await import("./list/models.ts")).listOpenaiModels(server, options),
};

interface Asked {
  readonly server: Server;
  readonly options: DialectOptions;
  readonly request: ModelRequest;
  readonly stream: boolean;
  readonly signal: AbortSignal;
}

/** Groq refuses a reply whose calls it cannot read. If we cannot either, the model gets another chance. */
async function* reply(asked: Asked): AsyncGenerator<ModelEvent> {
  const { options, request } = asked;
  const names = fitNames(request.tools, CHAT_NAMES);
  const { messages, tools } = request;
  for (let isLast = false; ; isLast = true) {
    const reader = new ChatReader({
      model: request.model,
      names,
      ids: idsIn(messages),
      contextWindow: options.traits(request.model).contextWindow,
      estimateInput: () => estimatedTokens({ messages, tools }),
    });
    let hasStarted = false;
    try {
      for await (const event of attempt(asked, names, reader)) {
        hasStarted ||= event.type !== "notice";
        yield event;
      }
      return;
    } catch (error) {
      if (!(error instanceof ModelError) || !(error.cause instanceof FailedGeneration)) throw error;
      const { refusedCalls } = await import("./chat/failed-generation.ts");
      const calls = refusedCalls(error.cause.text);
      if (calls.length > 0) return yield* readCalls(calls, reader);
      if (hasStarted || isLast) throw error;
    }
  }
}

function* readCalls(calls: readonly RefusedCall[], reader: ChatReader): Generator<ModelEvent> {
  const tool_calls = calls.map((called, index) => ({ index, function: called }));
  yield* reader.push({ choices: [{ index: 0, delta: { tool_calls }, finish_reason: "tool_calls" }] });
  reader.done();
  yield* reader.end();
}

async function* attempt(
  { server, options, request, stream, signal }: Asked,
  names: FittedNames,
  reader: ChatReader,
): AsyncGenerator<ModelEvent> {
  const { traits, compat = {}, sessionId } = options;
  const { model } = request;
  const flavour = flavourOf(server);
  const known = { flavour, provider: server.provider, traits: traits(model), compat, names, sessionId };
  const { call: answered, built } = await sendAdjusted(
    server,
    model,
    (adjustments) => ({
      ...addressOfChat(server, model),
      ...chatRequest(request, stream, { ...known, ...adjustments }),
    }),
    signal,
  );
  for (const loss of built.losses) yield { type: "notice", notice: { type: "loss", text: LOSS_TEXTS[loss] } };

  if (isWebPage(answered)) {
    answered.close({ finished: false });
    throw notSpoken(server, "Chat Completions");
  }
  const { call, isWhole } = await openReply(answered);
  if (isWhole) {
    yield* whole(await readJson(call), reader, server);
    return;
  }
  try {
    for await (const event of readSse(call, () => reader.isOver)) {
      if (event === "done") reader.done();
      else yield* reader.push(event.data);
    }
  } catch (error) {
    if (!isConnectionLost(error) || !reader.isComplete) throw error;
  }
  yield* reader.end();
}

function* whole(value: unknown, reader: ChatReader, server: Server): Generator<ModelEvent> {
  if (!isObject(value)) return yield* reader.end();
  if (!Array.isArray(value["choices"]) && !value["error"]) throw notSpoken(server, "Chat Completions");
  yield* reader.push(value);
  reader.done();
  yield* reader.end();
}
