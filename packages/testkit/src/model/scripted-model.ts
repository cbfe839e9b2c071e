// A model that follows a script, in this process: for tests of the engine, and for any agent. It knows nothing about
// HTTP; `mock-server.ts` plays the same script over a socket.

import { ModelError, type ModelErrorKind, type ModelProvider, type ModelRequest } from "@keelson/engine";
import { play, untilDue } from "./play.ts";
import {
  errorStatus,
  errorType,
  isFailure,
  toEvents,
  type Failure,
  type ScriptedReply,
  type ScriptStep,
} from "./reply.ts";

export interface ScriptedModel extends ModelProvider {
  /** Every request so far, copied when it arrived. */
  readonly requests: readonly ModelRequest[];
  /** Steps of the script that were not requested yet. */
  readonly remaining: number;
}

/**
 * Answers the first request with the first step, and so on. A request past the end of the script throws a plain Error,
 * not a ModelError: it is a mistake in the test, and nothing should retry or hide it.
 */
export function scriptedModel(...script: readonly ScriptStep<ModelRequest>[]): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    id: "scripted",
    requests,
    get remaining() {
      return Math.max(0, script.length - requests.length);
    },
    async *stream(request, signal) {
      const number = requests.push(structuredClone(request));
      const step = script[number - 1];
      if (step === undefined) throw new Error(exhausted(number, script.length, request));
      const said = typeof step === "function" ? await step(requests[number - 1]!, number) : step;
      try {
        if (isFailure(said)) await refuse(said, signal);
        else yield* speak(said, number, request.model, signal);
      } catch (error) {
        throw signal.aborted ? new ModelError("aborted", "Request was aborted", { cause: error }) : error;
      }
    },
  };
}

/** The kind of error a provider should derive from a refusal. */
export function failureKind({ status, type, message = "" }: Failure): ModelErrorKind {
  if (status === 413 || /prompt is too long/i.test(message)) return "prompt_too_long";
  switch (type ?? errorType(status)) {
    case "rate_limit_error":
      return "rate_limit";
    case "overloaded_error":
      return "overloaded";
    case "authentication_error":
    case "permission_error":
      return "authentication_failed";
    case "billing_error":
      return "billing_error";
    case "not_found_error":
      return "model_not_found";
  }
  if (status >= 500 || status === 408) return "server_error";
  return status >= 400 ? "invalid_request" : "unknown";
}

async function* speak(reply: ScriptedReply, number: number, model: string, signal: AbortSignal) {
  for await (const beat of play(reply, toEvents(reply, number, model), signal)) {
    if (beat.kind === "event") yield beat.event;
    else if (beat.kind === "cut")
      throw new ModelError(
        beat.after === 0 ? "connection" : "stream_cut",
        `Connection broke after ${beat.after} events`,
      );
    else throw failed({ status: errorStatus(beat.type), type: beat.type, message: beat.message });
  }
}

async function refuse(failure: Failure, signal: AbortSignal): Promise<never> {
  await untilDue(failure, signal);
  throw failed(failure);
}

function failed(failure: Failure): ModelError {
  const retryAfter = new Headers(failure.headers).get("retry-after");
  return new ModelError(failure.kind ?? failureKind(failure), failure.message ?? `Scripted ${failure.status}`, {
    status: failure.status,
    apiType: failure.type ?? errorType(failure.status),
    ...(retryAfter === null ? {} : { retryAfterMs: Number(retryAfter) * 1000 }),
  });
}

function exhausted(number: number, length: number, request: ModelRequest): string {
  const last = JSON.stringify(request.messages.at(-1) ?? null);
  const shown = last.length > 300 ? `${last.slice(0, 300)}…` : last;
  return `Script exhausted: request ${number} came, but the script has ${length} replies. Its last message: ${shown}`;
}
