// Between the rest of the program, which calls a model `openai/gpt-5`, and a provider, which calls it `gpt-5`.

import type { ModelEvent, ModelRequest } from "@keelson/engine";
import type { ModelMessage } from "@keelson/protocol";
import type { PlainProvider } from "../../wrappers/retry.ts";
import type { Destination } from "../names/names.ts";

/** The provider, as the rest of the program asks it. */
export function withOwnNames(inner: PlainProvider, { provider, id, name }: Destination): PlainProvider {
  if (id === name) return inner;
  const prefix = `${provider}/`;
  const sent = (request: ModelRequest): ModelRequest => ({
    ...request,
    model: id,
    messages: request.messages.map((message) => withServerName(message, prefix)),
  });
  // Servers spell the name in their own way, and some give the path of a file: prices and limits are known by ours.
  async function* received(events: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent> {
    for await (const event of events)
      yield event.type === "message_start" ? { ...event, message: { ...event.message, model: name } } : event;
  }
  const count = inner.countTokens?.bind(inner);
  return {
    id: inner.id,
    stream: (request, signal) => received(inner.stream(sent(request), signal)),
    plain: (request, signal) => received(inner.plain(sent(request), signal)),
    ...(count ? { countTokens: (request, signal) => count(sent(request), signal) } : {}),
  };
}

/** What a model of this provider said, under the server's name for it. Always the same object for the same message. */
function withServerName(message: ModelMessage, prefix: string): ModelMessage {
  const { reply } = message;
  if (!reply?.model.startsWith(prefix)) return message;
  const known = renamed.get(message);
  if (known) return known;
  const next = { ...message, reply: { ...reply, model: reply.model.slice(prefix.length) } };
  renamed.set(message, next);
  return next;
}

const renamed = new WeakMap<ModelMessage, ModelMessage>();
