// Runs over HTTP: what became of one, its log, what it asks, and how it is ended.

import { HttpRefusal, type Route, type RouteReply, type SignedInRequest } from "@keelson/web";
import { isRunState, type RoutineRun, type RunAttempt } from "../records/run.ts";
import { runIdOf } from "../records/run-id.ts";
import type { RunStore } from "../store/run-store.ts";
import { notFound, wrongField } from "./api-error.ts";
import { actorOf, recordAudit } from "./audit.ts";
import { readRunAnswer, shownQuestion } from "./answers.ts";
import { PAGE_QUERY, PAGE_REPLY, pageWanted, replyWithPage } from "./pages.ts";
import { freshCause, once } from "./once.ts";
import { nameOf } from "./names.ts";
import { logPage } from "./run-log.ts";
import { shownRun, time } from "./shown.ts";

interface RunApi {
  readonly store: RunStore;
  /** How long a run that ended keeps its log, and the data that it got. */
  readonly keepMs: number;
}

const ENTRIES_AT_ONCE = 500;

export function runRoutes(api: RunApi): readonly Route[] {
  const ids = /^[\w-]{1,128}$/;
  const json = { type: "object", additionalProperties: true } as const;
  return [
    {
      method: "GET",
      path: "/v1/code/sessions/{id}/log",
      access: "viewer",
      summary: "What happened in a run, oldest first",
      ids,
      query: PAGE_QUERY,
      reply: PAGE_REPLY,
      errors: [404],
      run: ({ params, query }) => log(params["id"]!, query, api),
    },
    {
      method: "GET",
      path: "/v1/runs",
      access: "viewer",
      summary: "Runs, newest first; also those that were skipped, missed or capped",
      query: {
        ...PAGE_QUERY,
        trigger_id: { maxLength: 128, description: "Of this routine only" },
        state: { maxLength: 200, description: "In one of these states, with commas between them" },
      },
      reply: PAGE_REPLY,
      run({ query }) {
        const { trigger_id: routineId, state, ...page } = query;
        const states = state?.split(",");
        if (states !== undefined && !states.every(isRunState))
          throw wrongField("state", "must be states of runs, such as failed,timed_out");
        const filter = {
          ...(routineId === undefined ? {} : { routineId }),
          ...(states === undefined ? {} : { states }),
        };
        return replyWithPage(() => api.store.runs(filter, pageWanted(page)), shownRun);
      },
    },
    {
      method: "GET",
      path: "/v1/runs/{id}",
      access: "viewer",
      summary: "One run, with its questions and attempts",
      ids,
      reply: json,
      errors: [404],
      run: async ({ params }) => ({ json: await wholeRun(await runOf(params["id"]!, api), api) }),
    },
    {
      method: "POST",
      path: "/v1/runs/{id}/retry",
      access: "driver",
      summary: "Run the same again, as the routine is now: with the data that the run got",
      ids,
      body: { type: "object" },
      reply: json,
      status: 202,
      errors: [404, 409],
      run: (request: SignedInRequest) => once("/v1/runs/{id}/retry", request, api.store, () => retry(request, api)),
    },
    {
      method: "POST",
      path: "/v1/runs/{id}/cancel",
      access: "driver",
      summary: "End a run",
      ids,
      body: json,
      reply: json,
      errors: [404, 409],
      async run(request: SignedInRequest) {
        const { id } = await runOf(request.params["id"]!, api);
        const isCancelled = await api.store.cancel(id, { reason: `Cancelled by ${request.device.name}` });
        if (!isCancelled) throw new HttpRefusal("conflict", "The run had ended");
        await recordAudit("run.cancel", id, request, api);
        return { json: shownRun(await runOf(id, api)) };
      },
    },
    {
      method: "POST",
      path: "/v1/runs/{id}/answer",
      access: "driver",
      summary: "Answer a question of a run; the first answer counts. Some calls only admins may allow",
      ids,
      body: json,
      reply: json,
      errors: [404, 409],
      run: (request: SignedInRequest) => answer(request, api),
    },
  ];
}

async function answer(request: SignedInRequest, api: RunApi): Promise<RouteReply> {
  const { store } = api;
  const run = await runOf(request.params["id"]!, api);
  const { question_id: id, ...given } = request.body;
  if (typeof id !== "string") throw wrongField("question_id", "required");
  const question = (await store.questions({ runId: run.id })).find((each) => each.id === id);
  if (question === undefined) throw notFound("question of this run");
  const reply = readRunAnswer(question.request, given, request.device);
  if (!(await store.answer({ runId: run.id, id }, reply, actorOf(request.device))))
    throw new HttpRefusal("conflict", "The question was answered before, or the run does not wait for it any more");
  await recordAudit("run.answer", run.id, request, api);
  return { json: await wholeRun(await runOf(run.id, api), api) };
}

async function retry(request: SignedInRequest, api: RunApi): Promise<RouteReply> {
  const { store } = api;
  const before = await runOf(request.params["id"]!, api);
  if (before.endedAt === null && isActive(before)) throw new HttpRefusal("conflict", "The run has not ended yet");
  const now = await store.now();
  if (hasLostData(before, now, api))
    throw new HttpRefusal(
      "conflict",
      `What a run got is removed after ${api.keepMs / DAY_MS} days, so this one cannot run again; start its routine instead`,
    );
  const run = await freshCause(request, now, async (key) => {
    const id = runIdOf({ kind: "retry", runId: before.id, key });
    const { routineId, payload, origin } = before;
    const { run: made, isNew } = await store.enqueue({
      run: { id, routineId, cause: "retry", state: "queued", payload, origin, createdBy: actorOf(request.device) },
    });
    if (made === undefined) throw notFound("routine");
    return { made, isNew };
  });
  await recordAudit("run.retry", before.id, request, api);
  return { status: 202, json: { type: "routine_run", ...shownRun(run) } };
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Or may have: of a run that had none, nothing says so by then. The clock gives a run no data. */
const hasLostData = ({ cause, payload, endedAt }: RoutineRun, now: number, { keepMs }: RunApi) =>
  cause !== "schedule" && payload === null && endedAt !== null && now - endedAt > keepMs;

const isActive = ({ state }: RoutineRun) => state === "queued" || state === "running" || state === "waiting";

/** With what is told of one run only. */
export async function wholeRun(
  run: RoutineRun,
  { store }: Pick<RunApi, "store">,
): Promise<Readonly<Record<string, unknown>>> {
  const [questions, attempts, routine, startedBy] = await Promise.all([
    store.questions({ runId: run.id }),
    store.attempts(run.id),
    store.routineVersion(run.routineId, run.routineVersion),
    nameOf(run.createdBy, store),
  ]);
  const names = new Map<string | null, string | null>();
  for (const { answeredBy } of questions)
    if (!names.has(answeredBy)) names.set(answeredBy, await nameOf(answeredBy, store));
  return {
    ...shownRun(run),
    routine_name: routine?.name ?? null,
    prompt: routine?.prompt ?? null,
    payload: run.payload,
    origin: run.origin,
    started_by: startedBy,
    questions: questions.map((each) => ({
      ...shownQuestion(each),
      answered_by_name: names.get(each.answeredBy) ?? null,
    })),
    attempts: attempts.map(shownAttempt),
  };
}

const shownAttempt = ({ n, worker, startedAt, endedAt, why, reason }: RunAttempt) => ({
  n,
  worker,
  started_at: time(startedAt),
  ended_at: time(endedAt),
  why,
  reason,
});

async function log(sessionId: string, query: Readonly<Record<string, string>>, { store }: RunApi): Promise<RouteReply> {
  const { limit, cursor } = pageWanted(query);
  const after = cursor === undefined ? 0 : Number(/^after-(\d{1,15})$/.exec(cursor)?.[1] ?? Number.NaN);
  if (Number.isNaN(after)) throw wrongField("cursor", "not valid");
  const run = (await store.runs({ sessionId }, { limit: 1 })).rows[0];
  if (run === undefined) throw notFound("session");
  const entries = await store.entries(run.id, after, ENTRIES_AT_ONCE);
  const { lines, next } = logPage(entries, after, limit);
  const isLast = next === (entries.at(-1)?.seq ?? after) && entries.length < ENTRIES_AT_ONCE;
  const isOver = isLast && run.endedAt !== null;
  return { json: { data: lines, next_cursor: isOver ? null : `after-${next}` } };
}

async function runOf(id: string, { store }: RunApi): Promise<RoutineRun> {
  const run = await store.run(id);
  if (run === undefined) throw notFound("run");
  return run;
}
