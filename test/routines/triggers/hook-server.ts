// A server that others may call to start runs, behind the door that every request passes, with a store in memory.

import { createToken, HookLimits, openSqliteStore, triggerRoutes, type RunStore } from "@keelson/routines";
import type { Trigger } from "../../../packages/routines/src/records/trigger.ts";
import type { NewRoutine } from "../../../packages/routines/src/store/run-store.ts";
import { createDoor } from "../../../packages/web/src/door/door.ts";
import { allowedOrigins } from "../../../packages/web/src/door/origins.ts";
import { newRoutine, newTrigger } from "../store/rows.ts";

export const GITHUB_SECRET = "a secret of a test, known to GitHub";

export interface HookServer extends AsyncDisposable {
  readonly url: string;
  readonly store: RunStore;
  readonly routineId: string;
  readonly http: Trigger;
  readonly github: Trigger;
  /** Of the `http` trigger. */
  readonly token: string;
  /** The time, in milliseconds. */
  clock: number;
  /** What the server said about failures. */
  readonly failures: unknown[];
  call(path: string, init: RequestInit): Promise<HookAnswer>;
  /** Of every delivery, oldest first: what it was, the verdict and the reason. */
  deliveries(): Promise<{ event: string | null; verdict: string; reason: string | null; runId: string | null }[]>;
  /** Of every run, oldest first. */
  runs(): Promise<Awaited<ReturnType<RunStore["runs"]>>["rows"]>;
}

export interface HookAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly json: Record<string, unknown>;
}

interface Wanted {
  readonly routine?: Partial<NewRoutine>;
  readonly http?: Partial<Trigger>;
  readonly github?: Partial<Trigger>;
  readonly ownLogins?: readonly string[];
  readonly maxBodies?: number;
}

export async function startHookServer(wanted: Wanted = {}): Promise<HookServer> {
  const world = { clock: Date.parse("2026-11-19T12:00:00Z") };
  const now = () => world.clock;
  const store = await openSqliteStore({ file: ":memory:", now });
  const routine = await store.createRoutine(newRoutine({ overlap: "queue", ...wanted.routine }));
  const { token, hash } = createToken();
  const [http, github] = [
    newTrigger(routine.id, { ...NO_SCHEDULE, kind: "http", hourlyCap: 1_000, tokenHash: hash, ...wanted.http }),
    newTrigger(routine.id, {
      ...NO_SCHEDULE,
      kind: "github",
      sealedSecret: `sealed ${GITHUB_SECRET}`,
      ...wanted.github,
    }),
  ];
  for (const trigger of [http, github]) await store.triggers.insert(trigger);
  const failures: unknown[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 60,
    maxRequestBodySize: 64 * 1024 * 1024,
    async fetch(request) {
      const connection = {
        from: "127.0.0.1",
        isCommand: () => false,
        upgrade: () => false,
        patient: () => () => undefined,
      };
      return (await door(request, connection)) ?? new Response(null, { status: 500 });
    },
  });
  const port = server.port!;
  const door = createDoor({
    origins: allowedOrigins({ host: "127.0.0.1", port }),
    devices: { holder: () => undefined },
    routes: triggerRoutes({
      store,
      limits: new HookLimits(now),
      sessionUrl: (id) => `https://keelson.test/#/sessions/${id}`,
      unseal: async (sealed) => sealed.slice("sealed ".length),
      ownLogins: wanted.ownLogins ?? [],
    }),
    page: async () => ({}),
    now,
    ...(wanted.maxBodies === undefined ? {} : { maxBodies: wanted.maxBodies }),
    failed: (error) => failures.push(error),
  });
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    store,
    routineId: routine.id,
    http,
    github,
    token,
    failures,
    get clock() {
      return world.clock;
    },
    set clock(time) {
      world.clock = time;
    },
    async call(path, init) {
      // Rows are sorted by their time.
      world.clock++;
      const response = await fetch(url + path, { method: "POST", ...init });
      return {
        status: response.status,
        headers: response.headers,
        json: (await response.json()) as Record<string, unknown>,
      };
    },
    async deliveries() {
      const { rows } = await store.deliveries.list({}, { limit: 1_000 });
      return rows.toReversed().map(({ event, verdict, reason, runId }) => ({ event, verdict, reason, runId }));
    },
    async runs() {
      return (await store.runs({}, { limit: 1_000 })).rows.toReversed();
    },
    async [Symbol.asyncDispose]() {
      await server.stop(true);
      await store.close();
    },
  };
}

const NO_SCHEDULE = { cron: null, nextSlot: null, nextAt: null } as const;
