// For tests: a transport whose other end the test plays, and which sends messages on its own.

import type { JsonObject } from "@keelson/protocol";
import type { Transport, TransportEvents } from "./client.ts";

export interface LinkedServer {
  readonly transport: Transport;
  readonly heard: JsonObject[];
  readonly versions: string[];
  isClosed(): boolean;
  say(message: JsonObject): void;
  /** The connection breaks. */
  break(reason: Error): void;
  /** The next message that the client sends, unless it was sent already. */
  next(): Promise<JsonObject>;
}

/** Requests get the result that `answer` returns, if any; one with `code` becomes an error. */
export function linkedServer(answer: (method: string, params: JsonObject) => unknown = () => undefined): LinkedServer {
  const heard: JsonObject[] = [];
  const versions: string[] = [];
  const waiting: ((message: JsonObject) => void)[] = [];
  let taken = 0;
  let events: TransportEvents | undefined;
  let closed = false;
  const transport: Transport = {
    async start(given) {
      events = given;
    },
    async send(message) {
      heard.push(message);
      waiting.shift()?.(message);
      const { id, method, params } = message;
      if (typeof method !== "string" || id === undefined) return undefined;
      const result = (await answer(method, (params ?? {}) as JsonObject)) as JsonObject | undefined;
      if (result === undefined) return undefined;
      events!.message({ jsonrpc: "2.0", id, ...("code" in result ? { error: result } : { result }) });
      return undefined;
    },
    useVersion: (version) => void versions.push(version),
    close() {
      closed = true;
    },
  };
  return {
    transport,
    heard,
    versions,
    isClosed: () => closed,
    say: (message) => events!.message({ jsonrpc: "2.0", ...message }),
    break: (reason) => events!.closed(reason),
    next() {
      const known = heard[taken];
      taken++;
      if (known) return Promise.resolve(known);
      const { promise, resolve } = Promise.withResolvers<JsonObject>();
      waiting.push(resolve);
      return promise;
    },
  };
}
