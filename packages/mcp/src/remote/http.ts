// Transport for servers over streamable HTTP: the SDK's transport, with limits on size and time, and errors that say
// what to do. One POST per message; answers arrive in its response or in the stream that the server keeps open.

import { StreamableHTTPClientTransport, type AuthProvider, type JSONRPCMessage } from "@modelcontextprotocol/client";
import type { JsonObject } from "@keelson/protocol";
import type { Transport, TransportEvents } from "../connection/client.ts";
import { CONNECTION_CLOSED, INTERNAL_ERROR, McpError } from "../connection/rpc.ts";
import {
  answerWithoutSecrets,
  isSessionExpired,
  rpcErrorIn,
  scopeMissing,
  toMcpError,
  type ErrorContext,
} from "./errors.ts";
import { guardedFetch, REQUEST_ID_HEADER, type RemoteFetch } from "./guarded-fetch.ts";
import { isEventStream, type MessageLimits } from "./limit-body.ts";
import { createReconnection } from "./reconnect.ts";

/** The sign-in of a server. */
export interface RemoteAuth extends AuthProvider {
  /** The server requires a further scope. */
  onScopeMissing(scope: string): Promise<void>;
}

export interface RemoteTransportOptions {
  /** The server's name in the configuration. */
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Not used if `headers` has an Authorization header. */
  readonly auth?: RemoteAuth;
  readonly fetch: RemoteFetch;
  /** What one message may have. */
  readonly limits?: MessageLimits;
}

interface OpenRequest {
  /** The answer was delivered. */
  answered(): void;
  fail(error: McpError): void;
  /** The server answered with JSON, so nothing follows. */
  isWhole: boolean;
}

const END_SESSION_MS = 1_000;

export function httpTransport(options: RemoteTransportOptions): Transport {
  const url = new URL(options.url);
  const open = new Map<string, OpenRequest>();
  let events: TransportEvents | undefined;
  let lastError: unknown;
  let authorization: string | undefined;
  let isClosed = false;

  const lost = (error: McpError) => {
    if (isClosed) return;
    isClosed = true;
    reconnection.stop();
    events?.closed(error);
    void sdk.close();
  };
  const reconnection = createReconnection(() =>
    lost(toMcpError(lastError ?? new Error("the server closed the connection"), context())),
  );
  const fetch = guardedFetch({
    ...options,
    serverUrl: url,
    onAuthorization: (value) => (authorization = value),
    onScopeMissing: (scope) => reportScope(scope, options, context()),
    onTooLarge: (request, error) => {
      const tooLarge = toMcpError(error, context());
      // A stream that belongs to no request would be opened again, with the same message.
      if (request === undefined) lost(tooLarge);
      else open.get(request)?.fail(tooLarge);
    },
    onResponse: (request, response) => {
      const entry = open.get(request);
      if (entry) entry.isWhole = response.status === 200 && !isEventStream(response);
    },
  });
  const sdk = new StreamableHTTPClientTransport(url, {
    fetch,
    ...(options.auth ? { authProvider: options.auth } : {}),
    reconnectionOptions: {
      initialReconnectionDelay: 1_000,
      maxReconnectionDelay: 30_000,
      reconnectionDelayGrowFactor: 2,
      // The scheduler counts.
      maxRetries: Infinity,
    },
    reconnectionScheduler: reconnection.schedule,
  });
  const context = (): ErrorContext =>
    contextOf(options, url, { hasSession: sdk.sessionId !== undefined, authorization });

  Object.assign(sdk, {
    onerror(error: Error) {
      // A plain Error only repeats the text of one reported before.
      if (error.constructor !== Error) lastError = error;
    },
    onmessage(message: JSONRPCMessage) {
      reconnection.succeeded();
      events?.message("error" in message ? answerWithoutSecrets(message, context()) : message);
      if (!("method" in message)) open.get(String(message.id))?.answered();
    },
  });

  async function post(message: JsonObject, send: Parameters<typeof sdk.send>[1]): Promise<unknown> {
    try {
      await sdk.send(message as JSONRPCMessage, send);
      return undefined;
    } catch (error) {
      const answer = isSessionExpired(error, context()) ? undefined : rpcErrorIn(error);
      if (answer !== undefined) return answerWithoutSecrets(answer, context());
      throw toMcpError(error, context());
    }
  }

  async function request(message: JsonObject, signal: AbortSignal): Promise<unknown> {
    const id = String(message["id"]);
    const over = new AbortController();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const fail = (error: unknown) => {
      reject(error);
      over.abort();
    };
    const onAbort = () => fail(new McpError(CONNECTION_CLOSED, "the request was cancelled"));
    const entry: OpenRequest = { answered: () => resolve(undefined), fail, isWhole: false };
    open.set(id, entry);
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
    try {
      post(message, {
        requestSignal: over.signal,
        headers: { [REQUEST_ID_HEADER]: id },
        onRequestStreamEnd: () =>
          fail(new McpError(CONNECTION_CLOSED, "the server ended the stream without an answer")),
      }).then((answer) => {
        if (answer !== undefined) resolve(answer);
        else if (entry.isWhole) fail(new McpError(INTERNAL_ERROR, "the server sent no answer to this request"));
      }, fail);
      return await promise;
    } finally {
      open.delete(id);
      signal.removeEventListener("abort", onAbort);
    }
  }

  return {
    async start(to) {
      events = to;
      await sdk.start();
    },
    async send(message, signal) {
      const isRequest = message["method"] !== undefined && message["id"] !== undefined;
      return isRequest ? request(message, signal) : post(message, { requestSignal: signal }).then(() => undefined);
    },
    useVersion: (version) => sdk.setProtocolVersion(version),
    async close() {
      if (isClosed) return;
      isClosed = true;
      reconnection.stop();
      await endSession(sdk);
      await sdk.close();
    },
  };
}

/** The user has to grant it, so it is noted for the next sign-in. */
export async function reportScope(
  scope: string | undefined,
  { auth }: RemoteTransportOptions,
  context: ErrorContext,
): Promise<Error> {
  if (scope !== undefined) await auth?.onScopeMissing(scope);
  return scopeMissing(scope, context);
}

/** What errors need to know about a server. `authorization` was sent last. */
export function contextOf(
  options: RemoteTransportOptions,
  url: URL,
  { hasSession, authorization = "" }: { readonly hasSession: boolean; readonly authorization?: string | undefined },
): ErrorContext {
  return {
    name: options.name,
    url,
    hasSession,
    hasOwnAuthorization: new Headers(options.headers).has("authorization"),
    // Of `Bearer abc`, also what comes after the first word.
    secrets: [...Object.values(options.headers), authorization].flatMap((value) => [
      value,
      ...value.split(/\s+/).slice(1),
    ]),
  };
}

/** A courtesy, so it may fail and does not take long. */
async function endSession(sdk: StreamableHTTPClientTransport): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, END_SESSION_MS);
  await Promise.race([sdk.terminateSession().catch(() => undefined), promise]);
  clearTimeout(timer);
}
