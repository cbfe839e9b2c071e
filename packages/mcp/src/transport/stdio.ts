// Transport for a server that is a program: one JSON message per line on its stdin and stdout.

import { CONNECTION_CLOSED, McpError, messageOf } from "../connection/rpc.ts";
import type { Transport, TransportEvents } from "../connection/client.ts";
import { OutgoingMessages } from "./outgoing.ts";
import { splitLines } from "./lines.ts";
import { MAX_MESSAGE_BYTES, parseMessage } from "./parse.ts";

/** A running server program. */
export interface ServerProcess {
  /** Resolves when the program has room for more. Rejects if it does not read any more. */
  write(text: string): Promise<void>;
  readonly output: AsyncIterable<Uint8Array>;
  /** Resolves when the program has exited, with a sentence about how. */
  readonly exited: Promise<string>;
  /** The end of what it wrote to stderr. For people, never for the model. */
  stderr(): string;
  /** Closes stdin, then ends the program and all its children. Resolves when they are gone. */
  end(): Promise<void>;
}

/** Messages that wait until the program reads them. */
const MAX_QUEUED_CHARACTERS = 4 * 1024 * 1024;

/** `start` is called once, when the connection opens. */
export function stdioTransport(start: () => ServerProcess | Promise<ServerProcess>): Transport {
  let server: ServerProcess | undefined;
  let queue: OutgoingMessages | undefined;
  let isClosed = false;
  const skipped = { lines: 0 };
  return {
    async start(events) {
      const running = await start();
      if (isClosed) return running.end();
      server = running;
      queue = new OutgoingMessages(MAX_QUEUED_CHARACTERS, (text) =>
        running.write(text).catch(() => throwExited(running)),
      );
      void read(running, events, skipped);
    },
    async send(message) {
      if (!queue) throwClosed();
      await queue.push(`${JSON.stringify(message)}\n`);
      return undefined;
    },
    noise: () => noiseOf(skipped),
    async close() {
      isClosed = true;
      await server?.end();
    },
  };
}

/** Lines that are not JSON are skipped: many programs print a greeting. */
async function read(server: ServerProcess, events: TransportEvents, skipped: Skipped): Promise<void> {
  try {
    for await (const line of splitLines(server.output, MAX_MESSAGE_BYTES)) {
      const message = parseMessage(line);
      if (message === undefined) skipped.lines++;
      else events.message(message);
    }
  } catch (error) {
    events.closed(new McpError(CONNECTION_CLOSED, `Connection closed: ${messageOf(error)}`));
    return;
  }
  const how = await Promise.race([server.exited, Bun.sleep(EXIT_MS).then(() => "The program closed its output")]);
  const noise = noiseOf(skipped);
  events.closed(new Error(`${how}${noise === undefined ? "" : `; ${noise}`}`));
}

/** Lines of output that are not messages. */
interface Skipped {
  lines: number;
}

const noiseOf = ({ lines }: Skipped) => (lines > 0 ? `skipped output lines that are not JSON: ${lines}` : undefined);

/** A program that exits may refuse a message before its exit is known. */
async function throwExited({ exited }: ServerProcess): Promise<never> {
  const how = await Promise.race([exited, Bun.sleep(EXIT_MS)]);
  throw new McpError(CONNECTION_CLOSED, how ? `Connection closed. ${how}` : "Connection closed");
}

function throwClosed(): never {
  throw new McpError(CONNECTION_CLOSED, "Connection closed");
}

/** A program that exits closes its output a moment earlier. */
const EXIT_MS = 500;
