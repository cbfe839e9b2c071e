// A control request of the program to us, as those who answer it see it.

import type { ControlRequest } from "@keelson/protocol";

export type RequestBody = ControlRequest["request"];

export interface RequestContext {
  readonly requestId: string;
  /** Aborts when the program no longer waits for the answer. */
  readonly signal: AbortSignal;
}

/** Returned instead of an answer: it reaches the program by another way, or never. */
export const NO_ANSWER = Symbol("no answer");

export type AnswerRequest = (request: RequestBody, asked: RequestContext) => Promise<unknown>;
