// What starts a routine: a schedule, a call, or an event on GitHub.

export type TriggerKind = "schedule" | "http" | "github";

export interface Trigger {
  /** `cron_…` for a schedule, `hook_…` for the others. */
  readonly id: string;
  readonly routineId: string;
  readonly kind: TriggerKind;
  readonly createdAt: number;
  /** Null: never. */
  readonly expiresAt: number | null;

  /** Five fields. Null for a one-off. */
  readonly cron: string | null;
  readonly zone: string;
  readonly runOnceAt: number | null;
  /** Null: by the rule; 0: none. */
  readonly jitterMs: number | null;
  /** The next time by the schedule alone. Null: none, such as a one-off that has run. */
  readonly nextSlot: number | null;
  /** When the scheduler acts on that slot: with jitter. */
  readonly nextAt: number | null;
  /** When a one-off ran. */
  readonly ranAt: number | null;

  /** SHA-256 of the token, in hexadecimal. */
  readonly tokenHash: string | null;
  /** The secret of signatures, sealed. */
  readonly sealedSecret: string | null;
  readonly events: readonly string[];
  readonly filters: readonly TriggerFilter[];
  /** Whose events count besides owners, members and collaborators; `bots` admits bots. */
  readonly actors: readonly string[];
  readonly hourlyCap: number;
  readonly lastFiredAt: number | null;
}

export interface TriggerFilter {
  readonly field: string;
  readonly op: string;
  readonly value: string | boolean | readonly string[];
}
