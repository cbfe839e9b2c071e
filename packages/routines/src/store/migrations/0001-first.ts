// The first schema. The same text on SQLite and PostgreSQL; times are milliseconds, flags 0 or 1, and JSON is text.

export const FIRST: readonly string[] = [
  `CREATE TABLE routines (
     id TEXT PRIMARY KEY, owner_id TEXT, enabled BIGINT NOT NULL, disabled_reason TEXT, failures_in_row BIGINT NOT NULL,
     version BIGINT NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, definition TEXT NOT NULL)`,
  `CREATE TABLE routine_versions (
     routine_id TEXT NOT NULL, version BIGINT NOT NULL, definition TEXT NOT NULL, at BIGINT NOT NULL,
     PRIMARY KEY (routine_id, version))`,

  `CREATE TABLE triggers (
     id TEXT PRIMARY KEY, routine_id TEXT NOT NULL, kind TEXT NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT,
     cron TEXT, zone TEXT NOT NULL, run_once_at BIGINT, jitter_ms BIGINT, next_slot BIGINT, next_at BIGINT, ran_at BIGINT,
     token_hash TEXT, sealed_secret TEXT, events TEXT NOT NULL, filters TEXT NOT NULL, actors TEXT NOT NULL,
     hourly_cap BIGINT NOT NULL, last_fired_at BIGINT)`,
  `CREATE INDEX triggers_due ON triggers (next_at) WHERE next_at IS NOT NULL`,
  `CREATE INDEX triggers_of_routine ON triggers (routine_id)`,

  // due: when it may be claimed; null while it is held back, waits, or has ended. due_at: when it was to start, for people.
  `CREATE TABLE runs (
     id TEXT PRIMARY KEY, routine_id TEXT NOT NULL, routine_version BIGINT NOT NULL, trigger_id TEXT, cause TEXT NOT NULL,
     slot_at BIGINT, due_at BIGINT NOT NULL, due BIGINT, is_held_back BIGINT NOT NULL, state TEXT NOT NULL, reason TEXT,
     attempt BIGINT NOT NULL DEFAULT 0, failures BIGINT NOT NULL DEFAULT 0, lost BIGINT NOT NULL DEFAULT 0,
     fence BIGINT NOT NULL DEFAULT 0, claim TEXT, lease_until BIGINT, worker TEXT, session_id TEXT NOT NULL,
     entries BIGINT NOT NULL DEFAULT 0, sign_at BIGINT, payload TEXT, origin TEXT NOT NULL, outcome TEXT, result TEXT,
     cost_usd DOUBLE PRECISION NOT NULL DEFAULT 0, turns BIGINT NOT NULL DEFAULT 0, created_by TEXT,
     created_at BIGINT NOT NULL, started_at BIGINT, ended_at BIGINT)`,
  `CREATE INDEX runs_due ON runs (due) WHERE state = 'queued'`,
  `CREATE INDEX runs_lease ON runs (lease_until) WHERE state = 'running'`,
  `CREATE UNIQUE INDEX runs_claim ON runs (claim)`,
  `CREATE INDEX runs_active ON runs (routine_id, created_at, id) WHERE state IN ('queued', 'running', 'waiting')`,
  `CREATE INDEX runs_newest ON runs (created_at, id)`,
  `CREATE INDEX runs_of_routine ON runs (routine_id, created_at, id)`,
  `CREATE INDEX runs_of_trigger ON runs (trigger_id, created_at)`,
  `CREATE INDEX runs_of_session ON runs (session_id)`,
  `CREATE INDEX runs_with_log ON runs (ended_at) WHERE (entries > 0 OR payload IS NOT NULL)`,

  `CREATE TABLE attempts (
     run_id TEXT NOT NULL, n BIGINT NOT NULL, claim TEXT NOT NULL, worker TEXT NOT NULL, started_at BIGINT NOT NULL,
     ended_at BIGINT, why TEXT, reason TEXT, PRIMARY KEY (run_id, n))`,
  `CREATE TABLE entries (
     run_id TEXT NOT NULL, seq BIGINT NOT NULL, fence BIGINT NOT NULL, kind TEXT NOT NULL, line TEXT NOT NULL,
     at BIGINT NOT NULL, PRIMARY KEY (run_id, seq))`,
  `CREATE TABLE questions (
     run_id TEXT NOT NULL, id TEXT NOT NULL, attempt BIGINT NOT NULL, request TEXT NOT NULL, asked_at BIGINT NOT NULL,
     expires_at BIGINT NOT NULL, answered_at BIGINT, answered_by TEXT, answer TEXT, PRIMARY KEY (run_id, id))`,
  `CREATE INDEX questions_open ON questions (expires_at) WHERE answered_at IS NULL`,
  `CREATE TABLE effects (
     run_id TEXT NOT NULL, key TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL, state TEXT NOT NULL,
     tries BIGINT NOT NULL, due_at BIGINT NOT NULL, claim TEXT, error TEXT, settled_at BIGINT, PRIMARY KEY (run_id, key))`,
  `CREATE INDEX effects_due ON effects (due_at) WHERE state = 'pending'`,
  `CREATE TABLE deliveries (
     id TEXT PRIMARY KEY, trigger_id TEXT NOT NULL, source TEXT NOT NULL, key TEXT NOT NULL, body_hash TEXT NOT NULL,
     event TEXT, verdict TEXT NOT NULL, reason TEXT, run_id TEXT, at BIGINT NOT NULL)`,
  `CREATE UNIQUE INDEX deliveries_of_trigger ON deliveries (trigger_id, key)`,
  `CREATE INDEX deliveries_newest_of_trigger ON deliveries (trigger_id, at, id)`,
  `CREATE INDEX deliveries_newest ON deliveries (at, id)`,

  `CREATE TABLE environments (
     id TEXT PRIMARY KEY, name TEXT NOT NULL, setup_script TEXT, network TEXT NOT NULL, variables TEXT NOT NULL,
     secrets TEXT NOT NULL, extra TEXT NOT NULL, version BIGINT NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL)`,
  `CREATE TABLE secrets (
     id TEXT PRIMARY KEY, sealed TEXT NOT NULL, created_by TEXT, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL)`,
  `CREATE TABLE users (
     id TEXT PRIMARY KEY, name TEXT NOT NULL, email TEXT, role TEXT NOT NULL, subject TEXT UNIQUE, password_hash TEXT,
     disabled BIGINT NOT NULL, created_at BIGINT NOT NULL, seen_at BIGINT)`,
  `CREATE TABLE passkeys (
     id TEXT PRIMARY KEY, user_id TEXT NOT NULL, name TEXT NOT NULL, public_key TEXT NOT NULL, algorithm BIGINT NOT NULL,
     counter BIGINT NOT NULL, created_at BIGINT NOT NULL, used_at BIGINT)`,
  `CREATE TABLE devices (
     id TEXT PRIMARY KEY, user_id TEXT NOT NULL, name TEXT NOT NULL, created_at BIGINT NOT NULL,
     expires_at BIGINT NOT NULL, seen_at BIGINT NOT NULL)`,
  `CREATE TABLE codes (id TEXT PRIMARY KEY, kind TEXT NOT NULL, body TEXT NOT NULL, expires_at BIGINT NOT NULL)`,
  `CREATE TABLE tokens (
     id TEXT PRIMARY KEY, token_hash TEXT NOT NULL UNIQUE, name TEXT NOT NULL, user_id TEXT, scopes TEXT NOT NULL,
     created_at BIGINT NOT NULL, expires_at BIGINT, used_at BIGINT)`,
  `CREATE TABLE workers (
     id TEXT PRIMARY KEY, version TEXT NOT NULL, slots BIGINT NOT NULL, started_at BIGINT NOT NULL, seen_at BIGINT NOT NULL,
     draining BIGINT NOT NULL)`,
  `CREATE TABLE audit (
     id TEXT PRIMARY KEY, at BIGINT NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL, target TEXT, detail TEXT NOT NULL,
     address TEXT)`,
  `CREATE INDEX audit_newest ON audit (at, id)`,
  `CREATE TABLE answers (
     id TEXT PRIMARY KEY, request_hash TEXT NOT NULL, status BIGINT NOT NULL, body TEXT NOT NULL, at BIGINT NOT NULL)`,
  `CREATE INDEX answers_oldest ON answers (at)`,
];
