// The front end of editors: the Agent Client Protocol on two streams, for any number of sessions.

import type { EditorHost } from "./host.ts";
import { METHODS, signInRequired, takeNotification, type MethodTargets } from "./methods/methods.ts";
import { paramsIn } from "./methods/read-params.ts";
import { RpcConnection, type IncomingCall } from "./rpc/connection.ts";
import { InputLines } from "./rpc/input-lines.ts";
import { ERROR_CODES, RpcError } from "./rpc/rpc-error.ts";
import { EditorSessions } from "./sessions/editor-sessions.ts";

export interface EditorStreams {
  readonly input: AsyncIterable<Uint8Array>;
  /** Await the promise if there is one: the reader is behind. Rejects when it is gone. */
  write(line: string): void | Promise<void>;
}

export interface EditorServer {
  /** Resolves when the input has ended, and every session with it. */
  readonly done: Promise<void>;
  close(): Promise<void>;
}

/** The longest line that is read. */
const LONGEST_LINE = 64 * 1024 * 1024;
/** How much is read from an editor that does not read what we say, before it has to wait. */
const MOST_UNREAD = 16 * 1024 * 1024;

export function serveEditor(host: EditorHost, { input, write }: EditorStreams): EditorServer {
  const over = Promise.withResolvers<void>();
  const handle = async ({ method, params, signal }: IncomingCall) => {
    const run = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
    if (run === undefined)
      throw new RpcError(ERROR_CODES.unknownMethod, `There is no method ${JSON.stringify(method.slice(0, 100))}`);
    if (!targets.isInitialized && method !== "initialize")
      throw new RpcError(ERROR_CODES.invalidRequest, "The first request must be initialize");
    return run(paramsIn(params), targets, signal);
  };
  const connection: RpcConnection = new RpcConnection({
    write: (line) => {
      const slow = write(line);
      slow?.catch(() => over.resolve());
      return slow;
    },
    handle,
    notified: (method, params) => takeNotification(method, params, targets),
  });
  const targets: MethodTargets = {
    host,
    isInitialized: false,
    capabilities: {},
    sessions: new EditorSessions({
      host,
      connection,
      capabilities: () => targets.capabilities,
      signIn: () => signInRequired(targets.capabilities),
    }),
  };

  const close = async () => {
    over.resolve();
    await ending;
  };
  const read = async () => {
    const lines = new InputLines(LONGEST_LINE);
    let unread = 0;
    for await (const chunk of input) {
      for (const line of lines.push(chunk)) connection.take(line);
      unread = connection.slow === undefined ? 0 : unread + chunk.length;
      if (unread > MOST_UNREAD) await connection.slow;
    }
    const rest = lines.rest();
    if (rest !== undefined) connection.take(rest);
  };
  const ending = Promise.race([read(), over.promise]).finally(async () => {
    // What waits for an answer gets none; the replies to prompts are still sent.
    await targets.sessions.closeAll();
    connection.end();
  });
  return { done: ending, close };
}
