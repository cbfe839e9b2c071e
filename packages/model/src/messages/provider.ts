// The Messages API as clouds offer it: other addresses, other fields of the body, another way to authorize. Each cloud
// says how it differs; the rest is the same.

import { isObject, type JsonObject } from "@keelson/protocol";
import { ModelError, type ModelRequest } from "@keelson/engine";
import { BodyPool, countTokensBody } from "./body.ts";
import type { HttpCall } from "../http/http-call.ts";
import type { ErrorResponse } from "../http/http-error.ts";
import { replay } from "./reply/replay.ts";
import type { PlainProvider } from "../wrappers/retry.ts";
import { callServer, withoutSecrets, type Server } from "../http/server.ts";
import { withKnownReferences } from "./loaded-tools.ts";
import { fitRequest } from "./fit.ts";
import { messagesHeaders, userAgent, type Caller } from "./headers.ts";
import { asReply, isJson, readEvents, readJson, untilStop, type EventBatches } from "./reply/read-reply.ts";

/** What is asked for: a stream, a whole reply, or the number of tokens. */
export type Wanted = "stream" | "plain" | "count";

export interface MessagesVariant {
  readonly id: string;
  /** Where to send a request, and how its body differs. Undefined if the server cannot answer it. */
  form(request: ModelRequest, wanted: Wanted): MessagesForm | undefined;
  errorOf(response: ErrorResponse): ModelError;
  /** What the ids of one model have in common, if not the name that is part of them. */
  family?(model: string): string;
  /** Reads a stream; as server-sent events if absent. Throws ModelError for an error in it. */
  readStream?(call: HttpCall, secrets: readonly string[]): EventBatches;
}

export interface MessagesForm {
  /** Follows the base URL; begins with a slash. */
  readonly path: string;
  readonly omit?: readonly string[];
  readonly extra?: JsonObject;
  /** In place of the API's own headers of the same name; undefined leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** If the body has `stream: true` for a stream. */
  readonly streamField: boolean;
}

export function messagesProvider(server: Server, variant: MessagesVariant, caller: Caller): PlainProvider {
  const bodies = new BodyPool();
  const agent = userAgent(caller);
  const secrets = () => [...server.credentials.secrets(), ...Object.values(server.headers ?? {})];

  function post(request: ModelRequest, form: MessagesForm, body: Uint8Array<ArrayBuffer>, signal: AbortSignal) {
    const headers = { ...messagesHeaders(request, caller, agent), ...form.headers };
    return callServer(
      server,
      { path: form.path, body, headers: withoutNamed(headers, server.headers), errorOf: variant.errorOf },
      signal,
    );
  }

  async function readReply(call: HttpCall) {
    return redacting(server, async () => asReply(await readJson(call), server, secrets()));
  }

  const { family } = variant;
  const fit = (asked: ModelRequest) =>
    fitRequest(withKnownReferences(asked, false), family && ((model) => family(model) === family(asked.model)));

  return {
    id: variant.id,

    async *stream(asked, signal) {
      const { request, restore } = fit(asked);
      const form = formOf(variant, request, "stream");
      using body = bodies.lease(request, { ...form, stream: form.streamField });
      const call = await post(request, form, body.bytes, signal);
      const events = isJson(call)
        ? replay(await readReply(call))
        : redactingStream(server, untilStop((variant.readStream ?? readEvents)(call, secrets()), call));
      for await (const event of events) yield restore(event);
    },

    async *plain(asked, signal) {
      const { request, restore } = fit(asked);
      const form = formOf(variant, request, "plain");
      using body = bodies.lease(request, { ...form, stream: false });
      const reply = await readReply(await post(request, form, body.bytes, signal));
      for (const event of replay(reply)) yield restore(event);
    },

    async countTokens(asked, signal) {
      const { request } = fit(asked);
      const form = variant.form(request, "count");
      if (!form) return undefined;
      try {
        const answer = await readJson(await post(request, form, countTokensBody(request, form), signal));
        return isObject(answer) && typeof answer["input_tokens"] === "number" ? answer["input_tokens"] : undefined;
      } catch (error) {
        // Not every server can count tokens, so only an abort is an error.
        if (error instanceof ModelError && error.kind !== "aborted") return undefined;
        throw error;
      }
    },
  };
}

function formOf(variant: MessagesVariant, request: ModelRequest, wanted: Wanted): MessagesForm {
  const form = variant.form(request, wanted);
  if (!form) throw new ModelError("invalid_request", `"${request.model}" is not available through ${variant.id}`);
  return form;
}

async function redacting<T>(server: Server, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw error instanceof ModelError ? withoutSecrets(error, server) : error;
  }
}

async function* redactingStream<T>(server: Server, events: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* events;
  } catch (error) {
    throw error instanceof ModelError ? withoutSecrets(error, server) : error;
  }
}

/** Headers that the user set stay as they are. */
function withoutNamed(
  headers: Readonly<Record<string, string | undefined>>,
  own: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const named = new Set(Object.keys(own).map((name) => name.toLowerCase()));
  return Object.fromEntries(
    Object.entries(headers).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !named.has(entry[0]),
    ),
  );
}
