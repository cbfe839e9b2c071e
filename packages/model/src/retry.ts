// Tries a model request again while the failure is one that waiting can cure. Knows kinds of errors, not HTTP.

import { ModelError, type ModelEvent, type ModelNotice, type ModelProvider, type ModelRequest } from "@keelson/engine";

/** A provider that can also answer all at once, told as the same events. The way out when streams keep breaking. */
export interface PlainProvider extends ModelProvider {
  plain(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/** Resolves after a time; rejects at once when the signal is aborted. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

export interface RetryOptions {
  readonly maxRetries?: number;
  /** A broken stream is asked for once more in one piece. Off: asked for as a stream again. */
  readonly plainFallback?: boolean;
  /** Gives up after this many overloaded answers in a row, for a caller who knows another model. */
  readonly maxOverloads?: number;
  readonly wait?: Wait;
  readonly random?: () => number;
}

const DEFAULT_MAX_RETRIES = 10;
const MAX_BACKOFF_MS = 38_000;
// Longer than this nobody wants to sit and wait; the error says when to come back.
const MAX_WAIT_MS = 600_000;

export function withRetry(inner: ModelProvider | PlainProvider, options: RetryOptions = {}): ModelProvider {
  const { maxRetries = DEFAULT_MAX_RETRIES, plainFallback = true, maxOverloads = Infinity } = options;
  const { wait = sleep, random = Math.random } = options;
  return {
    id: inner.id,
    ...(inner.countTokens ? { countTokens: inner.countTokens.bind(inner) } : {}),
    async *stream(request, signal) {
      let ask = inner.stream.bind(inner);
      let attempt = 0;
      let overloads = 0;
      let resent = false;
      for (;;) {
        let started = false;
        let finishedBlock = false;
        let failure: ModelError;
        try {
          for await (const event of ask(request, signal)) {
            started ||= event.type !== "ping" && event.type !== "notice";
            finishedBlock ||= event.type === "content_block_stop";
            yield event;
          }
          return;
        } catch (error) {
          if (!(error instanceof ModelError) || !isTransient(error)) throw error;
          failure = error;
        }

        if (finishedBlock) throw toStreamCut(failure);
        if (isInterrupted(failure, started) && !resent) {
          resent = true;
          if (plainFallback && "plain" in inner) ask = inner.plain.bind(inner);
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
          error: wireName(failure),
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

/** Half a second, doubled each time, a little longer by chance so that clients do not come back all at once. */
export function backoff(attempt: number, random: () => number): number {
  return Math.min(MAX_BACKOFF_MS, Math.round(500 * 2 ** (attempt - 1) * (1 + 0.25 * random())));
}

// Never 400, 401 or 403: the same request gets the same answer.
function isTransient({ kind }: ModelError): boolean {
  return TRANSIENT.has(kind);
}

const TRANSIENT: ReadonlySet<string> = new Set([
  "overloaded",
  "rate_limit",
  "server_error",
  "connection",
  "timeout",
  "stream_cut",
]);

/** Whether the reply was on its way and got lost. */
function isInterrupted({ kind }: ModelError, started: boolean): boolean {
  return kind === "stream_cut" || (started && (kind === "connection" || kind === "timeout"));
}

/** What was said up to a finished block stands, so the request cannot be repeated; the engine decides what follows. */
function toStreamCut(error: ModelError): ModelError {
  if (error.kind === "stream_cut") return error;
  const { status, apiType } = error;
  return new ModelError("stream_cut", error.message, { status, apiType, cause: error });
}

/** The wire has no name for failures of the line itself. */
function wireName({ kind }: ModelError): string {
  return kind === "connection" || kind === "timeout" || kind === "stream_cut" ? "unknown" : kind;
}

function notice(said: ModelNotice): ModelEvent {
  return { type: "notice", notice: said };
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
