// An HTTP hook: the event is posted as JSON, and the answer is read as if a command had printed it.
// Never through a proxy, never after a redirect, never to a private network; a status code alone blocks nothing.

import { isObject, tryParse, type HookRun, type HttpHook } from "@keelson/protocol";
import { hookHeaders } from "./headers.ts";
import { isAllowedUrl } from "./allowed-urls.ts";
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
  /** Where `$VAR` in headers comes from; only variables the handler lists are used. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The setting `allowedHttpHookUrls`. */
  readonly allowedUrls?: readonly string[];
  /** The setting `httpHookAllowedEnvVars`. */
  readonly allowedEnvVars?: readonly string[];
  readonly resolve?: ResolveHost;
  readonly connect?: ConnectSocket;
}

/** Never rejects: whatever goes wrong is a `problem`, and no decision. */
export async function runHttpHook(handler: HttpHook, input: string, options: HttpHookOptions): Promise<HookRun> {
  const started = performance.now();
  const end = (how: Omit<HookRun, "durationMs" | "stderr">): HookRun => ({
    ...how,
    stderr: "",
    durationMs: performance.now() - started,
  });
  const fail = (problem: string) => end({ outcome: "error", stdout: "", problem });

  const url = URL.parse(handler.url);
  const refusal = url ? urlProblem(url, options.allowedUrls) : "the hook's URL cannot be read; write it out in full";
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
    return problem === undefined ? end({ outcome: "success", exitCode: 0, stdout: answer.body }) : fail(problem);
  } catch (error) {
    if (options.signal.aborted) return end({ outcome: "cancelled", stdout: "", problem: "stopped with the run" });
    if (late.signal.aborted) {
      const problem = `${url.host} did not answer within ${options.timeoutMs / 1000} s`;
      return end({ outcome: "cancelled", stdout: "", problem });
    }
    if (error instanceof ForbiddenAddress) return fail(error.message);
    return fail(`${url.host} could not be asked: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    clearTimeout(timer);
    connection?.close();
  }
}

const MAX_TIMER_MS = 2 ** 31 - 1;

/** Only origins are named in what people read: paths and queries of web hooks are often secrets. */
function urlProblem(url: URL, allowed: readonly string[] | undefined): string | undefined {
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return `the hook's URL begins with "${url.protocol}"; only http and https can be posted to`;
  }
  if (url.username !== "" || url.password !== "") {
    return "the hook's URL holds a user name or password; put them into `headers`, through a variable in `allowedEnvVars`";
  }
  if (!isAllowedUrl(url, allowed)) {
    return `${url.origin} is not among the addresses that the setting allowedHttpHookUrls lets hooks post to`;
  }
  return undefined;
}

function answerProblem({ status, body, tooLong }: HttpAnswer, { host }: URL): string | undefined {
  if (status >= 300 && status < 400) {
    return `${host} answered with a redirect (HTTP ${status}), which hooks do not follow; use the final address`;
  }
  if (status < 200 || status > 299) return `${host} answered with HTTP ${status}`;
  if (tooLong) return `${host} answered with more than ${MAX_ANSWER_BYTES / 1024 / 1024} MiB`;
  if (body.trim() === "" || isObject(tryParse(body))) return undefined;
  return `${host} answered with something other than a JSON object`;
}
