// Routines and their webhooks over HTTP: docs/routines-api.md.

import { randomBytes } from "node:crypto";
import { HttpRefusal, type Route, type RouteReply, type SignedDevice, type SignedInRequest } from "@keelson/web";
import type { Routine } from "../records/routine.ts";
import type { RoutineRun } from "../records/run.ts";
import { runIdOf } from "../records/run-id.ts";
import type { Trigger } from "../records/trigger.ts";
import type { Zones } from "../schedule/trigger-slots.ts";
import type { NewRoutine, RunStore } from "../store/run-store.ts";
import { keepableText, MAX_PAYLOAD } from "../triggers/payload.ts";
import { newSchedule, newWebhook, armSchedules, type TriggerProblem } from "../triggers/new-trigger.ts";
import { notFound, wrongField } from "./api-error.ts";
import { actorOf, recordAudit } from "./audit.ts";
import { nameOf } from "./names.ts";
import { freshCause, keyConflict, once } from "./once.ts";
import { PAGE_QUERY, PAGE_REPLY, replyWithPage, pageWanted } from "./pages.ts";
import { unusedSchedule, writtenRoutine, type WrittenRoutine, type WrittenSchedule } from "./routine-fields.ts";
import { shownRoutine, shownRun, time } from "./shown.ts";
import { webhookFields } from "./webhook-fields.ts";

export interface RoutineApi {
  readonly store: RunStore;
  readonly zones: Zones;
  /** Between two runs of a schedule. */
  readonly shortestGapMs: number;
  /** Where callers reach this server, without a slash at the end. */
  readonly address: () => string;
  seal(secret: string): Promise<string>;
  /** A schedule was changed. */
  scheduled(): void;
}

const MOST_ROUTINES = 500;
const MOST_WEBHOOKS = 20;
const MOST_LAST = 5;
const MOST_TRIES = 20;

export function routineRoutes(api: RoutineApi): readonly Route[] {
  const base = "/v1/code/triggers";
  const one = `${base}/{id}`;
  const ids = /^[\w-]{1,128}$/;
  const body = { type: "object", additionalProperties: true } as const;
  const reply = body;
  const writes = { access: "driver", ids, body, reply } as const;
  const update = { ...writes, path: one, summary: "Change the fields that are given", errors: [404, 409] } as const;
  return [
    {
      method: "GET",
      path: base,
      access: "viewer",
      summary: "Routines, newest first",
      query: PAGE_QUERY,
      reply: PAGE_REPLY,
      run: ({ query, device }) =>
        replyWithPage(
          () => api.store.routines(pageWanted(query)),
          (routine) => shown(routine, device, api),
        ),
    },
    {
      ...writes,
      method: "POST",
      path: base,
      summary: "Make a routine",
      status: 201,
      errors: [409],
      run: (request: SignedInRequest) => once(base, request, api.store, () => create(request, api)),
    },
    {
      method: "GET",
      path: one,
      access: "viewer",
      summary: "One routine, with its last runs",
      ids,
      reply,
      errors: [404],
      async run({ params, device }) {
        const routine = await routineOf(params["id"]!, api);
        const { rows } = await api.store.runs({ routineId: routine.id }, { limit: MOST_LAST });
        const owner = { owner_name: await nameOf(routine.ownerId, api.store) };
        return withTag({ ...(await shown(routine, device, api)), ...owner, last_runs: rows.map(shownRun) }, routine);
      },
    },
    {
      ...update,
      method: "POST",
      run: (request: SignedInRequest) => once(one, request, api.store, () => change(request, api)),
    },
    { ...update, method: "PATCH", run: (request: SignedInRequest) => change(request, api) },
    {
      method: "DELETE",
      path: one,
      access: "driver",
      summary: "Remove a routine; its runs stay",
      ids,
      reply: { type: "null" },
      status: 204,
      errors: [404],
      async run(request: SignedInRequest) {
        const { id } = await changeableRoutine(request, api);
        if (!(await api.store.removeRoutine(id))) throw notFound("routine");
        await recordAudit("routine.remove", id, request, api);
        return {};
      },
    },
    {
      ...writes,
      method: "POST",
      path: `${one}/run`,
      summary: 'Start a run now, with `{"text": "…"}` as data for the model, or `{}`',
      status: 202,
      errors: [404, 409],
      run: (request: SignedInRequest) => once(`${one}/run`, request, api.store, () => start(request, api)),
    },
    {
      method: "GET",
      path: `${one}/runs`,
      access: "viewer",
      summary: "Runs of a routine, newest first",
      ids,
      query: PAGE_QUERY,
      reply: PAGE_REPLY,
      errors: [404],
      async run({ params, query }) {
        const { id } = await routineOf(params["id"]!, api);
        return replyWithPage(() => api.store.runs({ routineId: id }, pageWanted(query)), shownRun);
      },
    },
    {
      ...writes,
      method: "POST",
      path: `${one}/webhooks`,
      summary: "Let others start the routine; token and secret are shown this once",
      status: 201,
      errors: [404, 409],
      run: (request: SignedInRequest) => addWebhook(request, api),
    },
  ];
}

async function create(request: SignedInRequest, api: RoutineApi): Promise<RouteReply> {
  const { store } = api;
  const written = writtenRoutine(request.body);
  // Checked before anything is written.
  await scheduleOf("trig_", written.schedule, undefined, api);
  const routine = await freshCause(request, await store.now(), async (cause) => {
    const id = `trig_${cause?.slice(0, 32) ?? randomBytes(16).toString("hex")}`;
    const existing = await store.routine(id);
    if (existing) return { made: existing, isNew: false };
    const { rows } = await store.routines({ limit: MOST_ROUTINES });
    if (rows.length >= MOST_ROUTINES) throw new HttpRefusal("conflict", `There are ${MOST_ROUTINES} routines already`);
    const wanted: NewRoutine = {
      ...written.definition,
      id,
      ownerId: actorOf(request.device),
      enabled: written.enabled,
    };
    return { made: await store.createRoutine(wanted), isNew: false };
  });
  // Two requests at once with one key: both get the routine of the first, if both want the same.
  if (!Bun.deepEquals(writtenOf(routine, undefined).definition, written.definition)) throw keyConflict();
  const { id } = routine;
  // An earlier attempt may have come this far.
  const trigger = await scheduleOf(id, written.schedule, undefined, api);
  if (trigger) await store.triggers.insert(trigger);
  await recordAudit("routine.create", id, request, api);
  api.scheduled();
  const made = await routineOf(id, api);
  return withTag(await shown(made, request.device, api), made, 201);
}

async function change(request: SignedInRequest, api: RoutineApi): Promise<RouteReply> {
  const wanted = wantedVersion(request.headers.get("if-match"));
  for (let tries = 1; ; tries++) {
    const reply = await tryChange(request, wanted, api);
    if (reply !== "conflict") return reply;
    const { version } = await routineOf(request.params["id"]!, api);
    if (wanted !== undefined) throw new HttpRefusal("conflict", `If-Match: the routine has version ${version}`);
    if (tries === MOST_TRIES) throw new HttpRefusal("conflict", "The routine is being changed by others; try again");
  }
}

/** "conflict": it has another version than the one that is wanted, or got one meanwhile. */
async function tryChange(
  request: SignedInRequest,
  wanted: number | undefined,
  api: RoutineApi,
): Promise<RouteReply | "conflict"> {
  const { store } = api;
  const current = await changeableRoutine(request, api);
  const trigger = await scheduleIn(current.id, api);
  const before = writtenOf(current, trigger);
  const after = writtenRoutine(request.body, before);
  const isMoved = JSON.stringify(after.schedule) !== JSON.stringify(before.schedule);
  const next = isMoved ? await scheduleOf(current.id, after.schedule, trigger, api) : trigger;
  const isResumed = after.enabled && !current.enabled;
  // A scheduler may look as soon as it runs again.
  if (isResumed) await armSchedules(store, current.id, api);
  const updated = await store.updateRoutine(
    current.id,
    {
      ...after.definition,
      enabled: after.enabled,
      ...(isResumed ? { disabledReason: null } : {}),
    },
    // Also if the client does not care: what is written has the fields of this version that the request does not name.
    wanted ?? current.version,
  );
  if (updated === undefined) throw notFound("routine");
  if (updated === "conflict") return updated;
  if (isMoved) {
    if (next === undefined) await (trigger && store.triggers.remove(trigger.id));
    else if (trigger === undefined) await store.triggers.insert(next);
    else {
      const { id: _, createdAt: __, ...fields } = next;
      await store.triggers.update(trigger.id, fields);
    }
  }
  await recordAudit("routine.update", current.id, request, api);
  api.scheduled();
  const made = await routineOf(current.id, api);
  return withTag(await shown(made, request.device, api), made);
}

async function start(request: SignedInRequest, api: RoutineApi): Promise<RouteReply> {
  const { store } = api;
  const { id: routineId } = await routineOf(request.params["id"]!, api);
  const { text = null, ...others } = request.body;
  if (text !== null && typeof text !== "string") throw wrongField("text", "must be a text");
  if (text !== null && Buffer.byteLength(text) > MAX_PAYLOAD)
    throw wrongField("text", `has more than ${MAX_PAYLOAD} bytes`);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw wrongField(unknown, "not known here");
  const payload = text === null ? null : keepableText(text);
  const run = await freshCause(request, await store.now(), async (key) => {
    const id = runIdOf({ kind: "manual", routineId, key });
    const { run: made, isNew } = await store.enqueue({
      run: { id, routineId, cause: "manual", state: "queued", payload, createdBy: actorOf(request.device) },
    });
    if (made === undefined) throw notFound("routine");
    return { made, isNew };
  });
  if (run.payload !== payload) throw keyConflict();
  await recordAudit("routine.run", routineId, request, api);
  return { status: 202, json: { type: "routine_run", ...shownRun(run), session_id: run.sessionId } };
}

async function addWebhook(request: SignedInRequest, api: RoutineApi): Promise<RouteReply> {
  const { store } = api;
  const routine = await changeableRoutine(request, api);
  const { rows } = await store.triggers.list({ routineId: routine.id });
  if (rows.filter(({ kind }) => kind !== "schedule").length >= MOST_WEBHOOKS)
    throw new HttpRefusal("conflict", `The routine has ${MOST_WEBHOOKS} webhooks already`);
  const made = await newWebhook(routine.id, webhookFields(request.body), { now: await store.now(), seal: api.seal });
  if (made.problem !== undefined) throw new HttpRefusal("invalid_request", made.problem);
  const { trigger, token, secret } = made;
  await store.triggers.insert(trigger);
  await recordAudit("webhook.create", trigger.id, request, api);
  const url = `${api.address()}/v1/hooks/${trigger.kind}/${trigger.id}`;
  return { status: 201, json: { id: trigger.id, kind: trigger.kind, url, ...(token && { token }), secret } };
}

/** The others say why nothing was started. */
const RAN = ["queued", "running", "waiting", "succeeded", "failed", "cancelled", "timed_out"] as const;

async function shown(routine: Routine, device: SignedDevice, { store }: RoutineApi): Promise<Record<string, unknown>> {
  const [triggers, newest] = await Promise.all([
    store.triggers.list({ routineId: routine.id }),
    store.runs({ routineId: routine.id }, { limit: 1 }),
  ]);
  const [last] = newest.rows;
  const ran =
    last === undefined || hasRun(last)
      ? last
      : (await store.runs({ routineId: routine.id, states: RAN }, { limit: 1 })).rows[0];
  const schedule = triggers.rows.find(({ kind }) => kind === "schedule");
  return {
    ...shownRoutine(routine, schedule),
    last_fired_at: time(ran?.createdAt ?? null),
    last_run: last === undefined ? null : shownRun(last),
    webhooks: triggers.rows.flatMap(({ kind }) => (kind === "schedule" ? [] : [kind])),
    may_change: mayChange(routine, device),
  };
}

const hasRun = ({ state }: RoutineRun) => RAN.some((each) => each === state);

const withTag = (json: object, { version }: Routine, status = 200): RouteReply => ({
  status,
  json,
  headers: { ETag: `"${version}"` },
});

async function routineOf(id: string, { store }: Pick<RoutineApi, "store">): Promise<Routine> {
  const routine = await store.routine(id);
  if (routine === undefined) throw notFound("routine");
  return routine;
}

/** A member changes their own routines, and an admin all. Tokens that were made at the machine belong to no one, and change all. */
export async function changeableRoutine(
  { params, device }: Pick<SignedInRequest, "params" | "device">,
  api: Pick<RoutineApi, "store">,
): Promise<Routine> {
  const routine = await routineOf(params["id"]!, api);
  if (mayChange(routine, device)) return routine;
  throw new HttpRefusal("permission", "This routine belongs to somebody else; its owner or an admin can change it");
}

const mayChange = ({ ownerId }: Routine, { role, user }: Pick<SignedDevice, "role" | "user">): boolean =>
  role === "admin" || (role === "driver" && (user === undefined || ownerId === user));

const scheduleIn = async (routineId: string, { store }: RoutineApi): Promise<Trigger | undefined> =>
  (await store.triggers.list({ routineId, kind: "schedule" })).rows[0];

/** The row for a schedule as it was written; undefined for none. */
async function scheduleOf(
  routineId: string,
  schedule: WrittenSchedule,
  current: Trigger | undefined,
  { store, zones, shortestGapMs }: RoutineApi,
): Promise<Trigger | undefined> {
  if (schedule.cron === null && schedule.runOnceAt === null) {
    if (!zones(schedule.zone)) throw wrongField("zone", "is not a time zone; use a name such as Europe/Berlin or UTC");
    return undefined;
  }
  const id = current?.id ?? `cron_${routineId.slice("trig_".length)}`;
  const now = await store.now();
  const made: { readonly trigger: Trigger; readonly problem?: undefined } | TriggerProblem = newSchedule(
    routineId,
    { ...schedule, id },
    { now, zones, shortestGap: shortestGapMs },
  );
  if (made.problem !== undefined) throw new HttpRefusal("invalid_request", made.problem);
  return made.trigger;
}

function writtenOf({ enabled, ...routine }: Routine, trigger: Trigger | undefined): WrittenRoutine {
  const { id: _, ownerId, disabledReason, failuresInRow, version, createdAt, updatedAt, ...definition } = routine;
  const { cron, zone, runOnceAt, jitterMs, expiresAt } = trigger ?? unusedSchedule(routine.extra);
  return { definition, enabled, schedule: { cron, zone, runOnceAt, jitterMs, expiresAt } };
}

function wantedVersion(ifMatch: string | null): number | undefined {
  if (ifMatch === null || ifMatch === "*") return undefined;
  const version = /^(?:W\/)?"(\d{1,15})"$/.exec(ifMatch)?.[1];
  if (version === undefined) throw wrongField("If-Match", 'must be a version in quotes, such as "3"');
  return Number(version);
}
