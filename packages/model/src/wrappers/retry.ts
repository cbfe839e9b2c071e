// Retries a model request after a transient error. Knows kinds of errors, but not HTTP.

import {
  ModelError,
  wireErrorName,
  type ModelEvent,
  type ModelNotice,
  type ModelProvider,
  type ModelRequest,
} from "@keelson/engine";
import type { RefusedThinking } from "../fit/refused-thinking.ts";

/** A provider that can also request a whole reply and yield it as the same events, for when streams keep breaking. */
export interface PlainProvider extends ModelProvider {
  plain(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/** Resolves after `ms`; rejects as soon as the signal aborts. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

export interface RetryOptions {
  readonly maxRetries?: number;
  /** Requests a broken stream again without streaming; if false, as a stream. */
  readonly plainFallback?: boolean;
  /** Gives up after this many consecutive overload errors, so the caller can try another model. */
  readonly maxOverloads?: number;
  readonly wait?: Wait;
  readonly random?: () => number;
}

const DEFAULT_MAX_RETRIES = 10;
const MAX_BACKOFF_MS = 38_000;
// If the server asks for a longer wait, fail at once; the error says when to try again.
const MAX_WAIT_MS = 600_000;

export function withRetry(inner: ModelProvider | PlainProvider, options: RetryOptions = {}): ModelProvider {
  const { maxRetries = DEFAULT_MAX_RETRIES, plainFallback = true, maxOverloads = Infinity } = options;
  const { wait = sleep, random = Math.random } = options;
  let refused: RefusedThinking | undefined;
  return {
    id: inner.id,
    ...(inner.countTokens ? { countTokens: inner.countTokens.bind(inner) } : {}),
    async *stream(asked, signal) {
      let request = refused?.without(asked) ?? asked;
      let send = inner.stream.bind(inner);
      let attempt = 0;
      let overloads = 0;
      let resent = false;
      for (;;) {
        let started = false;
        let finishedBlock = false;
        let failure: ModelError;
        try {
          for await (const event of send(request, signal)) {
            started ||= event.type !== "ping" && event.type !== "notice";
            finishedBlock ||= event.type === "content_block_stop";
            yield event;
          }
          return;
        } catch (error) {
          if (error instanceof ModelError && isThinkingRefused(error) && !started) {
            const { RefusedThinking, THINKING_REFUSED } = await import("../fit/refused-thinking.ts");
            refused ??= new RefusedThinking();
            if (!refused.add(request)) throw error;
            request = refused.without(request);
            yield notice({ type: "loss", text: THINKING_REFUSED });
            continue;
          }
          if (!(error instanceof ModelError) || !isTransient(error)) throw error;
          failure = error;
        }

        if (finishedBlock) throw toStreamCut(failure);
        if (isInterrupted(failure, started) && !resent) {
          resent = true;
          if (plainFallback && "plain" in inner) send = inner.plain.bind(inner);
          if (started) yield notice({ type: "restart" });
          continue;
        }

        overloads = failure.kind === "overloaded" ? overloads + 1 : 0;
        const delayMs = failure.retryAfterMs ?? backoff(attempt + 1, random);
        if (attempt === maxRetries || overloads >= maxOverloads || delayMs > MAX_WAIT_MS) throw failure;
        attempt++;
        if (started) yield notice({ type: "restart" });
        yield notice({
          type: "retry",
          attempt,
          maxRetries,
          delayMs,
          status: failure.status ?? null,
          error: wireErrorName(failure),
        });
        try {
          await wait(delayMs, signal);
        } catch (cause) {
          throw new ModelError("aborted", "Request was aborted", { cause });
        }
      }
    },
  };
}

/** Half a second, doubled each time, plus up to 25% at random so clients do not all retry at once. */
export function backoff(attempt: number, random: () => number): number {
  return Math.min(MAX_BACKOFF_MS, Math.round(500 * 2 ** (attempt - 1) * (1 + 0.25 * random())));
}

// Not 400, 401 or 403: the same request would get the same error.
function isTransient({ kind, isFinal }: ModelError): boolean {
  return TRANSIENT.has(kind) && !isFinal;
}

const TRANSIENT: ReadonlySet<string> = new Set([
  "overloaded",
  "rate_limit",
  "server_error",
  "connection",
  "timeout",
  "stream_cut",
]);

// "messages.1.content.0: Invalid `signature` in `thinking` block"
const THINKING = /invalid\W+signature\W+in\W+thinking|thinking\W+blocks?\b.{0,80}cannot be modified/i;

const isThinkingRefused = ({ kind, message }: ModelError) => kind === "invalid_request" && THINKING.test(message);

/** Whether the connection failed during the reply. */
function isInterrupted({ kind }: ModelError, started: boolean): boolean {
  return kind === "stream_cut" || (started && (kind === "connection" || kind === "timeout"));
}

/** A finished block may already be in use, so the request cannot be repeated; the engine handles `stream_cut`. */
function toStreamCut(error: ModelError): ModelError {
  if (error.kind === "stream_cut") return error;
  const { status, apiType, requestId } = error;
  return new ModelError("stream_cut", error.message, { status, apiType, requestId, cause: error });
}

function notice(content: ModelNotice): ModelEvent {
  return { type: "notice", notice: content };
}

export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  if (signal.aborted) reject(signal.reason);
  const timer = setTimeout(resolve, ms);
  const stop = () => reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  });
}
