// Requests that may need something from the user first. A server asks for it in one of two ways: with the error "URL
// elicitation required", or (from 2026-07-28 on) with a result that lists its questions. Both times the request is sent
// again with the answers.

import { isObject, type JsonObject } from "@keelson/protocol";
import type { Client, RequestLimit } from "../connection/client.ts";
import { INTERNAL_ERROR, McpError, URL_ELICITATION_REQUIRED } from "../connection/rpc.ts";

const MAX_ROUNDS = 10;
const MAX_QUESTIONS = 20;
/** Servers need not say that the user is done at the URL; after this time we try again anyway. */
const COMPLETION_MS = 60_000;
const PAUSE_MS = 500;

export interface AskOptions extends RequestLimit {
  /** Resolves when the server says that the user is done with this elicitation. */
  completed(elicitationId: string): Promise<void>;
}

type Params = (id: number) => JsonObject;

/** Like `client.request`. Every round has the full time; waiting for the user does not count. */
export async function requestWithInput(
  client: Client,
  method: string,
  params: Params,
  options: AskOptions,
): Promise<unknown> {
  let more: JsonObject = {};
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const result = await requestWithUrls(client, method, (id) => ({ ...params(id), ...more }), options);
    if (!isObject(result) || result["resultType"] !== "input_required") return result;
    more = await retryParams(client, result, options.signal);
  }
  throw new McpError(INTERNAL_ERROR, `the server asked for input more than ${MAX_ROUNDS} times`);
}

async function retryParams(
  client: Client,
  { inputRequests, requestState }: Record<string, unknown>,
  signal: AbortSignal,
): Promise<JsonObject> {
  const state: JsonObject = typeof requestState === "string" ? { requestState } : {};
  const questions = isObject(inputRequests) ? Object.entries(inputRequests) : [];
  if (questions.length > MAX_QUESTIONS) {
    throw new McpError(INTERNAL_ERROR, `the server asked more than ${MAX_QUESTIONS} questions at once`);
  }
  if (questions.length === 0) {
    // The server only wants to be asked again.
    await pause(PAUSE_MS, signal);
    return state;
  }
  const inputResponses: Record<string, JsonObject> = {};
  for (const [key, question] of questions) {
    const { method, params } = isObject(question) ? question : {};
    inputResponses[key] = await client.answer(String(method), isObject(params) ? (params as JsonObject) : {}, signal);
  }
  return { ...state, inputResponses } as JsonObject;
}

async function requestWithUrls(client: Client, method: string, params: Params, options: AskOptions): Promise<unknown> {
  try {
    return await client.request(method, params, options);
  } catch (error) {
    const urls = requiredUrls(error);
    if (urls.length === 0) throw error;
    for (const url of urls) if (!(await visit(client, url, options))) throw error;
    return client.request(method, params, options);
  }
}

function requiredUrls(error: unknown): readonly JsonObject[] {
  if (!(error instanceof McpError) || error.code !== URL_ELICITATION_REQUIRED || !isObject(error.data)) return [];
  const { elicitations } = error.data;
  const list: readonly unknown[] = Array.isArray(elicitations) ? elicitations : [];
  return list.slice(0, MAX_QUESTIONS).flatMap((each) => (isObject(each) ? [each as JsonObject] : []));
}

/** False if the user declined. */
async function visit(client: Client, elicitation: JsonObject, { signal, completed }: AskOptions): Promise<boolean> {
  const id = elicitation["elicitationId"];
  const done = typeof id === "string" ? completed(id) : Promise.resolve();
  const answer = await client.answer("elicitation/create", { ...elicitation, mode: "url" }, signal);
  if (answer["action"] !== "accept") return false;
  await Promise.race([done, pause(COMPLETION_MS, signal)]);
  return true;
}

/** Rejects with the signal's reason. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort);
  const timer = setTimeout(resolve, ms);
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  });
}
