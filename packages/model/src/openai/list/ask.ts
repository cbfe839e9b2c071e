// Questions about a server's models, and how to read the answers.

import { isObject } from "@keelson/protocol";
import { ModelError } from "@keelson/engine";
import type { ListOptions } from "../../dialect.ts";
import { callServer, type Server } from "../../http/server.ts";
import { responseErrorOf } from "../shared/errors.ts";
import { readJson } from "../../messages/reply/read-reply.ts";

/** GET, or POST with a body. Throws ModelError. */
export async function askServer(server: Server, path: string, options: ListOptions, body?: object): Promise<unknown> {
  const { signal, timeoutMs } = options;
  const request = { path, timeoutMs, errorOf: responseErrorOf, ...(body ? { body } : {}) };
  return readJson(await callServer(server, request, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])));
}

/** For details that not every version of a server tells. */
export async function askOrNothing(
  server: Server,
  path: string,
  options: ListOptions,
  body?: object,
): Promise<unknown> {
  try {
    return await askServer(server, path, options, body);
  } catch (error) {
    if (error instanceof ModelError && !options.signal.aborted) return undefined;
    throw error;
  }
}

/** The same server without the `/v1` at the end of its address. */
export const atRoot = (server: Server): Server => ({ ...server, baseUrl: server.baseUrl.replace(/\/v\d+\/*$/, "") });

export const objectOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});

export function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
