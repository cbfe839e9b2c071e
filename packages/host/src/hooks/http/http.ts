// Runs an HTTP hook: posts the event as JSON and treats the answer like the output of a command hook.
// Uses no proxy, follows no redirect, and reaches no private network. A status code alone blocks nothing.

import { isAllowedUrl } from "@keelson/engine/pattern";
import { isObject, tryParse, type HookRun, type HttpHook } from "@keelson/protocol";
import { shortageFix } from "../../shortage.ts";
import { hookHeaders } from "./headers.ts";
import {
  openConnection,
  ForbiddenAddress,
  type ConnectSocket,
  type HookConnection,
  type ResolveHost,
} from "./connect.ts";
import { MAX_ANSWER_BYTES, postHook, type HttpAnswer } from "./exchange.ts";

export interface HttpHookOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** The source of `$VAR` in headers; only variables the handler lists are used. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The setting `allowedHttpHookUrls`. */
  readonly allowedUrls?: readonly string[];
  /** The setting `httpHookAllowedEnvVars`. */
  readonly allowedEnvVars?: readonly string[];
  readonly resolve?: ResolveHost;
  readonly connect?: ConnectSocket;
}

/** Never rejects: an error becomes a `problem` without a decision. */
export async function runHttpHook(handler: HttpHook, input: string, options: HttpHookOptions): Promise<HookRun> {
  const started = performance.now();
  const end = (how: Omit<HookRun, "durationMs" | "stderr">): HookRun => ({
    ...how,
    stderr: "",
    durationMs: performance.now() - started,
  });
  const fail = (problem: string) => end({ outcome: "error", stdout: "", problem });

  const url = URL.parse(handler.url);
  const refusal = url ? urlProblem(url, options.allowedUrls) : "the hook's URL is invalid; write it in full";
  if (!url || refusal !== undefined) return fail(refusal!);

  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), Math.min(options.timeoutMs, MAX_TIMER_MS));
  const signal = AbortSignal.any([options.signal, late.signal]);
  let connection: HookConnection | undefined;
  try {
    const headers = hookHeaders(handler, options.env, options.allowedEnvVars);
    connection = await openConnection(url, signal, options);
    const answer = await postHook(connection, { url, headers, body: input }, signal);
    const problem = answerProblem(answer, url);
    if (problem === undefined) return end({ outcome: "success", exitCode: 0, stdout: answer.body });
    // What was not read may have been a no.
    return answer.tooLong ? { ...fail(problem), prevented: "unread" } : fail(problem);
  } catch (error) {
    if (options.signal.aborted) return end({ outcome: "cancelled", stdout: "", problem: "stopped with the run" });
    if (late.signal.aborted) {
      const problem = `${url.host} did not answer within ${options.timeoutMs / 1000} s`;
      return end({ outcome: "cancelled", stdout: "", problem });
    }
    if (error instanceof ForbiddenAddress) return fail(error.message);
    const fix = shortageFix(error);
    const what = `the request to ${url.host} failed: ${error instanceof Error ? error.message : String(error)}`;
    if (fix === undefined) return fail(what);
    return end({ outcome: "error", stdout: "", problem: `${what}; ${fix}`, prevented: connection ? "end" : "start" });
  } finally {
    clearTimeout(timer);
    connection?.close();
  }
}

const MAX_TIMER_MS = 2 ** 31 - 1;

/** Messages contain only the origin: paths and queries of webhooks are often secret. */
function urlProblem(url: URL, allowed: readonly string[] | undefined): string | undefined {
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return `the hook's URL starts with "${url.protocol}"; only http and https are supported`;
  }
  if (url.username !== "" || url.password !== "") {
    return "the hook's URL contains a user name or password; put them in `headers`, using a variable from `allowedEnvVars`";
  }
  if (!isAllowedUrl(url, allowed)) {
    return `${url.origin} is not allowed by the setting allowedHttpHookUrls`;
  }
  return undefined;
}

function answerProblem({ status, body, tooLong }: HttpAnswer, { host }: URL): string | undefined {
  if (status >= 300 && status < 400) {
    return `${host} answered with a redirect (HTTP ${status}), which hooks do not follow; use the final URL`;
  }
  if (status < 200 || status > 299) return `${host} answered with HTTP ${status}`;
  if (tooLong) return `${host} answered with more than ${MAX_ANSWER_BYTES / 1024 / 1024} MiB`;
  if (body.trim() === "" || isObject(tryParse(body))) return undefined;
  return `${host} answered with something other than a JSON object`;
}
