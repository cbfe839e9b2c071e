// Triggers that somebody wants: checked, and made into rows. Tokens and secrets are handed out here, this once.

import { randomBytes } from "node:crypto";
import type { Trigger, TriggerFilter } from "../records/trigger.ts";
import { armed, previewSchedule, type PreviewOptions, type WantedSchedule } from "../schedule/preview.ts";
import type { RunStore } from "../store/run-store.ts";
import { actorsProblem } from "./github/actor.ts";
import { eventsProblem } from "./github/event.ts";
import { filtersProblem } from "./github/filter.ts";
import { createToken } from "./token.ts";

export interface TriggerProblem {
  /** For people; it begins with the name of the field. */
  readonly problem: string;
}

/** A schedule of a routine: recurring, or once. */
export function newSchedule(
  routineId: string,
  wanted: WantedSchedule,
  options: PreviewOptions,
): { readonly trigger: Trigger; readonly problem?: undefined } | TriggerProblem {
  const preview = previewSchedule(wanted, options);
  if (preview.problem !== undefined) return { problem: `${preview.field}: ${preview.problem}` };
  const { cron = null, zone, runOnceAt = null, jitterMs = null, expiresAt = null, id = `cron_${randomId()}` } = wanted;
  const schedule = { id, cron, zone, runOnceAt, jitterMs, expiresAt, ranAt: null };
  const kind = { routineId, kind: "schedule", createdAt: options.now } as const;
  return { trigger: { ...NOTHING, ...kind, ...schedule, ...armed(schedule, options) } };
}

/**
 * Before a paused routine runs again: what was due while it was paused is not made up for. A one-off whose time has passed stays as it
 * is. Nothing is due of a paused routine, so it may stay paused after this.
 */
export async function armSchedules(
  store: Pick<RunStore, "triggers" | "now">,
  routineId: string,
  { zones }: Pick<PreviewOptions, "zones">,
): Promise<void> {
  const now = await store.now();
  const { rows } = await store.triggers.list({ routineId, kind: "schedule" });
  for (const trigger of rows) await store.triggers.update(trigger.id, armed(trigger, { now, zones }));
}

export interface WantedWebhook {
  readonly kind: "http" | "github";
  readonly events?: readonly string[];
  readonly filters?: readonly TriggerFilter[];
  readonly actors?: readonly string[];
  readonly hourlyCap?: number;
  readonly expiresAt?: number | null;
}

export interface NewWebhook {
  readonly problem?: undefined;
  readonly trigger: Trigger;
  /** Of kind `http`. */
  readonly token: string | undefined;
  /** For signatures. */
  readonly secret: string;
}

export interface WebhookPorts {
  readonly now: number;
  seal(secret: string): Promise<string>;
}

/** As many as a token allows calls. */
const HTTP_CAP = 3_600;
const GITHUB_CAP = 60;
const MOST_CAP = 100_000;

export async function newWebhook(
  routineId: string,
  wanted: WantedWebhook,
  { now, seal }: WebhookPorts,
): Promise<NewWebhook | TriggerProblem> {
  const { kind, events = [], filters = [], actors = [], expiresAt = null } = wanted;
  const hourlyCap = wanted.hourlyCap ?? (kind === "http" ? HTTP_CAP : GITHUB_CAP);
  const problem = webhookProblem({ kind, events, filters, actors, hourlyCap });
  if (problem !== undefined) return { problem };
  if (expiresAt !== null && !(expiresAt > now)) return { problem: "expires_at: This time is in the past" };
  const secret = newSecret();
  const { token, hash } = createToken();
  const isHttp = kind === "http";
  return {
    trigger: {
      ...NOTHING,
      id: `hook_${randomId()}`,
      routineId,
      kind,
      createdAt: now,
      expiresAt,
      tokenHash: isHttp ? hash : null,
      sealedSecret: await seal(secret),
      events,
      filters,
      actors,
      hourlyCap,
    },
    token: isHttp ? token : undefined,
    secret,
  };
}

/**
 * Replaces token and secret of a webhook, both or neither; those before are refused from then on. Undefined: somebody else did so at
 * the same time, or it was removed.
 */
export async function rotateWebhook(
  store: Pick<RunStore, "triggers">,
  { id, kind, tokenHash, sealedSecret }: Trigger,
  { seal }: Pick<WebhookPorts, "seal">,
): Promise<Pick<NewWebhook, "token" | "secret"> | undefined> {
  const secret = newSecret();
  const { token, hash } = createToken();
  const isHttp = kind === "http";
  const replaced = { sealedSecret: await seal(secret), ...(isHttp ? { tokenHash: hash } : {}) };
  const isRotated = await store.triggers.update(id, replaced, { sealedSecret, tokenHash });
  return isRotated ? { token: isHttp ? token : undefined, secret } : undefined;
}

/** What is wrong with the fields of a webhook, also when one is changed. */
export function webhookProblem({
  kind,
  events,
  filters,
  actors,
  hourlyCap,
}: Pick<Trigger, "kind" | "events" | "filters" | "actors" | "hourlyCap">): string | undefined {
  if (!Number.isInteger(hourlyCap) || hourlyCap < 1 || hourlyCap > MOST_CAP)
    return `hourly_cap: must be a whole number from 1 to ${MOST_CAP}`;
  if (kind === "github") return eventsProblem(events) ?? filtersProblem(filters) ?? actorsProblem(actors);
  const [field] = Object.entries({ events, filters, actors }).find(([, values]) => values.length > 0) ?? [];
  return field === undefined ? undefined : `${field}: only webhooks of kind "github" have them`;
}

const randomId = () => randomBytes(16).toString("hex");
const newSecret = () => `kws_${randomBytes(32).toString("base64url")}`;

const NOTHING = {
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
  hourlyCap: GITHUB_CAP,
  lastFiredAt: null,
} as const;
