// A server for a team: the API and the page behind the one door, the scheduler, and routes for workers. Any number of them may share a database.

import {
  addressProblem,
  allowedOrigins,
  CLOSE,
  createDoor,
  HttpRefusal,
  MAX_BODY,
  MAX_FRAME,
  MAX_UNSENT,
  openApi,
  RateLimit,
  requesterOf,
  routinesPageFiles,
  STREAM_PROTOCOL,
  type HttpRefusalType,
  type Route,
  type StreamTarget,
  type WebConnection,
} from "@keelson/web";
import { pageRoutes } from "./api/page-routes.ts";
import { routineRoutes } from "./api/routine-routes.ts";
import { accountRoutes } from "./api/account-routes.ts";
import { Refusals } from "./api/audit.ts";
import { peopleRoutes } from "./api/people-routes.ts";
import { teamSignInRoutes, type SignInApi } from "./api/sign-in-routes.ts";
import type { Figure } from "./metrics/figures.ts";
import { createMeter, type ServerMeter } from "./metrics/meter.ts";
import { PROMETHEUS_TYPE, prometheusText } from "./metrics/prometheus.ts";
import { pauseFor } from "./pause.ts";
import { environmentRoutes } from "./api/environment-routes.ts";
import { runRoutes } from "./api/run-routes.ts";
import { webhookRoutes } from "./api/webhook-routes.ts";
import { startScheduler } from "./schedule/scheduler.ts";
import { SHORTEST_GAP } from "./schedule/cron-line.ts";
import { createZones } from "./schedule/trigger-slots.ts";
import { workerRoutes } from "./store/http/routes.ts";
import type { RunStore } from "./store/run-store.ts";
import type { SecretBox } from "./team/secret-box.ts";
import { codeForFirst, hasPeople } from "./team/people.ts";
import { TEAM_ROLES, TeamHolders } from "./team/holders.ts";
import { OidcSignIn, type OidcSettings } from "./team/oidc.ts";
import { Tickets } from "./team/tickets.ts";
import type { PasskeySite } from "./team/passkey.ts";
import { bearerIn } from "./team/tokens.ts";
import { HookLimits } from "./triggers/hook-limits.ts";
import { triggerRoutes } from "./triggers/routes.ts";
import { RunSockets, type RunSocketData } from "./watch/sockets.ts";

export interface ServeRoutinesOptions {
  readonly store: RunStore;
  readonly box: SecretBox;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly behindProxy?: URL | undefined;
  readonly version: string;
  /** Between two runs of a schedule. Default: an hour. */
  readonly shortestGapMs?: number;
  /** Whom runs act as on GitHub: what they do there starts nothing. */
  readonly ownLogins?: readonly string[];
  /** Where people may sign in besides with passkeys. */
  readonly oidc?: OidcSettings | undefined;
  /** For people, on the terminal. */
  note(text: string): void;
}

export interface ServedRoutines {
  readonly address: string;
  readonly port: number;
  /** For the terminal alone: a link that makes whoever opens it the first admin. Undefined: there are people already. */
  firstLink(): Promise<string | undefined>;
  figures(): Promise<readonly Figure[]>;
  /** Lets requests that are being answered end. */
  close(): Promise<void>;
}

const RUN_STREAM = /^\/v1\/runs\/([\w-]{1,128})\/stream$/;

const STREAMS = {
  "/v1/runs/{id}/stream": {
    summary: "A run as it goes on, as a WebSocket",
    description:
      'Each frame is `{c, m}`: a cursor or null, and a message. First, m is `{type: "run", run}`, also whenever the run has changed. ' +
      "Frames with a message of the run's program also have `at` and `attempt`. " +
      'Others show how it goes on and are not kept: `{type: "stream", subtype: "snapshot", events}` has the end of what is being written, ' +
      '`{type: "tool_running", tool_use_id, output}` of what a command has printed. ' +
      '`{type: "caught_up"}` follows the last that there is so far, and `{type: "keep_alive"}` says that the connection still works. ' +
      "The server takes no frames.",
    after: "The last cursor that was read.",
    ids: /^[\w-]{1,128}$/,
  },
  "/v1/changes/stream": {
    summary: "That something may have changed, as a WebSocket",
    description:
      'Each frame is `{c: null, m}`. `{type: "changed"}` comes first and whenever a routine, a run or anything else may have changed; ' +
      '`{type: "keep_alive"}` says that the connection still works. The server takes no frames.',
  },
};

function streamAt(path: string): StreamTarget | undefined {
  if (path === "/v1/changes/stream") return { kind: "changes" };
  const run = RUN_STREAM.exec(path)?.[1];
  return run === undefined ? undefined : { kind: "run", run };
}

const SOCKET_IDLE_SECONDS = 60;
/** Workers wait for work in a request. */
const IDLE_SECONDS = 120;
const HOUR_MS = 60 * 60 * 1_000;
/** That fail, for each address. */
const MAX_ATTEMPTS = 20;
const DAY_MS = 24 * 60 * 60 * 1_000;
const KEEP = { logMs: 30 * DAY_MS, deliveriesMs: 30 * DAY_MS, auditMs: 365 * DAY_MS };

/** Throws if the address cannot be used; the message is for people. */
export async function serveRoutines(options: ServeRoutinesOptions): Promise<ServedRoutines> {
  const { store, box, version, note, oidc, ownLogins = [], shortestGapMs = SHORTEST_GAP, ...where } = options;
  const problem = addressProblem(where);
  if (problem !== undefined) throw new Error(problem);
  const zones = createZones();
  const holders = new TeamHolders(store, Date.now);
  const refusals = new Refusals(store, Date.now, note);
  const signIn: SignInApi = {
    store,
    tickets: new Tickets(box, store),
    site: () => passkeySite(pageAddress),
    oidc: oidc && new OidcSignIn(oidc, Date.now),
    address: () => pageAddress,
    cookie: () => cookie,
    failed: new RateLimit(MAX_ATTEMPTS, HOUR_MS, Date.now),
    refusals,
  };
  const meter = createMeter(store, version, Date.now);
  const ending = new AbortController();
  const sockets = new RunSockets({ store, isSignedIn: (id) => holders.isHeld(id), note });
  const routes: Route[] = [
    ...healthRoutes(store, version, () => routes),
    metricsRoute(meter, (token) => holders.mayMeasure(token)),
    ...routineRoutes({
      store,
      zones,
      shortestGapMs,
      address: () => address,
      seal: box.seal,
      scheduled: () => scheduler.wake(),
    }),
    ...runRoutes({ store, keepMs: KEEP.logMs }),
    ...webhookRoutes({ store, address: () => address, seal: box.seal }),
    ...pageRoutes({ store, zones, version, shortestGapMs }),
    ...environmentRoutes({ store, seal: box.seal }),
    ...teamSignInRoutes(signIn),
    ...accountRoutes(signIn),
    ...peopleRoutes(signIn),
    ...triggerRoutes({
      store,
      limits: new HookLimits(Date.now),
      ownLogins,
      sessionUrl: (_, run) => `${address}/#/run/${run}`,
      unseal: box.unseal,
    }),
    ...workerRoutes({ store, admits: (token) => holders.isWorker(token), signal: ending.signal }),
  ];
  let files: ReturnType<typeof routinesPageFiles> | undefined;
  const server = Bun.serve<RunSocketData>({
    hostname: where.host,
    port: where.port,
    idleTimeout: IDLE_SECONDS,
    // What is larger is refused by the door, in our words.
    maxRequestBodySize: 2 * Math.max(...routes.map(({ maxBody = MAX_BODY }) => maxBody)),
    async fetch(request, server) {
      const connection: WebConnection = {
        from: requesterOf(request, server.requestIP(request)?.address, where.behindProxy !== undefined),
        // The links and tokens of this server are in no file that a run could read, and whoever has one may use it.
        isCommand: () => false,
        upgrade: (stream) => {
          if (stream.kind !== "run" && stream.kind !== "changes") return false;
          const headers = { "Sec-WebSocket-Protocol": STREAM_PROTOCOL };
          return sockets.admit(stream, (data) => server.upgrade(request, { data, headers }));
        },
        patient() {
          server.timeout(request, 0);
          return () => server.timeout(request, IDLE_SECONDS);
        },
      };
      const began = performance.now();
      const response = await door(request, connection);
      meter.answered(response?.status ?? 101, performance.now() - began);
      return response;
    },
    websocket: {
      maxPayloadLength: MAX_FRAME,
      backpressureLimit: MAX_UNSENT,
      // Otherwise the socket stays open and has a hole.
      closeOnBackpressureLimit: true,
      perMessageDeflate: false,
      idleTimeout: SOCKET_IDLE_SECONDS,
      sendPings: true,
      open: (socket) => sockets.opened(socket),
      message: (socket) => socket.close(CLOSE.refused, "This stream takes no messages"),
      drain: (socket) => sockets.drained(socket),
      close: (socket) => sockets.closed(socket),
    },
    error: () => new Response(null, { status: 500 }),
  });
  const port = server.port ?? where.port;
  const origins = allowedOrigins({ ...where, port });
  const { address } = origins;
  const pageAddress = peopleAddress({ ...where, port });
  const cookie = cookieFor(address);
  const door = createDoor({
    origins,
    devices: holders,
    denied: refusals.denied,
    ...(cookie === undefined ? {} : { cookie }),
    routes,
    page: () => (files ??= routinesPageFiles()),
    streamAt,
    now: Date.now,
    signInFirst: 'Sign in first; for programs, "keelson serve token" makes a token',
    typeOf: (type) => ERROR_TYPES[type],
    failed: (error) => note(`A request failed: ${error instanceof Error ? error.message : String(error)}`),
  });
  const alarm = (message: string) => {
    meter.alarmed();
    note(message);
  };
  const scheduler = startScheduler({ store, zones, keep: KEEP, wait: pauseFor, alarm });
  return {
    address,
    port,
    firstLink: async () =>
      (await hasPeople(store)) ? undefined : `${pageAddress}/#welcome=${await codeForFirst(store)}`,
    figures: () => meter.figures(),
    async close() {
      ending.abort();
      sockets.close();
      await scheduler.stop();
      await server.stop();
    },
  };
}

/** Where people open the page: browsers offer passkeys under names only. Without a slash at the end. */
export function peopleAddress(where: Parameters<typeof allowedOrigins>[0]): string {
  const { address } = allowedOrigins(where);
  const url = new URL(address);
  // A proxy is known under the name that it was given.
  if (where.behindProxy !== undefined || (url.hostname !== "127.0.0.1" && url.hostname !== "[::1]")) return address;
  url.hostname = "localhost";
  return url.href.replace(/\/$/, "");
}

function passkeySite(address: string): PasskeySite | undefined {
  const { hostname, origin } = new URL(address);
  const isAddress = hostname.startsWith("[") || /^[\d.]+$/.test(hostname);
  return isAddress ? undefined : { id: hostname, origin };
}

/** Only where no other server of the machine could be sent it. Two servers behind one name have one each. */
function cookieFor(address: string): string | undefined {
  const { protocol, pathname } = new URL(address);
  return protocol === "https:" ? `__Host-keelson${pathname.replace(/\W+/g, "-").replace(/-$/, "")}` : undefined;
}

/** As docs/routines-api.md names them. */
const ERROR_TYPES: Readonly<Record<HttpRefusalType, string>> = {
  invalid_request: "invalid_request_error",
  authentication: "authentication_error",
  permission: "permission_error",
  not_found: "not_found_error",
  method_not_allowed: "invalid_request_error",
  conflict: "conflict_error",
  too_large: "request_too_large",
  unsupported_media_type: "invalid_request_error",
  misdirected: "invalid_request_error",
  precondition_failed: "conflict_error",
  rate_limit: "rate_limit_error",
  storage: "api_error",
  server: "api_error",
};

function metricsRoute(meter: ServerMeter, mayMeasure: (token: string) => Promise<boolean>): Route {
  return {
    method: "GET",
    path: "/metrics",
    access: "anyone",
    summary: "Figures for Prometheus, with a token of scope metrics or read",
    reply: { type: "string" },
    errors: [401],
    async admit(headers) {
      const token = bearerIn(headers);
      if (token === undefined || !(await mayMeasure(token)))
        throw new HttpRefusal(
          "authentication",
          'The token is missing or wrong; "keelson serve token NAME --scope metrics" makes one',
          { "WWW-Authenticate": "Bearer" },
        );
    },
    run: async () => ({ text: prometheusText(await meter.figures()), headers: { "Content-Type": PROMETHEUS_TYPE } }),
  };
}

function healthRoutes(store: RunStore, version: string, all: () => readonly Route[]): readonly Route[] {
  const reply = { type: "object", properties: { ok: { type: "boolean" }, version: { type: "string" } } } as const;
  return [
    {
      method: "GET",
      path: "/healthz",
      access: "anyone",
      summary: "Whether the server runs",
      reply,
      run: () => ({ json: { ok: true, version } }),
    },
    {
      method: "GET",
      path: "/readyz",
      access: "anyone",
      summary: "Whether it also reaches the database",
      reply,
      async run() {
        const isReady = await store.now().then(
          () => true,
          () => false,
        );
        return { status: isReady ? 200 : 503, json: { ok: isReady, version } };
      },
    },
    {
      method: "GET",
      path: "/v1/openapi.json",
      access: "viewer",
      summary: "This description of the API",
      reply: { type: "object", additionalProperties: true },
      run: () => ({
        json: openApi({ routes: all(), description: "Routines of a team.", streams: STREAMS, roles: TEAM_ROLES }),
      }),
    },
  ];
}
