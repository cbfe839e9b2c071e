// Opens a WebSocket that only listens: connects to a checked address, agrees on the protocol, and gives each message.

import type { Socket } from "node:net";
import { openConnection, type ConnectOptions } from "../../hooks/http/connect.ts";
import { controlFrame, frameReader, OPCODE } from "./frames.ts";

export interface SocketSource {
  readonly url: string;
  readonly protocols?: readonly string[];
}

export interface ListeningSocket {
  /** Resolves when it is over. An error says why it ended early. */
  readonly ended: Promise<{ readonly error?: string }>;
  /** Says goodbye and ends it. */
  close(): void;
}

const MAX_HEAD_BYTES = 16 * 1024;
const OPEN_TIMEOUT_MS = 30_000;
const GREETING = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"; // fixed by RFC 6455

/** Throws if it cannot be opened. */
export async function openSocket(
  { url: address, protocols = [] }: SocketSource,
  message: (text: string) => void,
  options: { readonly signal: AbortSignal } & ConnectOptions,
): Promise<ListeningSocket> {
  const url = new URL(address);
  const opening = AbortSignal.any([options.signal, AbortSignal.timeout(OPEN_TIMEOUT_MS)]);
  const connection = await openConnection(url, opening, { ...options, who: "monitors", localByName: true });
  const { socket } = connection;
  const giveUp = () => connection.close();
  opening.addEventListener("abort", giveUp);
  try {
    const key = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("base64");
    const listening = listen(socket, message, giveUp, (head) => checkAnswer(head, key, protocols));
    socket.write(requestHead(url, key, protocols));
    await listening.opened;
    return listening;
  } catch (error) {
    giveUp();
    throw opening.aborted ? new Error("the server did not answer in time") : error;
  } finally {
    opening.removeEventListener("abort", giveUp);
  }
}

/** `agree` throws if the server's answer is not what was asked for. */
function listen(
  socket: Socket,
  message: (text: string) => void,
  closeConnection: () => void,
  agree: (head: string) => void,
): ListeningSocket & { readonly opened: Promise<void> } {
  const opened = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<{ readonly error?: string }>();
  const read = frameReader();
  const finish = (end: { readonly error?: string }) => {
    opened.reject(new Error(end.error ?? "the server closed the connection"));
    ended.resolve(end);
    closeConnection();
  };

  const takeFrames = (chunk: Uint8Array) => {
    for (const { opcode, payload } of read(chunk)) {
      if (opcode === OPCODE.text) message(payload.toString("utf8"));
      else if (opcode === OPCODE.ping) socket.write(controlFrame(OPCODE.pong, payload));
      else if (opcode === OPCODE.close) {
        socket.end(controlFrame(OPCODE.close, payload.subarray(0, 2)));
        return finish({});
      } else if (opcode !== OPCODE.pong) message(`[${payload.length} bytes of binary data]`);
    }
  };
  // The first frames may come together with the head, so both are read in one place.
  let held = Buffer.alloc(0);
  const takeHead = (chunk: Uint8Array) => {
    held = Buffer.concat([held, chunk]);
    const end = held.indexOf("\r\n\r\n");
    if (end < 0 && held.length > MAX_HEAD_BYTES) throw new Error("the server's answer is too long");
    if (end < 0) return;
    agree(held.toString("latin1", 0, end));
    take = takeFrames;
    opened.resolve();
    takeFrames(held.subarray(end + 4));
  };
  let take = takeHead;
  let isOver = false;
  socket.on("data", (chunk: Uint8Array) => {
    if (isOver) return;
    try {
      take(chunk);
    } catch (error) {
      isOver = true;
      finish({ error: (error as Error).message });
    }
  });
  socket.on("error", (error: Error) => finish({ error: error.message }));
  socket.on("close", () => finish({ error: "the connection was lost" }));
  return {
    opened: opened.promise,
    ended: ended.promise,
    close() {
      socket.end(controlFrame(OPCODE.close, Uint8Array.of(0x03, 0xe8)));
      finish({});
    },
  };
}

function requestHead(url: URL, key: string, protocols: readonly string[]): string {
  return [
    `GET ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    "Upgrade: websocket",
    "Connection: Upgrade",
    `Sec-WebSocket-Key: ${key}`,
    "Sec-WebSocket-Version: 13",
    ...(protocols.length > 0 ? [`Sec-WebSocket-Protocol: ${protocols.join(", ")}`] : []),
    "",
    "",
  ].join("\r\n");
}

function checkAnswer(head: string, key: string, protocols: readonly string[]): void {
  const [status = "", ...lines] = head.split("\r\n");
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const [, code] = /^HTTP\/1\.1 (\d{3})/.exec(status) ?? [];
  if (code !== "101") throw new Error(`the server answered '${status.slice(0, 100)}' instead of opening a WebSocket`);
  const expected = new Bun.CryptoHasher("sha1").update(key + GREETING).digest("base64");
  const chosen = headers.get("sec-websocket-protocol");
  if (headers.get("sec-websocket-accept") !== expected || headers.has("sec-websocket-extensions")) {
    throw new Error("the server does not speak the WebSocket protocol");
  }
  if (chosen !== undefined && !protocols.includes(chosen)) throw new Error(`the server chose the protocol '${chosen}'`);
}
