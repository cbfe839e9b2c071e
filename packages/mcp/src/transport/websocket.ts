// Transport over a WebSocket: one JSON message per frame, with the subprotocol `mcp`.

import type { Transport } from "../client.ts";
import { CONNECTION_CLOSED, McpError, NeedsSignInError } from "../rpc.ts";

export interface WebSocketOptions {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The longest message a server may send. */
const MAX_MESSAGE_LENGTH = 16 * 1024 * 1024;
/** Bytes that wait until the server reads them. */
const MAX_BUFFERED = 4 * 1024 * 1024;
const NORMAL_CLOSURE = 1000;
const MESSAGE_TOO_BIG = 1009;

export function webSocketTransport({ url, headers = {} }: WebSocketOptions): Transport {
  let socket: WebSocket | undefined;
  return {
    async start(events, signal) {
      const opened = Promise.withResolvers<void>();
      const opening = new WebSocket(url, { protocols: ["mcp"], headers: { ...headers } });
      socket = opening;
      const giveUp = () => {
        opening.close();
        opened.reject(signal.reason);
      };
      signal.addEventListener("abort", giveUp);
      let isOpen = false;
      let tooLong = false;
      opening.addEventListener("open", () => {
        isOpen = true;
        opened.resolve();
      });
      opening.addEventListener("message", ({ data }) => {
        if (typeof data !== "string") return;
        if (data.length > MAX_MESSAGE_LENGTH) {
          tooLong = true;
          opening.close(MESSAGE_TOO_BIG);
          events.closed(
            new McpError(CONNECTION_CLOSED, "Connection closed: the server sent a message of more than 16 MiB"),
          );
          return;
        }
        const message = parse(data);
        if (message !== undefined) events.message(message);
      });
      opening.addEventListener("close", ({ code, reason }) => {
        if (!isOpen) opened.reject(failureOf(url, reason));
        else if (!tooLong) events.closed(new Error(`The server closed the WebSocket (${reason || `code ${code}`})`));
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

/** Names the host only: the rest of an address may hold a secret. */
function failureOf(url: string, reason: string): Error {
  const message = `Cannot connect to "${new URL(url).host}"${reason ? `: ${reason}` : ""}`;
  return /\b401\b/.test(reason) ? new NeedsSignInError(message) : new Error(message);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
