// Rows for tests.

import type { Routine, RoutineDefinition } from "../records/routine.ts";
import type { Trigger } from "../records/trigger.ts";

export const A_DEFINITION: RoutineDefinition = {
  name: "A routine",
  prompt: "Do it",
  model: null,
  permissionMode: "dontAsk",
  allowedTools: [],
  sources: [],
  environmentId: null,
  overlap: "skip",
  catchUp: "one",
  timeoutS: 3_600,
  maxAttempts: 3,
  maxTurns: null,
  budgetUsd: null,
  onCrash: "resume",
  questions: "deny",
  notify: [],
  extra: {},
};

export function aRoutine(fields: Partial<Routine> = {}): Routine {
  return {
    ...A_DEFINITION,
    id: "trig_1",
    ownerId: null,
    enabled: true,
    disabledReason: null,
    failuresInRow: 0,
    version: 1,
    createdAt: 0,
    updatedAt: 0,
    ...fields,
  };
}

export function aTrigger(fields: Partial<Trigger> = {}): Trigger {
  return {
    id: "cron_1",
    routineId: "trig_1",
    kind: "schedule",
    createdAt: 0,
    expiresAt: null,
    cron: null,
    zone: "UTC",
    runOnceAt: null,
    jitterMs: null,
    nextSlot: null,
    nextAt: null,
    ranAt: null,
    tokenHash: null,
    sealedSecret: null,
    events: [],
    filters: [],
    actors: [],
    hourlyCap: 60,
    lastFiredAt: null,
    ...fields,
  };
}
