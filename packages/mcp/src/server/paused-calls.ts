// Calls of clients without sessions (from 2026-07-28 on), which a server cannot ask anything while a call runs. A call
// that needs the user is answered with its question. It continues when the client sends it again with the answer.

import { isObject, type JsonObject } from "@keelson/protocol";
import { INVALID_PARAMS, McpError } from "../connection/rpc.ts";

/** Asks the client for one thing. Rejects if no answer will come. */
export type AskClient = (params: JsonObject, signal: AbortSignal) => Promise<unknown>;

interface RunningCall {
  readonly name: string;
  readonly done: Promise<JsonObject>;
  /** The next question, as the answer to the client. */
  question: PromiseWithResolvers<JsonObject>;
  /** Ends the call, whichever request waits for it now. */
  readonly stop: AbortController;
  /** The client sent the call again. */
  resumed(params: JsonObject): void;
}

interface Paused {
  readonly call: RunningCall;
  answer(result: unknown): void;
}

export interface CallToRun {
  readonly name: string;
  run(ask: AskClient, signal: AbortSignal): Promise<JsonObject>;
  resumed(params: JsonObject): void;
}

/** The only question of a round. */
const KEY = "answer";
const MAX_PAUSED = 100;
/** A client that never comes back must not hold up other calls. */
const MAX_WAIT_MS = 10 * 60_000;

export class PausedCalls {
  readonly #paused = new Map<string, Paused>();

  /** Resolves with the result of the call, or with its question. */
  begin({ name, run, resumed }: CallToRun, signal: AbortSignal): Promise<JsonObject> {
    const stop = new AbortController();
    const call: RunningCall = {
      name,
      stop,
      resumed,
      question: Promise.withResolvers(),
      // After `call` exists.
      done: Promise.resolve().then(() => run((params, until) => this.#ask(call, params, until), stop.signal)),
    };
    return next(call, signal);
  }

  /** Undefined if the request does not continue a call. */
  resume(params: JsonObject, signal: AbortSignal): Promise<JsonObject> | undefined {
    const { requestState, inputResponses } = params;
    if (requestState === undefined) return undefined;
    const paused = typeof requestState === "string" ? this.#paused.get(requestState) : undefined;
    if (!paused || paused.call.name !== params["name"]) {
      throw new McpError(INVALID_PARAMS, "This call does not wait for an answer; send it again without requestState");
    }
    paused.call.resumed(params);
    paused.answer(isObject(inputResponses) ? inputResponses[KEY] : undefined);
    return next(paused.call, signal);
  }

  async #ask(call: RunningCall, params: JsonObject, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    if (this.#paused.size >= MAX_PAUSED) throw new Error("too many calls wait for an answer");
    const requestState = crypto.randomUUID();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const onAbort = () => reject(signal.reason);
    const timer = setTimeout(() => reject(new Error("the client did not send an answer")), MAX_WAIT_MS);
    signal.addEventListener("abort", onAbort);
    this.#paused.set(requestState, { call, answer: resolve });
    const { question } = call;
    call.question = Promise.withResolvers();
    const inputRequests = { [KEY]: { method: "elicitation/create", params: { mode: "form", ...params } } };
    question.resolve({ resultType: "input_required", inputRequests, requestState });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      this.#paused.delete(requestState);
    }
  }
}

/** What to answer to the request that waits now. If it is cancelled, the call ends. */
async function next({ done, question, stop }: RunningCall, signal: AbortSignal): Promise<JsonObject> {
  const onAbort = () => stop.abort(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort);
  try {
    return await Promise.race([done, question.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
