// What the server of routines says: docs/routines.md and docs/routines-api.md.

export interface RoutinesServer {
  readonly version: string;
  readonly device: string;
  readonly name: string;
  readonly role: "viewer" | "driver";
  readonly admin: boolean;
  /** Signed in with a token, which makes nothing by which somebody could sign in. */
  readonly program: boolean;
  /** Of the tokens that may be made here. */
  readonly token_scopes: readonly string[];
  readonly shortest_gap_ms: number;
}

export interface ShownRoutine {
  readonly id: string;
  readonly name: string;
  readonly prompt: string;
  readonly cron_expression: string | null;
  readonly zone: string;
  readonly run_once_at: string | null;
  readonly jitter_ms: number | null;
  readonly expires_at: string | null;
  readonly schedule_text?: string;
  readonly enabled: boolean;
  readonly model: string | null;
  readonly permission_mode: string;
  readonly allowed_tools: readonly string[];
  readonly sources: readonly { readonly url: string; readonly ref?: string }[];
  readonly environment_id: string | null;
  readonly overlap: "skip" | "queue" | "cancel";
  readonly catch_up: "one" | "none" | "all";
  readonly timeout_s: number;
  readonly max_attempts: number;
  readonly max_turns: number | null;
  readonly budget_usd: number | null;
  readonly on_crash: "resume" | "restart" | "fail";
  readonly questions: "deny" | "ask";
  readonly notify: readonly NotifyRow[];
  readonly push_branches?: readonly string[];
  readonly protected_branches?: readonly string[];
  readonly comment?: boolean;
  readonly version: number;
  readonly next_run_at: string | null;
  readonly disabled_reason: string | null;
  readonly failures_in_row: number;
  readonly last_run: ShownRun | null;
  readonly webhooks: readonly ("http" | "github")[];
  /** Whether who asks may change it, its webhooks and their tokens. */
  readonly may_change: boolean;
  /** Of one routine only. */
  readonly owner_name?: string | null;
}

export interface NotifyRow {
  readonly kind: "webhook" | "ntfy" | "command";
  readonly target: string;
  readonly on?: "failed" | "ended";
}

export type RunState =
  | "queued"
  | "running"
  | "waiting"
  | "succeeded"
  | "failed"
  | "cancelled"
  | "timed_out"
  | "skipped"
  | "missed"
  | "capped";

export interface ShownRun {
  readonly id: string;
  readonly trigger_id: string;
  readonly routine_version: number;
  readonly session_id: string | null;
  readonly cause: "schedule" | "manual" | "http" | "github" | "retry";
  readonly state: RunState;
  readonly reason: string | null;
  readonly slot_at: string | null;
  readonly due_at: string | null;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly outcome: { readonly done: boolean; readonly summary: string; readonly links: readonly string[] } | null;
  readonly result: string | null;
  readonly cost_usd: number;
  readonly turns: number;
  readonly attempt: number;
  readonly worker: string | null;
}

export interface WholeRun extends ShownRun {
  readonly routine_name: string | null;
  readonly prompt: string | null;
  readonly payload: string | null;
  readonly origin: {
    readonly event?: string;
    readonly repository?: string;
    readonly actor?: string;
    readonly fork?: boolean;
    readonly url?: string;
  };
  readonly started_by: string | null;
  readonly questions: readonly ShownQuestion[];
  readonly attempts: readonly ShownAttempt[];
}

export interface ShownQuestion {
  readonly id: string;
  readonly request: Readonly<Record<string, unknown>> & { readonly subtype: string };
  readonly asked_at: string;
  readonly expires_at: string;
  readonly answered_at: string | null;
  readonly answered_by: string | null;
  readonly answered_by_name: string | null;
  readonly answer: Readonly<Record<string, unknown>> | null;
  /** Why only an admin may allow it. */
  readonly only_admins: string | null;
}

export interface ShownAttempt {
  readonly n: number;
  readonly worker: string;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly why: string | null;
  readonly reason: string | null;
}

export interface ShownWebhook {
  readonly id: string;
  readonly kind: "http" | "github";
  readonly url: string;
  readonly fire_url?: string;
  readonly events: readonly string[];
  readonly filters: readonly WebhookFilter[];
  readonly actors: readonly string[];
  readonly hourly_cap: number;
  readonly expires_at: string | null;
  readonly last_fired_at: string | null;
}

export interface WebhookFilter {
  readonly field: string;
  readonly op: string;
  readonly value: string | boolean | readonly string[];
}

export interface ShownDelivery {
  readonly id: string;
  readonly webhook_id: string;
  readonly source: string;
  readonly key: string;
  readonly event: string | null;
  readonly verdict: "run" | "filtered" | "capped" | "skipped" | "refused";
  readonly reason: string | null;
  readonly run_id: string | null;
  readonly at: string;
}

export interface ShownEnvironment {
  readonly id: string;
  readonly name: string;
  readonly setup_script: string | null;
  readonly network: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
}

export interface ShownSecret {
  readonly name: string;
  readonly updated_at: string;
}

export interface ShownWorker {
  readonly name: string;
  readonly version: string;
  readonly slots: number;
  readonly started_at: string;
  readonly seen_at: string;
  /** It takes no more runs. */
  readonly draining: boolean;
  /** Because its process ends. */
  readonly ends: boolean;
  readonly drained_by_name: string | null;
  readonly alive: boolean;
  readonly runs: readonly { readonly id: string; readonly trigger_id: string; readonly started_at: string | null }[];
}

export type SchedulePreview =
  | {
      readonly problem?: undefined;
      readonly schedule_text: string | null;
      readonly starts: readonly { readonly slot_at: string; readonly start_at: string }[];
    }
  | { readonly problem: string; readonly field: string };

export interface Listed<Row> {
  readonly data: readonly Row[];
  readonly next_cursor: string | null;
}
