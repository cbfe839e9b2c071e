// The front end of browsers: a server on loopback, or behind a proxy, for all sessions of one user.

import type { Server, ServerWebSocket } from "bun";
import { SignInCodes } from "./devices/codes.ts";
import { SignedDevices } from "./devices/devices.ts";
import { createDoor, STREAM_PROTOCOL, type StreamRequest, type WebConnection } from "./door/door.ts";
import { IDLE_SECONDS, MAX_BODY, MAX_FRAME, MAX_UNSENT } from "./door/limits.ts";
import { addressProblem, allowedOrigins } from "./door/origins.ts";
import { requesterOf } from "./door/requester.ts";
import type { WebHost } from "./host.ts";
import type { PageFiles } from "./page/page-file.ts";
import { routeTable } from "./routes/table.ts";
import { CLOSE } from "./stream/close-codes.ts";
import { ListSockets, type ListSocketData } from "./stream/list-sockets.ts";
import { SessionSockets, type SessionSocketData } from "./stream/session-sockets.ts";
import { SocketCount, SocketLimits } from "./stream/socket-limits.ts";

export interface WebServeOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly behindProxy?: URL | undefined;
  page(): Promise<PageFiles>;
}

export interface WebServer {
  /** Where people find it, without a code. */
  readonly address: string;
  readonly port: number;
  /** A link that signs one device in, within a minute. It opens this session first, if one is named. */
  link(session?: string): string;
  close(): Promise<void>;
}

/** Throws if the address cannot be used; the message is for people. */
export function serveWeb(host: WebHost, { page, ...where }: WebServeOptions): WebServer {
  const problem = addressProblem(where);
  if (problem !== undefined) throw new Error(problem);
  const now = () => host.now();
  const devices = new SignedDevices(host.devices, now);
  const codes = new SignInCodes(now);
  const count = new SocketCount();
  const limits = { session: new SocketLimits(count), list: new SocketLimits(count) };
  const sessions = new SessionSockets(host, limits.session);
  const lists = new ListSockets(host, limits.list);
  const closeThose = (of: (request: StreamRequest) => boolean, code: number, reason: string) => {
    for (const streams of [sessions, lists]) streams.closeThose(of, code, reason);
  };
  devices.removed = (id) => closeThose(({ device }) => device.id === id, CLOSE.signedOut, "This device was signed out");
  const routes = routeTable({ host, devices, codes, now });
  let files: Promise<PageFiles> | undefined;

  const server: Server<StreamData> = Bun.serve<StreamData>({
    hostname: where.host,
    port: where.port,
    idleTimeout: IDLE_SECONDS,
    // What is larger is refused by the door, in our words.
    maxRequestBodySize: 2 * Math.max(...routes.map(({ maxBody = MAX_BODY }) => maxBody)),
    fetch: (request, server) => door(request, connectionOf(request, server)),
    error: () => new Response(null, { status: 500 }),
    websocket: {
      maxPayloadLength: MAX_FRAME,
      backpressureLimit: MAX_UNSENT,
      // Otherwise the socket stays open and has a hole.
      closeOnBackpressureLimit: true,
      perMessageDeflate: false,
      idleTimeout: SOCKET_IDLE_SECONDS,
      sendPings: true,
      open(socket) {
        if (isList(socket)) lists.opened(socket);
        else if (isSession(socket)) sessions.opened(socket);
      },
      message(socket, frame) {
        if (isSession(socket)) sessions.received(socket, frame);
        else socket.close(CLOSE.refused, "This stream takes no messages");
      },
      drain(socket) {
        if (isList(socket)) lists.drained(socket);
        else if (isSession(socket)) sessions.drained(socket);
      },
      close(socket) {
        if (isList(socket)) lists.closed(socket);
        else if (isSession(socket)) sessions.closed(socket);
      },
    },
  });
  const port = server.port ?? where.port;
  const origins = allowedOrigins({ ...where, port });
  const door = createDoor({
    origins,
    devices,
    routes,
    page: () => (files ??= page()),
    now,
    failed: (error) => host.warn(`A request failed: ${error instanceof Error ? error.message : String(error)}`),
  });
  const connectionOf = (request: Request, server: Server<StreamData>): WebConnection => ({
    from: requesterOf(request, server.requestIP(request)?.address, where.behindProxy !== undefined),
    isCommand() {
      const peer = server.requestIP(request);
      return peer === null || host.isCommandAt(peer, port);
    },
    upgrade(stream) {
      if (stream.kind === "run" || stream.kind === "changes") return false;
      limits[stream.kind].add(stream.device.id);
      const data = stream.kind === "list" ? { request: stream, isFull: false } : { request: stream, isClosed: false };
      const isUpgraded = server.upgrade(request, { data, headers: { "Sec-WebSocket-Protocol": STREAM_PROTOCOL } });
      if (!isUpgraded) limits[stream.kind].remove(stream.device.id);
      return isUpgraded;
    },
    patient() {
      server.timeout(request, 0);
      // It counts for the connection, which may stay open for further requests.
      return () => server.timeout(request, IDLE_SECONDS);
    },
  });
  // Another server of this user may sign a device out.
  const looking = setInterval(() => devices.refresh(), LOOK_MS);
  looking.unref();
  const beating = setInterval(() => {
    for (const streams of [sessions, lists]) streams.beat(BEAT);
  }, BEAT_MS);
  beating.unref();
  return {
    address: origins.address,
    port,
    link: (session) =>
      `${origins.address}/#code=${codes.make({ role: "driver", ...(session === undefined ? {} : { session }) })}`,
    async close() {
      clearInterval(looking);
      clearInterval(beating);
      closeThose(() => true, CLOSE.ended, "The server ends");
      await server.stop(true);
    },
  };
}

type StreamData = ListSocketData | SessionSocketData;

const isList = (socket: ServerWebSocket<StreamData>): socket is ServerWebSocket<ListSocketData> =>
  socket.data.request.kind === "list";
const isSession = (socket: ServerWebSocket<StreamData>): socket is ServerWebSocket<SessionSocketData> =>
  socket.data.request.kind === "session";

const SOCKET_IDLE_SECONDS = 60;
/** A browser does not see pings. What hears nothing for longer is no longer connected, and says so. */
const BEAT_MS = 20_000;
const BEAT = JSON.stringify({ c: null, m: { type: "keep_alive" } });
const LOOK_MS = 1_000;
