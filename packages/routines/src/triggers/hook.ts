// What all calls from outside have in common.

import { createHash } from "node:crypto";
import type { RouteReply } from "@keelson/web";
import type { NewDelivery } from "../records/delivery.ts";
import type { Routine } from "../records/routine.ts";
import { runIdOf } from "../records/run-id.ts";
import type { Trigger } from "../records/trigger.ts";
import { StoreUnavailable, type RunStore } from "../store/run-store.ts";
import type { HookLimits } from "./hook-limits.ts";
import { hookError } from "./reply.ts";

export interface HookPorts {
  readonly store: Pick<
    RunStore,
    "routine" | "triggers" | "deliveries" | "codes" | "countRuns" | "runs" | "enqueue" | "now"
  >;
  readonly limits: HookLimits;
  /** Where people see a session. */
  sessionUrl(sessionId: string, runId: string): string;
  /** Opens a secret of a trigger. */
  unseal(sealed: string): Promise<string>;
}

/**
 * A row about a call that started nothing and is not remembered, so that the sender may try again. Under a key of its own: whoever
 * is refused must not be able to use up the key of a real delivery.
 */
export async function noteCall(
  { id: triggerId, routineId }: Trigger,
  { event = null, cappedRun, ...about }: Note,
  { store, limits }: HookPorts,
): Promise<void> {
  if (!limits.mayNote(triggerId, about.verdict === "refused")) return;
  const key = uniqueKey();
  const delivery = { triggerId, key, bodyHash: "", event, ...about };
  if (cappedRun === undefined) await store.enqueue({ delivery });
  else {
    const id = runIdOf({ kind: cappedRun, triggerId, key });
    await store.enqueue({
      delivery,
      run: { id, routineId, triggerId, cause: cappedRun, state: "capped", reason: about.reason },
    });
  }
}

interface Note extends Pick<NewDelivery, "source" | "verdict" | "reason"> {
  readonly event?: string | null;
  /** There is also a run that says so, in the history of the routine. */
  readonly cappedRun?: "http";
}

export const uniqueKey = () => `call ${crypto.randomUUID()}`;

export const bodyHash = (body: Uint8Array) => createHash("sha256").update(body).digest("hex");

export const pausedReason = ({ disabledReason }: Routine) =>
  disabledReason === null ? "The routine is paused" : `The routine is paused: ${disabledReason}`;

export async function orUnavailable(answer: () => Promise<RouteReply>): Promise<RouteReply> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    return hookError("overloaded_error", "The database cannot be reached; try again", { "Retry-After": "5" });
  }
}
