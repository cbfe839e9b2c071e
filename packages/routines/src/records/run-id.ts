// The id of a run is made from its cause: a cause that arrives twice is one row, whoever inserts it.

import { createHash } from "node:crypto";

export type RunCause =
  | { readonly kind: "schedule"; readonly triggerId: string; readonly slotAt: number }
  /** `key` is `X-GitHub-Delivery`, or `Idempotency-Key`. */
  | { readonly kind: "http" | "github"; readonly triggerId: string; readonly key: string }
  /** Without a key, each call is a new cause. */
  | { readonly kind: "manual"; readonly routineId: string; readonly key: string | undefined }
  | { readonly kind: "retry"; readonly runId: string; readonly key: string | undefined };

export function runIdOf(cause: RunCause): string {
  return `run_${digest(partsOf(cause)).slice(0, 32)}`;
}

/** The session of a run: known as soon as the run is. */
export function sessionIdOf(runId: string): string {
  const hex = digest(["session", runId]);
  // Version 8 and the usual variant: a UUID whose content is ours to choose.
  const variant = ((Number.parseInt(hex[16]!, 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}

function partsOf(cause: RunCause): readonly string[] {
  switch (cause.kind) {
    case "schedule":
      return [cause.kind, cause.triggerId, String(cause.slotAt)];
    case "http":
    case "github":
      return [cause.kind, cause.triggerId, cause.key];
    case "manual":
      return [cause.kind, cause.routineId, cause.key ?? crypto.randomUUID()];
    case "retry":
      return [cause.kind, cause.runId, cause.key ?? crypto.randomUUID()];
  }
}

const digest = (parts: readonly string[]) => createHash("sha256").update(JSON.stringify(parts)).digest("hex");
