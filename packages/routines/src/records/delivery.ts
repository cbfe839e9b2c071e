// What arrived from outside, and what was made of it.

export type DeliveryVerdict = "run" | "filtered" | "capped" | "skipped" | "refused";

export interface Delivery {
  readonly id: string;
  readonly triggerId: string;
  /** Such as `github`, `http`. */
  readonly source: string;
  /** `X-GitHub-Delivery` or `Idempotency-Key`; one delivery for each trigger and key. */
  readonly key: string;
  /** SHA-256 of the body: the same key with another body is a mistake of the caller. */
  readonly bodyHash: string;
  /** Such as `pull_request.opened`. */
  readonly event: string | null;
  readonly verdict: DeliveryVerdict;
  readonly reason: string | null;
  readonly runId: string | null;
  readonly at: number;
}

export type NewDelivery = Omit<Delivery, "id" | "at" | "runId">;
