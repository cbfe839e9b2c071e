// Routines and runs as the API shows them: flat names, and the nested ones of clients of other servers.

import { isObject } from "@keelson/protocol";
import type { Routine } from "../records/routine.ts";
import type { RoutineRun } from "../records/run.ts";
import type { Trigger } from "../records/trigger.ts";
import { storedCron } from "../schedule/cron-line.ts";
import { shownTarget, unusedSchedule, WRITTEN } from "./routine-fields.ts";
import { cronSentence } from "../schedule/sentence.ts";

export const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

/** `schedule`: of the routine, if it has one. */
export function shownRoutine(routine: Routine, schedule: Trigger | undefined): Record<string, unknown> {
  const { [WRITTEN]: _, ...extra } = routine.extra;
  const { ccr, ...beside } = isObject(extra["job_config"]) ? extra["job_config"] : {};
  const { session_context, ...others } = isObject(ccr) ? ccr : {};
  const more = isObject(session_context) ? session_context : {};
  const when = schedule ?? unusedSchedule(routine.extra);
  const cron = schedule?.cron == null ? undefined : storedCron(schedule.cron);
  return {
    ...extra,
    id: routine.id,
    name: routine.name,
    prompt: routine.prompt,
    cron_expression: schedule?.cron ?? null,
    zone: when.zone,
    run_once_at: time(schedule?.runOnceAt ?? null),
    jitter_ms: when.jitterMs,
    expires_at: time(when.expiresAt),
    ...(cron && { schedule_text: cronSentence(cron) }),
    enabled: routine.enabled,
    model: routine.model,
    permission_mode: routine.permissionMode,
    allowed_tools: routine.allowedTools,
    sources: routine.sources,
    environment_id: routine.environmentId,
    overlap: routine.overlap,
    catch_up: routine.catchUp,
    timeout_s: routine.timeoutS,
    max_attempts: routine.maxAttempts,
    max_turns: routine.maxTurns,
    budget_usd: routine.budgetUsd,
    on_crash: routine.onCrash,
    questions: routine.questions,
    notify: routine.notify.map((each) => ({ ...each, target: shownTarget(each.target) })),
    version: routine.version,
    next_run_at: routine.enabled ? time(schedule?.nextAt ?? null) : null,
    last_fired_at: time(schedule?.lastFiredAt ?? null),
    disabled_reason: routine.disabledReason,
    failures_in_row: routine.failuresInRow,
    created_at: time(routine.createdAt),
    updated_at: time(routine.updatedAt),
    job_config: {
      ...beside,
      ccr: {
        ...others,
        environment_id: routine.environmentId,
        session_context: {
          ...more,
          model: routine.model,
          sources: routine.sources,
          allowed_tools: routine.allowedTools,
        },
        events: [{ data: { message: { role: "user", content: routine.prompt } } }],
      },
    },
  };
}

export function shownRun(run: RoutineRun): Record<string, unknown> {
  return {
    id: run.id,
    trigger_id: run.routineId,
    routine_version: run.routineVersion,
    session_id: run.startedAt === null ? null : run.sessionId,
    cause: run.cause,
    state: run.state,
    reason: run.reason,
    slot_at: time(run.slotAt),
    due_at: time(run.dueAt),
    started_at: time(run.startedAt),
    ended_at: time(run.endedAt),
    outcome: run.outcome,
    result: run.result,
    cost_usd: run.costUsd,
    turns: run.turns,
    attempt: run.attempt,
    worker: run.worker,
  };
}
