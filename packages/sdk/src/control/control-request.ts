// A control request from the program to us, as the code that answers it sees it.

import type { UncheckedRequest } from "@keelson/protocol";

export interface RequestContext {
  readonly requestId: string;
  /** Aborts when the program no longer waits for the answer. */
  readonly signal: AbortSignal;
}

/** Returned instead of an answer: the answer reaches the program another way, or never. */
export const NO_ANSWER = Symbol("no answer");

export type AnswerRequest = (request: UncheckedRequest, asked: RequestContext) => Promise<unknown>;
