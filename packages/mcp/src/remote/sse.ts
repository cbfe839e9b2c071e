// Transport for servers over HTTP with server-sent events, the kind before streamable HTTP: one stream for all answers,
// and a POST for each message. A stream that ends takes the server's session with it, so it is not reopened.

import { SSEClientTransport, SseError, type JSONRPCMessage } from "@modelcontextprotocol/client";
import type { Transport, TransportEvents } from "../connection/client.ts";
import { CONNECTION_CLOSED, McpError } from "../connection/rpc.ts";
import { answerWithoutSecrets, toMcpError } from "./errors.ts";
import { guardedFetch } from "./guarded-fetch.ts";
import { contextOf, reportScope, type RemoteTransportOptions } from "./http.ts";

export function sseTransport(options: RemoteTransportOptions): Transport {
  const url = new URL(options.url);
  const starting = Promise.withResolvers<never>();
  let onLost = (error: McpError) => starting.reject(error);
  let onMessage: TransportEvents["message"] = () => undefined;
  let isStarted = false;
  let isClosed = false;
  let authorization: string | undefined;
  const context = () => contextOf(options, url, { hasSession: false, authorization });
  const explain = (error: unknown) => toMcpError(error, context());
  const lost = (error: unknown) => {
    if (isClosed) return;
    isClosed = true;
    onLost(explain(error));
    void sdk.close();
  };
  const fetch = guardedFetch({
    ...options,
    serverUrl: url,
    onAuthorization: (value) => (authorization = value),
    onScopeMissing: (scope) => reportScope(scope, options, context()),
    onTooLarge: (_, error) => lost(error),
  });
  const sdk = new SSEClientTransport(url, { fetch, ...(options.auth ? { authProvider: options.auth } : {}) });
  Object.assign(sdk, {
    onmessage: (message: JSONRPCMessage) =>
      onMessage("error" in message ? answerWithoutSecrets(message, context()) : message),
    onerror(error: Error) {
      if (isStarted && SseError.isInstance(error)) {
        lost(new McpError(CONNECTION_CLOSED, `"${url.host}" closed the stream`));
      }
    },
  });

  return {
    async start(events, signal) {
      onMessage = events.message;
      const onAbort = () => lost(new McpError(CONNECTION_CLOSED, "the connection attempt was cancelled"));
      signal.addEventListener("abort", onAbort);
      if (signal.aborted) onAbort();
      try {
        await Promise.race([sdk.start(), starting.promise]);
      } catch (error) {
        isClosed = true;
        void sdk.close();
        throw explain(error);
      } finally {
        signal.removeEventListener("abort", onAbort);
      }
      onLost = events.closed;
      isStarted = true;
    },
    async send(message) {
      try {
        await sdk.send(message as JSONRPCMessage);
      } catch (error) {
        throw explain(error);
      }
      return undefined;
    },
    useVersion: (version) => sdk.setProtocolVersion(version),
    async close() {
      isClosed = true;
      await sdk.close();
    },
  };
}
