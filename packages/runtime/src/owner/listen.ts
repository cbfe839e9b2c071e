// Lets other programs of the user become clients of a session: a socket in a private folder. A session opens it some time after
// its start, so this module is loaded then.

import type { Socket, UnixSocketListener } from "bun";
import type { Flags } from "@keelson/config";
import { openSeal, socketCode } from "@keelson/disk/seal";
import {
  isObject,
  readField,
  toLine,
  tryParse,
  type AttachOptions,
  type ClientView,
  type Session,
} from "@keelson/protocol";
import { readInbound } from "@keelson/protocol/inbound";
import { SocketLines } from "./socket-lines.ts";
import { hasSessionIn, isDescendant, peerOf } from "./peer.ts";
import { socketPlace } from "./socket-place.ts";

export interface Listener {
  readonly path: string;
  /** Takes no more clients. Those that are there stay until the session has ended. */
  stop(): void;
}

export interface ListenOptions {
  readonly configDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What this program was started with. */
  readonly flags: Flags;
}

/** With these, a session may do less than it could in a program that opens it again without them. */
const LIMITS = {
  tools: "--tools",
  disallowedTools: "--disallowedTools",
  settings: "--settings",
  managedSettings: "--managed-settings",
  settingSources: "--setting-sources",
  permissionPromptTool: "--permission-prompt-tool",
  maxTurns: "--max-turns",
  maxBudgetUsd: "--max-budget-usd",
  safe: "--safe-mode",
} as const satisfies Partial<Record<keyof Flags, string>>;

const limitsIn = (flags: Flags) =>
  Object.entries(LIMITS).flatMap(([key, name]) => {
    const value = flags[key as keyof typeof LIMITS];
    return value === undefined || value === false || (Array.isArray(value) && value.length === 0 && key !== "tools")
      ? []
      : [name];
  });

/** What a client sends while the session does not take it yet. */
const MOST_UNTAKEN = 500;

interface Connection {
  lines: SocketLines;
}

/** Undefined if there is no place for a socket, or nothing to prove who may use it. */
export async function listen(
  session: Session,
  { configDir, env, flags }: ListenOptions,
): Promise<Listener | undefined> {
  const seal = openSeal(configDir);
  const place = await socketPlace(env);
  if (place === undefined || socketCode(seal, place.path) === undefined) return undefined;
  const serve = async (socket: Socket<Connection>, lines: SocketLines) => {
    try {
      if (!(await isWelcome(socket, session.id))) return void lines.write(toLine({ refused: true }));
      void lines.write(toLine({ session: session.id, limits: limitsIn(flags) }));
      await serveClient(session, lines, (code) => seal.isSealed("session-socket", place.path, code));
    } finally {
      lines.end();
    }
  };
  const server: UnixSocketListener<Connection> = Bun.listen<Connection>({
    unix: place.path,
    socket: {
      open(socket) {
        const lines = new SocketLines(MOST_UNTAKEN);
        socket.data = { lines };
        socket.unref();
        lines.handlers.open(socket);
        serve(socket, lines).catch(() => socket.terminate());
      },
      data: ({ data: { lines } }, bytes: Uint8Array) => lines.handlers.data(bytes),
      drain: ({ data: { lines } }) => lines.handlers.drain(),
      close: ({ data: { lines } }) => lines.handlers.close(),
      error: ({ data: { lines } }) => lines.handlers.close(),
    },
  });
  server.unref();
  place.protect();
  return {
    path: place.path,
    stop() {
      server.stop();
      place.remove();
    },
  };
}

/** A command that the session runs must not answer the questions about it. */
async function isWelcome(socket: Socket<Connection>, session: string): Promise<boolean> {
  const fd = readField(socket, "fd");
  const peer = typeof fd === "number" ? await peerOf(fd) : undefined;
  if (peer === undefined) return true;
  return peer.uid === process.getuid?.() && !isDescendant(peer.pid) && !hasSessionIn(peer.pid, session);
}

/** The first line says how to attach, the others are for the session. Resolves when the client is gone. */
async function serveClient(session: Session, lines: SocketLines, isCode: (code: unknown) => boolean): Promise<void> {
  const input = lines[Symbol.asyncIterator]();
  const first = await input.next();
  const attach: unknown = first.done ? undefined : tryParse(first.value);
  if (!isObject(attach) || attach["type"] !== "attach" || !isCode(attach["code"])) return;
  const client = session.attach(attachOptions(attach));
  const show = async () => {
    let before = client.cursor;
    for await (const message of client.messages) {
      const { cursor } = client;
      const written = lines.write(toLine({ c: cursor === before ? null : cursor, m: message }));
      before = cursor;
      if (written !== undefined) await written;
      if (lines.isClosed) return;
    }
    // The session has ended.
    lines.end();
  };
  const shown = show();
  try {
    for await (const line of input) {
      const message = readInbound(line);
      if (message !== undefined) client.send(message);
    }
  } finally {
    client.detach();
    await shown;
  }
}

function attachOptions(attach: Record<string, unknown>): AttachOptions {
  const { name, role, view, after, replay, answers, openFiles } = attach;
  return {
    name: typeof name === "string" ? name.slice(0, 100) : "another program",
    role: role === "watcher" ? "watcher" : "driver",
    view: isObject(view) ? viewOf(view) : {},
    ...(typeof after === "string" ? { after } : {}),
    ...(replay === true || isCount(replay) ? { replay } : {}),
    ...(isObject(answers)
      ? { answers: { permissions: answers["permissions"] === true, requests: answers["requests"] === true } }
      : {}),
    ...(isObject(openFiles)
      ? { openFiles: { read: openFiles["read"] === true, write: openFiles["write"] === true } }
      : {}),
    // Another program may be stopped for as long as it likes. The run never waits for it.
    whenSlow: "drop",
  };
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;

/** All of them: a part without a line here is an error of types. */
const VIEW_PARTS: Readonly<Record<keyof ClientView, true>> = {
  partial: true,
  hookEvents: true,
  agentText: true,
  replayPrompts: true,
  mirror: true,
  toolMeta: true,
  liveCalls: true,
  streamEvents: true,
};

/** What it does not say is as for any client of this session. */
function viewOf(said: Record<string, unknown>): ClientView {
  const parts = Object.keys(VIEW_PARTS).filter((part) => typeof said[part] === "boolean");
  return Object.fromEntries(parts.map((part) => [part, said[part] === true]));
}
