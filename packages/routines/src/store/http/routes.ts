// The server's end of the store that workers of a fleet use: each operation of `WorkerStore` as a route, for who has a worker token.

import { HttpRefusal, type OpenRoute } from "@keelson/web";
import type { RunEntry } from "../../records/run.ts";
import type {
  EffectEnd,
  HeldEffect,
  NewQuestion,
  ReleaseReason,
  RunBeat,
  RunClaim,
  RunEnd,
  ShownNow,
  WantedClaim,
  WantedEffect,
  WantedWake,
  WorkerStore,
} from "../run-store.ts";
import { bearerIn } from "../../team/tokens.ts";
import { MAX_WAIT_MS, MAX_WORKER_BODY, WORKER_OPERATIONS, type WorkerOperationName } from "./operations.ts";

export interface WorkerRoutesOptions {
  readonly store: WorkerStore;
  /** Whether this is the token of a worker, of those that are valid now. */
  admits(token: string): Promise<boolean>;
  /** Ends with the server: nobody is kept waiting any longer. */
  readonly signal: AbortSignal;
}

export function workerRoutes(options: WorkerRoutesOptions): readonly OpenRoute[] {
  const answers = answersOf(options);
  return Object.entries(WORKER_OPERATIONS).map(([name, { summary, fields, required }]) => ({
    method: "POST",
    path: `/v1/worker/${name}`,
    access: "anyone",
    summary: `${summary} (workers only)`,
    body: { type: "object", properties: fields, required },
    maxBody: MAX_WORKER_BODY,
    reply: { type: "object", additionalProperties: true },
    errors: [401],
    admit: (headers) => checkToken(headers, options),
    async run(request) {
      try {
        return { json: await answers[name as WorkerOperationName](request.body as never, request.signal) };
      } catch (error) {
        if (error instanceof RangeError) throw new HttpRefusal("invalid_request", error.message);
        throw error;
      }
    },
  }));
}

async function checkToken(headers: Headers, { admits }: WorkerRoutesOptions): Promise<void> {
  const token = bearerIn(headers);
  if (token === undefined || !(await admits(token)))
    throw new HttpRefusal("authentication", NO_TOKEN, { "WWW-Authenticate": "Bearer" });
}

const NO_TOKEN = 'The token is missing, or not one of a worker; "keelson serve token NAME --scope worker" makes one';

/** What the door has checked by the table, as the fields say. */
interface Bodies {
  readonly claim: WantedClaim & { readonly token: string };
  readonly beat: RunClaim & RunBeat;
  readonly append: RunClaim & { readonly entries: readonly RunEntry[] };
  readonly show: RunClaim & { readonly shown: readonly ShownNow[] };
  readonly ask: RunClaim & { readonly questions: readonly NewQuestion[] };
  readonly finish: RunClaim & RunEnd;
  readonly release: RunClaim & {
    readonly why: "released" | "crashed";
    readonly reason?: string;
    readonly afterMs?: number;
  };
  readonly holds: RunClaim;
  readonly secrets: RunClaim;
  readonly environment: RunClaim;
  readonly entries: RunClaim & { readonly after: number };
  readonly wake: WantedWake;
  readonly seen: Parameters<WorkerStore["seen"]>[0];
  readonly effect: WantedEffect & { readonly token: string };
  readonly settle: HeldEffect & {
    readonly state: EffectEnd["state"];
    readonly error?: string;
    readonly afterMs?: number;
  };
}

type Answers = {
  readonly [Name in WorkerOperationName]: (body: Bodies[Name], signal: AbortSignal) => Promise<object>;
};

function answersOf({ store, signal: ends }: WorkerRoutesOptions): Answers {
  return {
    async claim({ leaseMs, ...wanted }) {
      checkClaim(wanted.token);
      return store.claim({ ...wanted, leaseMs: lease(leaseMs) });
    },
    beat: ({ runId, claim, leaseMs, ...rest }) => store.beat({ runId, claim }, { ...rest, leaseMs: lease(leaseMs) }),
    append: ({ runId, claim, entries }) => store.append({ runId, claim }, entries),
    show({ runId, claim, shown }) {
      if (shown.length > MOST_AT_ONCE) throw new RangeError(`"shown" must have at most ${MOST_AT_ONCE} messages`);
      return store.show({ runId, claim }, shown);
    },
    ask({ runId, claim, questions }) {
      if (questions.length === 0 || questions.length > MOST_AT_ONCE)
        throw new RangeError(`"questions" must have 1 to ${MOST_AT_ONCE} questions`);
      for (const { expiresInMs } of questions) within("expiresInMs", expiresInMs, MOST_MS);
      return store.ask({ runId, claim }, questions);
    },
    finish({ runId, claim, ...end }) {
      if (end.effects && end.effects.length > MOST_AT_ONCE)
        throw new RangeError(`"effects" must have at most ${MOST_AT_ONCE} effects`);
      return store.finish({ runId, claim }, end);
    },
    release: ({ runId, claim, why, reason, afterMs }) =>
      store.release({ runId, claim }, releaseReason(why, reason, afterMs)),
    holds: (claim) => store.holds(claim),
    secrets: (claim) => store.secrets(claim),
    environment: (claim) => store.environment(claim),
    entries: ({ runId, claim, after }) => store.claimedEntries({ runId, claim }, after),
    async wake(wanted, signal) {
      within("waitMs", wanted.waitMs, MAX_WAIT_MS);
      await store.wake(wanted, AbortSignal.any([signal, ends]));
      return {};
    },
    async seen(worker) {
      await store.seen(worker);
      return {};
    },
    async effect({ kinds, leaseMs, token }) {
      checkClaim(token);
      if (kinds.length > MOST_AT_ONCE) throw new RangeError(`"kinds" must have at most ${MOST_AT_ONCE} kinds`);
      const claimed = await store.claimEffect({ kinds, leaseMs: lease(leaseMs), token });
      return claimed ?? {};
    },
    async settle({ runId, key, claim, state, error = "", afterMs = 0 }) {
      within("afterMs", afterMs, MOST_MS);
      const settled: EffectEnd =
        state === "done" ? { state } : state === "failed" ? { state, error } : { state, error, afterMs };
      return { settled: await store.settleEffect({ runId, key, claim }, settled) };
    },
  };
}

const MOST_AT_ONCE = 100;
const MOST_LEASE_MS = 60 * 60 * 1_000;
const MOST_MS = 30 * 24 * 60 * 60 * 1_000;

function releaseReason(
  why: "released" | "crashed",
  reason = "The worker does not say why",
  afterMs = 0,
): ReleaseReason {
  if (why === "released") return { why };
  within("afterMs", afterMs, MOST_MS);
  return { why, reason, afterMs };
}

function lease(leaseMs: number): number {
  if (leaseMs < 1) throw new RangeError(`"leaseMs" must be at least 1`);
  within("leaseMs", leaseMs, MOST_LEASE_MS);
  return leaseMs;
}

function within(name: string, value: number, most: number): void {
  if (value < 0 || value > most) throw new RangeError(`"${name}" must be from 0 to ${most}`);
}

/** A token that somebody could guess would protect nothing. */
function checkClaim(claim: string): void {
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(claim))
    throw new RangeError(`"token" must be a random UUID`);
}
