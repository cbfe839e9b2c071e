// What the page needs besides routines and runs: who asks, when a schedule would be due, and which workers there are.

import { HttpRefusal, type Route, type SignedInRequest } from "@keelson/web";
import type { RoutineRun } from "../records/run.ts";
import type { WorkerRow } from "../records/team.ts";
import { previewSchedule } from "../schedule/preview.ts";
import type { Zones } from "../schedule/trigger-slots.ts";
import type { RunStore } from "../store/run-store.ts";
import { tokenScopesFor } from "./account-routes.ts";
import { notFound, wrongField } from "./api-error.ts";
import { actorOf, recordAudit } from "./audit.ts";
import { nameOf } from "./names.ts";
import { PAGE_QUERY, PAGE_REPLY, pageWanted, replyWithPage } from "./pages.ts";
import { timeIn } from "./routine-fields.ts";
import { time } from "./shown.ts";

interface PageApi {
  readonly store: RunStore;
  readonly zones: Zones;
  readonly version: string;
  /** Between two runs of a schedule. */
  readonly shortestGapMs: number;
}

export function pageRoutes({ store, zones, version, shortestGapMs }: PageApi): readonly Route[] {
  const json = { type: "object", additionalProperties: true } as const;
  return [
    {
      method: "GET",
      path: "/v1/server",
      access: "viewer",
      summary: "Facts about the server, and who asks",
      reply: json,
      run: ({ device }) => ({
        json: {
          version,
          kind: "routines",
          device: device.id,
          name: device.name,
          role: device.role === "viewer" ? "viewer" : "driver",
          admin: device.role === "admin",
          program: device.isProgram === true,
          token_scopes: tokenScopesFor(device),
          shortest_gap_ms: shortestGapMs,
        },
      }),
    },
    {
      method: "GET",
      path: "/v1/schedule",
      access: "viewer",
      summary: "When a schedule would be due: the next five starts, and the schedule in words; or which field is wrong",
      query: {
        cron_expression: { maxLength: 200, description: "Five fields" },
        run_once_at: { maxLength: 40, description: "A time, instead of a line" },
        zone: { maxLength: 64, description: "UTC if it is missing" },
        jitter_ms: { maxLength: 10, description: "How late a run may start" },
        expires_at: { maxLength: 40, description: "When the schedule ends" },
        trigger_id: { maxLength: 128, description: "Of a routine: its starts have the jitter that they will have" },
      },
      reply: json,
      async run({ query }) {
        const { cron_expression: cron, run_once_at: once, zone = "UTC", jitter_ms: jitter, expires_at: end } = query;
        const number = jitter === undefined ? undefined : Number(jitter);
        if (jitter !== undefined && !/^\d+$/.test(jitter)) throw wrongField("jitter_ms", "must be a whole number");
        const { trigger_id: routine } = query;
        const id = routine?.startsWith("trig_") ? `cron_${routine.slice("trig_".length)}` : undefined;
        const preview = previewSchedule(
          {
            cron: cron ?? null,
            zone,
            ...(id === undefined ? {} : { id }),
            ...(once === undefined ? {} : { runOnceAt: timeIn("run_once_at", once) }),
            ...(number === undefined ? {} : { jitterMs: number }),
            ...(end === undefined ? {} : { expiresAt: timeIn("expires_at", end) }),
          },
          { now: await store.now(), zones, shortestGap: shortestGapMs },
        );
        if (preview.problem !== undefined) return { json: { field: preview.field, problem: preview.problem } };
        const starts = preview.starts.map(({ slotAt, startAt }) => ({
          slot_at: time(slotAt),
          start_at: time(startAt),
        }));
        return { json: { schedule_text: preview.sentence ?? null, starts } };
      },
    },
    {
      method: "GET",
      path: "/v1/workers",
      access: "viewer",
      summary: "Workers, with what each is working on",
      query: PAGE_QUERY,
      reply: PAGE_REPLY,
      async run({ query }) {
        const [{ rows: running }, now] = await Promise.all([
          store.runs({ states: ["running"] }, { limit: MOST_RUNNING }),
          store.now(),
        ]);
        return replyWithPage(
          () => store.workers.list({}, pageWanted(query)),
          async (worker) => ({
            ...shownWorker(worker, running, now),
            drained_by_name: await nameOf(worker.drainBy, store),
          }),
        );
      },
    },
    {
      method: "POST",
      path: "/v1/workers/drain",
      access: "admin",
      summary: "Let a worker take no more runs, while those it has go on; with `drain: false`, let it take runs again",
      body: {
        type: "object",
        required: ["worker", "drain"],
        properties: { worker: { type: "string", maxLength: 200 }, drain: { type: "boolean" } },
      },
      reply: json,
      errors: [404, 409],
      async run(request: SignedInRequest) {
        const { worker: name, drain } = request.body as { readonly worker: string; readonly drain: boolean };
        const worker = await store.workers.get(name);
        if (worker === undefined) throw notFound("worker");
        if (worker.draining) throw new HttpRefusal("conflict", "The worker ends already; start another one instead");
        if (!(await store.drain(name, drain ? actorOf(request.device) : null))) throw notFound("worker");
        await recordAudit(drain ? "worker.drain" : "worker.undrain", name, request, { store });
        return { json: { worker: name, drain } };
      },
    },
  ];
}

const MOST_RUNNING = 1_000;
/** A worker says so every 20 seconds or so. */
const ALIVE_MS = 90_000;

const shownWorker = (worker: WorkerRow, running: readonly RoutineRun[], now: number) => ({
  name: worker.id,
  version: worker.version,
  slots: worker.slots,
  started_at: time(worker.startedAt),
  seen_at: time(worker.seenAt),
  draining: worker.draining || worker.drainBy !== null,
  ends: worker.draining,
  alive: now - worker.seenAt < ALIVE_MS,
  runs: running
    .filter((run) => run.worker === worker.id)
    .map(({ id, routineId, startedAt }) => ({ id, trigger_id: routineId, started_at: time(startedAt) })),
});
