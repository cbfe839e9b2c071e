// What a session tells those who watch it: the debug log, the trace and telemetry. Types only. A watcher changes nothing,
// and must not keep content that it gets longer than it needs to.

import type { End, ModelEvent, Permission, PermitRequest } from "@keelson/engine";
import type { HookEvent, JsonObject, NewEntry, Usage } from "@keelson/protocol";
import type { Firing } from "../hooks/run-handler.ts";

/** Times are milliseconds since 1970, with fractions. */
export type Fact =
  /** A run of the session's own agent. */
  | { readonly type: "run_start"; readonly at: number }
  | { readonly type: "run_end"; readonly at: number; readonly end: End }
  | RequestStart
  | { readonly type: "request_event"; readonly request: RequestStart; readonly at: number; readonly event: ModelEvent }
  | RequestEnd
  /** Recorded in a transcript: prompts, replies, results of calls, compactions. */
  | ({ readonly type: "entries"; readonly at: number; readonly entries: readonly NewEntry[] } & OfAgent)
  /** The engine fired an event, whether or not there are hooks for it. */
  | ({ readonly type: "event"; readonly at: number; readonly event: HookEvent; readonly input: JsonObject } & OfAgent)
  | ({
      readonly type: "permission";
      readonly at: number;
      readonly request: PermitRequest;
      readonly permission: Permission;
      readonly ms: number;
    } & OfAgent)
  | { readonly type: "hook"; readonly at: number; readonly firing: Firing };

export interface OfAgent {
  /** The subagent that did it; absent for the session's own agent. */
  readonly agent?: WatchedAgent | undefined;
}

export interface WatchedAgent {
  readonly id: string;
  readonly type: string;
}

export interface RequestStart {
  readonly type: "request_start";
  readonly at: number;
  readonly model: string;
  /** The id of the subagent that asks. */
  readonly agentId?: string | undefined;
  readonly messages: number;
  readonly tools: number;
}

export interface RequestEnd {
  readonly type: "request_end";
  readonly request: RequestStart;
  readonly at: number;
  /** When the first event of the reply came. */
  readonly firstAt?: number | undefined;
  /** As the server named it. */
  readonly model: string;
  readonly messageId?: string | undefined;
  readonly usage: Usage;
  /** Null if the price is unknown. */
  readonly costUsd: number | null;
  readonly stopReason: string | null;
  readonly retries: number;
  readonly error?: RequestFailure | undefined;
}

export interface RequestFailure {
  readonly kind: string;
  readonly status?: number | undefined;
  readonly message: string;
}

/** Called in the middle of the work, so it must be quick. Never throws. */
export interface Watcher {
  see(fact: Fact): void;
  /** The session ended. Takes a bounded time. */
  close?(): Promise<void>;
}
