// Requests to the server. Addresses are relative: a proxy may offer the page under any path.

import { forget, token } from "./device.ts";

export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface ApiReply<Body> {
  readonly body: Body;
  readonly tag: string | undefined;
  /** Nothing has changed since the reply with that tag. */
  readonly isSame: boolean;
}

interface ApiOptions {
  readonly body?: object;
  readonly tag?: string | undefined;
  /** Refused if it is not the version that there is. */
  readonly match?: string | undefined;
  /** Sent twice, it is done once. */
  readonly once?: string;
  readonly signal?: AbortSignal;
}

type HttpMethod = "GET" | "POST" | "PATCH" | "DELETE";

export async function api<Body>(method: HttpMethod, path: string, options: ApiOptions = {}): Promise<ApiReply<Body>> {
  const { body, tag, match, once, signal } = options;
  const response = await fetch(`.${path}`, {
    method,
    credentials: "same-origin",
    cache: "no-store",
    ...(signal ? { signal } : {}),
    headers: {
      ...(token.value ? { Authorization: `Bearer ${token.value}` } : {}),
      ...(body ? { "Content-Type": "application/json" } : {}),
      ...(tag === undefined ? {} : { "If-None-Match": tag }),
      ...(match === undefined ? {} : { "If-Match": match }),
      ...(once === undefined ? {} : { "Idempotency-Key": once }),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  }).catch(unreachable);
  if (response.status === 304) return { body: undefined as Body, tag, isSame: true };
  const text = await response.text();
  const said: unknown = text === "" ? undefined : JSON.parse(text);
  if (!response.ok) {
    if (response.status === 401 && token.value !== undefined) forget();
    throw new ApiError(response.status, messageOf(said) ?? `The server answered ${response.status}`);
  }
  return { body: said as Body, tag: response.headers.get("etag") ?? undefined, isSame: false };
}

/** Browsers say "Failed to fetch", each in its own words. */
export function unreachable(error: unknown): never {
  if (error instanceof Error && error.name === "AbortError") throw error;
  throw new UnreachableError("The server cannot be reached; is it running, and is this device online?");
}

/** It is not known whether the request arrived. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
}

/** Of a refusal. */
export function messageOf(said: unknown): string | undefined {
  const error = (said as { error?: { message?: unknown } } | undefined)?.error;
  return typeof error?.message === "string" ? error.message : undefined;
}

export interface ListedSession {
  readonly id: string;
  readonly title: string;
  readonly cwd?: string;
  readonly branch?: string;
  readonly worktree?: string;
  readonly modified_ms: number;
  readonly open: boolean;
  /** It was put away. */
  readonly archived: boolean;
  readonly state: "idle" | "running" | "requires_action" | "elsewhere";
}

export interface ListedDevice {
  readonly id: string;
  readonly name: string;
  readonly role: "viewer" | "driver";
  readonly created_ms: number;
  readonly seen_ms: number;
  readonly remembered: boolean;
  readonly current: boolean;
}

export interface ServerFacts {
  readonly version: string;
  readonly cwd: string;
  readonly role: "viewer" | "driver";
  readonly device: string;
}
