// The events in a streamed reply of Bedrock: name and JSON of each. Exceptions are thrown.

import { tryParse } from "@keelson/protocol";
import { ModelError } from "@keelson/engine";
import type { HttpCall } from "../../http/http-call.ts";
import { redact } from "../../http/http-error.ts";
import { streamException } from "../errors.ts";
import { EventStreamDecoder } from "./event-stream.ts";

export interface NamedEvent {
  /** Such as `chunk` or `contentBlockDelta`. */
  readonly name: string;
  readonly payload: unknown;
}

/** Throws only ModelError; its message is without the secrets. */
export async function* readNamedEvents(call: HttpCall, secrets: readonly string[]): AsyncGenerator<NamedEvent> {
  const decoder = new EventStreamDecoder();
  const text = new TextDecoder();
  for await (const chunk of call.chunks()) {
    for (const { headers, payload } of decoder.push(chunk)) {
      const value = tryParse(text.decode(payload));
      const kind = headers.get(":message-type");
      if (kind === "exception")
        throw withoutThese(streamException(headers.get(":exception-type") ?? "", value), secrets);
      if (kind === "error") {
        const message = headers.get(":error-message");
        throw withoutThese(streamException(headers.get(":error-code") ?? "", { message }), secrets);
      }
      yield { name: headers.get(":event-type") ?? "", payload: value };
    }
  }
}

function withoutThese({ kind, message, apiType }: ModelError, secrets: readonly string[]): ModelError {
  return new ModelError(kind, redact(message, secrets), {
    ...(apiType === undefined ? {} : { apiType: redact(apiType, secrets) }),
  });
}
