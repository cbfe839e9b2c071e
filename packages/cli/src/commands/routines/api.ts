// Requests to a routines server (docs/routines-api.md). Its refusals are errors that say what it said.

import { callService, ServiceCallError } from "@keelson/host/service-call";
import { isList, isObject, tryParse } from "@keelson/protocol";
import type { RoutinesAddress } from "@keelson/runtime/optional-tools";
import { UsageError } from "../../args/invocation.ts";

export type ApiObject = Readonly<Record<string, unknown>>;

export interface RoutinesApi {
  send(method: "GET" | "POST", path: string, body?: object): Promise<ApiObject>;
  /** Every entry of a list. */
  pages(path: string): AsyncIterable<ApiObject>;
}

const MAX_BYTES = 4 * 1024 * 1024;

export function routinesApi({ url, token }: RoutinesAddress): RoutinesApi {
  if (url === undefined)
    throw new UsageError(
      'no server is set up; set KEELSON_ROUTINES_URL, or "routines": {"url": …} in the user settings',
    );
  const send: RoutinesApi["send"] = async (method, path, body) => {
    const headers = {
      accept: "application/json",
      ...(body && { "content-type": "application/json", "idempotency-key": crypto.randomUUID() }),
    };
    const signal = AbortSignal.timeout(60_000);
    const call = { url: url.replace(/\/+$/, "") + path, token, method, headers, signal, maxBytes: MAX_BYTES };
    try {
      const { status, text } = await callService({ ...call, ...(body && { body: JSON.stringify(body) }) });
      const json = tryParse(text);
      if (status < 200 || status > 299) throw new UsageError(`the server refused (${status}): ${messageIn(json)}`);
      if (!isObject(json)) throw new UsageError("the server sent no JSON object; is the address right?");
      return json;
    } catch (error) {
      if (error instanceof ServiceCallError) throw new UsageError(`the server cannot be reached: ${error.message}`);
      throw error;
    }
  };
  return {
    send,
    async *pages(path) {
      for (let cursor: string | undefined = ""; cursor !== undefined;) {
        const page: ApiObject = await send("GET", `${path}${cursor && `?cursor=${encodeURIComponent(cursor)}`}`);
        if (isList(page["data"])) yield* page["data"].filter(isObject);
        cursor = typeof page["next_cursor"] === "string" ? page["next_cursor"] : undefined;
      }
    },
  };
}

function messageIn(json: unknown): string {
  const error = isObject(json) ? json["error"] : undefined;
  return isObject(error) && typeof error["message"] === "string" ? error["message"] : "it does not say why";
}
