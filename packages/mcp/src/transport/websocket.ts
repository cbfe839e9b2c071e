// Transport over a WebSocket: one JSON message per frame, with the subprotocol `mcp`.

import type { Transport } from "../connection/client.ts";
import { CONNECTION_CLOSED, McpError, messageOf, NeedsSignInError } from "../connection/rpc.ts";
import { MAX_MESSAGE_BYTES, parseMessage } from "./parse.ts";

export interface WebSocketOptions {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Direct if absent. */
  readonly proxy?: string | undefined;
  readonly tls?: Bun.TLSOptions | undefined;
}

/** Bytes that wait until the server reads them. */
const MAX_BUFFERED = 4 * 1024 * 1024;
const NORMAL_CLOSURE = 1000;
const MESSAGE_TOO_BIG = 1009;

export function webSocketTransport({ url, headers = {}, proxy, tls }: WebSocketOptions): Transport {
  let socket: WebSocket | undefined;
  return {
    async start(events, signal) {
      const opened = Promise.withResolvers<void>();
      // A few compressed bytes could become hundreds of megabytes.
      const opening = new WebSocket(url, {
        protocols: ["mcp"],
        headers: { ...headers },
        perMessageDeflate: false,
        ...(proxy === undefined ? {} : { proxy }),
        ...(tls === undefined ? {} : { tls }),
      });
      socket = opening;
      const giveUp = () => {
        opening.close();
        opened.reject(signal.reason);
      };
      signal.addEventListener("abort", giveUp);
      let isOpen = false;
      let isRefused = false;
      let status: string | undefined;
      opening.addEventListener("open", () => {
        isOpen = true;
        opened.resolve();
      });
      opening.addEventListener("message", ({ data }) => {
        if (typeof data !== "string") return;
        try {
          const message = read(data);
          if (message !== undefined) events.message(message);
        } catch (error) {
          isRefused = true;
          opening.close(MESSAGE_TOO_BIG);
          events.closed(new McpError(CONNECTION_CLOSED, `Connection closed: ${messageOf(error)}`));
        }
      });
      opening.addEventListener("error", (event) => {
        status = /status code: (\d+)/.exec((event as ErrorEvent).message)?.[1];
      });
      opening.addEventListener("close", ({ code, reason }) => {
        if (!isOpen) opened.reject(failureOf(url, headers, status));
        else if (!isRefused) events.closed(new Error(`The server closed the WebSocket (${reason || `code ${code}`})`));
      });
      try {
        await opened.promise;
      } finally {
        signal.removeEventListener("abort", giveUp);
      }
    },
    async send(message) {
      if (socket?.readyState !== WebSocket.OPEN) throw new McpError(CONNECTION_CLOSED, "Connection closed");
      if (socket.bufferedAmount > MAX_BUFFERED) throw new Error("The server does not read its messages");
      socket.send(JSON.stringify(message));
      return undefined;
    },
    close() {
      socket?.close(NORMAL_CLOSURE);
    },
  };
}

/** Bun has read the message by now, up to its own limit of 128 MB. */
function read(text: string): unknown {
  if (text.length > MAX_MESSAGE_BYTES) throw new Error("the server sent a message of more than 16 MiB");
  return parseMessage(text);
}

/** Names the host only: the rest of an address may hold a secret. */
function failureOf(url: string, headers: Readonly<Record<string, string>>, status: string | undefined): Error {
  const host = `Cannot connect to "${new URL(url).host}"`;
  if (status === undefined) return new Error(host);
  const message = `${host}: the server answered with HTTP status ${status}`;
  if (status !== "401") return new Error(message);
  const hasOwn = new Headers(headers).has("authorization");
  return hasOwn
    ? new Error(`${message}, so it rejects the configured Authorization header`)
    : new NeedsSignInError(`${message}; add an Authorization header, or a headersHelper that prints one`);
}
