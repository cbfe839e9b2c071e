// The lease of one run: extended while this worker lives, written down for the child, and over for good once it could not be
// extended in time. Everything that is done for a run asks `signal` first.

import { renameSync, writeFileSync } from "node:fs";
import { closesBeforeMs, uptimeMs } from "@keelson/disk/uptime";
import type { Fenced, RunBeat, RunClaim, WorkerStore } from "../store/run-store.ts";

/** The run belongs to somebody else now, or has ended. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}

export interface LeaseOptions {
  readonly store: WorkerStore;
  readonly held: RunClaim;
  readonly leaseMs: number;
  /** As uptime, before the claim was sent. */
  readonly claimedAt: number;
  /** Where the child reads when the lease ends. */
  readonly file: string;
  /** What else goes with a beat. */
  facts(): Omit<RunBeat, "leaseMs">;
}

export interface RunLease {
  readonly held: RunClaim;
  /** Aborted with LeaseLost. */
  readonly signal: AbortSignal;
  /** Throws LeaseLost. For deeds that cannot be taken back. */
  assertHeld(): Promise<void>;
  /**
   * Throws LeaseLost if the child may have closed by itself, because the lease was about to end and was extended late: then that it
   * ended says nothing about the run.
   */
  assertWasKept(): void;
  /** Takes the answer to a write: aborts `signal` if the claim did not count. */
  take<Result extends object>(answer: Fenced<Result>): Result;
  /** The claim has ended by our own deed: nothing is extended any more. The child may stay until then, but does not act. */
  end(childUntil?: number): void;
}

export function holdRunLease({ store, held, leaseMs, claimedAt, file, facts }: LeaseOptions): RunLease {
  const lost = new AbortController();
  let until = claimedAt + leaseMs;
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  writeEnd(file, until);

  const lose = (why: string) => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    lost.abort(new LeaseLost(why));
  };
  const take = <Result extends object>(answer: Fenced<Result>): Result => {
    if (answer.held) return answer;
    lose(answer.reason ?? `the run is ${answer.state}`);
    throw lost.signal.reason;
  };
  /** Also the first thing that a worker does which was frozen. */
  const isPast = () => {
    if (uptimeMs() < until) return false;
    lose("the lease could not be extended in time");
    return true;
  };
  /** When the child could last see that the lease was about to end. */
  let lastNear = -Infinity;
  const isNear = () => uptimeMs() >= until - closesBeforeMs(leaseMs);
  let beating = false;
  const beat = async () => {
    beating = true;
    const sentAt = uptimeMs();
    try {
      const answer = take(await store.beat(held, { leaseMs, ...facts() }));
      if (isOver || isPast()) return;
      const extended = sentAt + answer.leaseMs;
      writeEnd(file, extended);
      if (isNear()) lastNear = uptimeMs();
      until = extended;
    } catch {
      // The store cannot be reached: the next beat tries again, until the lease has ended.
    } finally {
      beating = false;
    }
  };
  const period = leaseMs / 3;
  let nextBeat = claimedAt + period;
  const look = () => {
    if (isOver || isPast()) return;
    const now = uptimeMs();
    if (now >= nextBeat && !beating) {
      nextBeat = now + period;
      void beat().then(() => {
        // After a failure, sooner.
        if (until - uptimeMs() < (leaseMs * 2) / 3) nextBeat = uptimeMs() + period / 4;
      });
    }
    timer = setTimeout(look, Math.max(5, Math.min(until, nextBeat) - uptimeMs(), beating ? 20 : 0));
  };
  look();

  return {
    held,
    signal: lost.signal,
    take,
    async assertHeld() {
      isPast();
      lost.signal.throwIfAborted();
      if (isOver) throw new LeaseLost("the claim has ended");
      take(await store.holds(held));
    },
    assertWasKept() {
      if (isNear() || uptimeMs() - lastNear < CLOSED_WITHIN_MS) lose("the lease was extended too late for the program");
      lost.signal.throwIfAborted();
    },
    end(childUntil) {
      isOver = true;
      clearTimeout(timer);
      if (childUntil !== undefined) writeEnd(file, childUntil);
    },
  };
}

/** So long after it began to close, the child has ended. */
const CLOSED_WITHIN_MS = 8_000;

/** In one step: the child never reads half a number. */
function writeEnd(file: string, until: number): void {
  writeFileSync(`${file}.new`, String(Math.round(until)), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
