// Which columns each table has, and how a row becomes a record. A column is called like its field, in snake_case.

import type { Delivery } from "../../records/delivery.ts";
import type { Routine, RoutineDefinition } from "../../records/routine.ts";
import type { RoutineRun, RunAttempt, RunEffect, RunQuestion, StoredEntry } from "../../records/run.ts";
import type {
  ApiToken,
  AuditRow,
  KeptAnswer,
  Passkey,
  RunEnvironment,
  SealedSecret,
  TeamCode,
  TeamDevice,
  TeamUser,
  WorkerRow,
} from "../../records/team.ts";
import type { Trigger } from "../../records/trigger.ts";
import type { SqlRow, SqlValue } from "./database.ts";

type ColumnKind = "text" | "number" | "flag" | "json";

export interface TableShape<Row> {
  readonly table: string;
  readonly columns: { readonly [Field in keyof Row]-?: ColumnKind };
  /** Lists begin with the newest by this field, or go by id. */
  readonly newest?: keyof Row & string;
}

const shape = <Row>(
  table: string,
  columns: TableShape<Row>["columns"],
  newest?: keyof Row & string,
): TableShape<Row> => ({ table, columns, ...(newest === undefined ? {} : { newest }) });

export const RUNS = shape<RoutineRun>(
  "runs",
  {
    id: "text",
    routineId: "text",
    routineVersion: "number",
    triggerId: "text",
    cause: "text",
    slotAt: "number",
    dueAt: "number",
    isHeldBack: "flag",
    state: "text",
    reason: "text",
    attempt: "number",
    failures: "number",
    lost: "number",
    fence: "number",
    leaseUntil: "number",
    worker: "text",
    sessionId: "text",
    signAt: "number",
    payload: "text",
    origin: "json",
    outcome: "json",
    result: "text",
    costUsd: "number",
    turns: "number",
    createdBy: "text",
    createdAt: "number",
    startedAt: "number",
    endedAt: "number",
  },
  "createdAt",
);

export const ATTEMPTS = shape<RunAttempt>("attempts", {
  runId: "text",
  n: "number",
  worker: "text",
  startedAt: "number",
  endedAt: "number",
  why: "text",
  reason: "text",
});

export const ENTRIES = shape<StoredEntry>("entries", {
  seq: "number",
  kind: "text",
  line: "text",
  fence: "number",
  at: "number",
});

export const QUESTIONS = shape<RunQuestion>("questions", {
  id: "text",
  runId: "text",
  attempt: "number",
  request: "json",
  askedAt: "number",
  expiresAt: "number",
  answeredAt: "number",
  answeredBy: "text",
  answer: "json",
});

export const EFFECTS = shape<RunEffect>("effects", {
  runId: "text",
  key: "text",
  kind: "text",
  body: "json",
  state: "text",
  tries: "number",
  dueAt: "number",
  error: "text",
  settledAt: "number",
});

/** What a routine has besides its definition, which is one column. */
export type RoutineRow = Omit<Routine, keyof RoutineDefinition> & { readonly definition: RoutineDefinition };

export const ROUTINES = shape<RoutineRow>(
  "routines",
  {
    id: "text",
    ownerId: "text",
    enabled: "flag",
    disabledReason: "text",
    failuresInRow: "number",
    version: "number",
    createdAt: "number",
    updatedAt: "number",
    definition: "json",
  },
  "createdAt",
);

export const TRIGGERS = shape<Trigger>(
  "triggers",
  {
    id: "text",
    routineId: "text",
    kind: "text",
    createdAt: "number",
    expiresAt: "number",
    cron: "text",
    zone: "text",
    runOnceAt: "number",
    jitterMs: "number",
    nextSlot: "number",
    nextAt: "number",
    ranAt: "number",
    tokenHash: "text",
    sealedSecret: "text",
    events: "json",
    filters: "json",
    actors: "json",
    hourlyCap: "number",
    lastFiredAt: "number",
  },
  "createdAt",
);

export const DELIVERIES = shape<Delivery>(
  "deliveries",
  {
    id: "text",
    triggerId: "text",
    source: "text",
    key: "text",
    bodyHash: "text",
    event: "text",
    verdict: "text",
    reason: "text",
    runId: "text",
    at: "number",
  },
  "at",
);

export const ENVIRONMENTS = shape<RunEnvironment>(
  "environments",
  {
    id: "text",
    name: "text",
    setupScript: "text",
    network: "json",
    variables: "json",
    secrets: "json",
    extra: "json",
    version: "number",
    createdAt: "number",
    updatedAt: "number",
  },
  "createdAt",
);

export const SEALED_SECRETS = shape<SealedSecret>("secrets", {
  id: "text",
  sealed: "text",
  createdBy: "text",
  createdAt: "number",
  updatedAt: "number",
});

export const USERS = shape<TeamUser>(
  "users",
  {
    id: "text",
    name: "text",
    email: "text",
    role: "text",
    subject: "text",
    passwordHash: "text",
    disabled: "flag",
    createdAt: "number",
    seenAt: "number",
  },
  "createdAt",
);

export const PASSKEYS = shape<Passkey>("passkeys", {
  id: "text",
  userId: "text",
  name: "text",
  publicKey: "text",
  algorithm: "number",
  counter: "number",
  createdAt: "number",
  usedAt: "number",
});

export const DEVICES = shape<TeamDevice>(
  "devices",
  {
    id: "text",
    userId: "text",
    name: "text",
    createdAt: "number",
    expiresAt: "number",
    seenAt: "number",
  },
  "createdAt",
);

export const CODES = shape<TeamCode>("codes", { id: "text", kind: "text", body: "json", expiresAt: "number" });

export const TOKENS = shape<ApiToken>(
  "tokens",
  {
    id: "text",
    tokenHash: "text",
    name: "text",
    userId: "text",
    scopes: "json",
    createdAt: "number",
    expiresAt: "number",
    usedAt: "number",
  },
  "createdAt",
);

export const WORKERS = shape<WorkerRow>("workers", {
  id: "text",
  version: "text",
  slots: "number",
  startedAt: "number",
  seenAt: "number",
  draining: "flag",
  drainBy: "text",
});

export const AUDIT = shape<AuditRow>(
  "audit",
  { id: "text", at: "number", actor: "text", action: "text", target: "text", detail: "json", address: "text" },
  "at",
);

export const KEPT_ANSWERS = shape<KeptAnswer>(
  "answers",
  { id: "text", requestHash: "text", status: "number", body: "text", at: "number" },
  "at",
);

export const columnOf = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Never `*`: a newer version may have added columns. */
export function columnsOf<Row>({ columns }: TableShape<Row>, alias?: string): string {
  const prefix = alias === undefined ? "" : `${alias}.`;
  return Object.keys(columns)
    .map((field) => `${prefix}${columnOf(field)}`)
    .join(", ");
}

export function fromRow<Row>({ columns }: TableShape<Row>, row: SqlRow): Row {
  const record: Record<string, unknown> = {};
  for (const [field, kind] of Object.entries<ColumnKind>(columns)) {
    const value = row[columnOf(field)];
    record[field] = value === null || value === undefined ? null : READ[kind](value);
  }
  return record as Row;
}

/** 64-bit numbers arrive as text from PostgreSQL. */
const READ: Readonly<Record<ColumnKind, (value: unknown) => unknown>> = {
  text: String,
  number: Number,
  flag: (value) => Number(value) === 1,
  json: (value) => JSON.parse(String(value)),
};

/** The values of some fields, in order. */
export function valuesOf<Row>({ columns }: TableShape<Row>, record: Partial<Row>): readonly SqlValue[] {
  return Object.entries(record).map(([field, value]) => {
    const kind = columns[field as keyof Row];
    if (kind === undefined) throw new Error(`There is no field "${field}"`);
    if (value === null || value === undefined) return null;
    if (kind === "json") return JSON.stringify(value);
    if (kind === "flag") return value === true ? 1 : 0;
    return kind === "number" ? Number(value) : String(value);
  });
}

/** With the fields of a record as values, in order, and columns that are computed. */
export function insertInto<Row>(
  { table }: TableShape<Row>,
  record: Partial<Row>,
  computed: Readonly<Record<string, string>> = {},
): string {
  const fields = Object.keys(record);
  const names = [...fields.map(columnOf), ...Object.keys(computed)];
  const values = [...fields.map((_, at) => `$${at + 1}`), ...Object.values(computed)];
  return `INSERT INTO ${table} (${names.join(", ")}) VALUES (${values.join(", ")}) ON CONFLICT DO NOTHING`;
}
