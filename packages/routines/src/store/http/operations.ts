// What a worker may ask of a server: `POST /v1/worker/NAME`. Both ends are this program, so records travel as they are.

import type { FieldSchema } from "@keelson/web";
import { MOST_SHOWN } from "../run-store.ts";

/** The largest line that a run may leave behind, and what fits beside it. */
export const MAX_WORKER_BODY = 16 * 1024 * 1024;
/** How long a server keeps a worker waiting for work. */
export const MAX_WAIT_MS = 25_000;

const TEXT = (maxLength: number): FieldSchema => ({ type: "string", maxLength });
const OPEN: FieldSchema = { type: "object", additionalProperties: true };
const UUID = TEXT(36);
const CLAIM = { runId: TEXT(128), claim: UUID } as const;
const LINE = 15 * 1024 * 1024;
const REASON = TEXT(10_000);

const ENTRIES: FieldSchema = {
  type: "array",
  items: {
    type: "object",
    required: ["seq", "kind", "line"],
    properties: {
      seq: { type: "integer" },
      kind: { type: "string", enum: ["transcript", "message"] },
      line: TEXT(LINE),
    },
  },
};

export interface WorkerOperation {
  readonly summary: string;
  readonly fields: Readonly<Record<string, FieldSchema>>;
  readonly required: readonly string[];
}

export const WORKER_OPERATIONS = {
  claim: {
    summary: "The run to work on next",
    fields: { worker: TEXT(200), leaseMs: { type: "integer" }, only: TEXT(128), token: UUID },
    required: ["worker", "leaseMs", "token"],
  },
  beat: {
    summary: "Extend the lease of a claim",
    fields: {
      ...CLAIM,
      leaseMs: { type: "integer" },
      costUsd: { type: "number" },
      turns: { type: "integer" },
      sessionId: UUID,
    },
    required: ["runId", "claim", "leaseMs"],
  },
  append: {
    summary: "Keep lines that a run left behind",
    fields: { ...CLAIM, entries: ENTRIES },
    required: ["runId", "claim", "entries"],
  },
  show: {
    summary: "Show people what goes on, and keep nothing",
    fields: {
      ...CLAIM,
      shown: {
        type: "array",
        items: {
          type: "object",
          required: ["key", "after", "line"],
          properties: { key: TEXT(200), after: { type: "integer" }, line: TEXT(MOST_SHOWN) },
        },
      },
    },
    required: ["runId", "claim", "shown"],
  },
  ask: {
    summary: "Ask people, and give the run up until they have answered",
    fields: {
      ...CLAIM,
      questions: {
        type: "array",
        items: {
          type: "object",
          required: ["id", "request", "expiresInMs"],
          properties: { id: TEXT(200), request: OPEN, expiresInMs: { type: "integer" } },
        },
      },
    },
    required: ["runId", "claim", "questions"],
  },
  finish: {
    summary: "End a run",
    fields: {
      ...CLAIM,
      state: { type: "string", enum: ["succeeded", "failed", "timed_out", "cancelled", "skipped"] },
      reason: { anyOf: [REASON, { type: "null" }] },
      outcome: {
        anyOf: [
          {
            type: "object",
            required: ["done", "summary", "links"],
            properties: {
              done: { type: "boolean" },
              summary: TEXT(100_000),
              links: { type: "array", items: TEXT(2_000) },
            },
          },
          { type: "null" },
        ],
      },
      result: { anyOf: [TEXT(1024 * 1024), { type: "null" }] },
      costUsd: { type: "number" },
      turns: { type: "integer" },
      entries: ENTRIES,
      effects: {
        type: "array",
        items: {
          type: "object",
          required: ["key", "kind", "body"],
          properties: { key: TEXT(200), kind: TEXT(100), body: OPEN },
        },
      },
    },
    required: ["runId", "claim", "state"],
  },
  release: {
    summary: "Give a run up",
    fields: {
      ...CLAIM,
      why: { type: "string", enum: ["released", "crashed"] },
      reason: REASON,
      afterMs: { type: "integer" },
    },
    required: ["runId", "claim", "why"],
  },
  holds: { summary: "Whether a claim counts", fields: CLAIM, required: ["runId", "claim"] },
  secrets: { summary: "Secrets of the environment of a run", fields: CLAIM, required: ["runId", "claim"] },
  environment: { summary: "The environment of a run", fields: CLAIM, required: ["runId", "claim"] },
  entries: {
    summary: "What a run left behind",
    fields: { ...CLAIM, after: { type: "integer" } },
    required: ["runId", "claim", "after"],
  },
  wake: {
    summary: "Wait for work",
    fields: { waitMs: { type: "integer" }, mark: TEXT(100) },
    required: ["waitMs"],
  },
  seen: {
    summary: "Say that the worker lives",
    fields: { id: TEXT(200), version: TEXT(100), slots: { type: "integer" }, draining: { type: "boolean" } },
    required: ["id", "version", "slots", "draining"],
  },
  effect: {
    summary: "The next thing to do for a run that has ended",
    fields: { kinds: { type: "array", items: TEXT(100) }, leaseMs: { type: "integer" }, token: UUID },
    required: ["kinds", "leaseMs", "token"],
  },
  settle: {
    summary: "Say what became of it",
    fields: {
      runId: TEXT(128),
      key: TEXT(200),
      claim: UUID,
      state: { type: "string", enum: ["done", "failed", "pending"] },
      error: REASON,
      afterMs: { type: "integer" },
    },
    required: ["runId", "key", "claim", "state"],
  },
} as const satisfies Readonly<Record<string, WorkerOperation>>;

export type WorkerOperationName = keyof typeof WORKER_OPERATIONS;
