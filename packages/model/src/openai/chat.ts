// OpenAI Chat Completions, spoken by most servers that are not Anthropic's. Makes one attempt per request; knows
// nothing about retry.

import { isObject } from "@keelson/protocol";
import type { ModelEvent, ModelRequest } from "@keelson/engine";
import type { Dialect, DialectOptions } from "../dialect.ts";
import { idsIn } from "../fit/ids.ts";
import { CHAT_NAMES, fitNames } from "../fit/names.ts";
import type { Server } from "../http/server.ts";
import { addressOfChat } from "./chat/address.ts";
import { LOSS_TEXTS } from "./chat/content.ts";
import { ChatReader } from "./chat/reader.ts";
import { chatRequest } from "./chat/request.ts";
import {
  isJsonReply,
  isWebPage,
  isConnectionLost,
  notSpoken,
  readSse,
  redacted,
  sendAdjusted,
} from "./shared/exchange.ts";
import { flavourOf } from "./shared/flavour.ts";
import { estimatedTokens } from "./shared/usage.ts";
import { readJson } from "../messages/read-reply.ts";

export const chatDialect: Dialect = {
  provider(server, options) {
    return {
      id: server.provider,
      stream: (request, signal) => redacted(server, reply(server, options, request, true, signal)),
      plain: (request, signal) => redacted(server, reply(server, options, request, false, signal)),
    };
  },
  list: async (server, options) => (await import("./list/models.ts")).listOpenaiModels(server, options),
};

async function* reply(
  server: Server,
  { traits, compat = {}, sessionId }: DialectOptions,
  request: ModelRequest,
  stream: boolean,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const { model } = request;
  const flavour = flavourOf(server);
  const names = fitNames(request.tools, CHAT_NAMES);
  const known = { flavour, provider: server.provider, traits: traits(model), compat, names, sessionId };
  const { call, built } = await sendAdjusted(
    server,
    model,
    (adjustments) => ({
      ...addressOfChat(server, model),
      ...chatRequest(request, stream, { ...known, ...adjustments }),
    }),
    signal,
  );
  for (const loss of built.losses) yield { type: "notice", notice: { type: "loss", text: LOSS_TEXTS[loss] } };

  const reader = new ChatReader({
    model,
    names,
    ids: idsIn(request.messages),
    contextWindow: known.traits.contextWindow,
    estimateInput: () => estimatedTokens({ messages: built.body.messages, tools: built.body.tools }),
  });
  if (isWebPage(call)) {
    call.close({ finished: false });
    throw notSpoken(server, "Chat Completions");
  }
  if (isJsonReply(call)) {
    // Some servers ignore `stream` and send the whole reply at once.
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
