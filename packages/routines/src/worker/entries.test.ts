import { expect, test } from "bun:test";
import type { RunEntry } from "../records/run.ts";
import type { Fenced, RunClaim, WorkerStore } from "../store/run-store.ts";
import { entryWriter } from "./entries.ts";
import type { RunLease } from "./lease.ts";

/** A store that takes its time, and keeps what it got. */
function slowStore() {
  const kept: RunEntry[] = [];
  let free = Promise.withResolvers<void>();
  const append = async (_: RunClaim, entries: readonly RunEntry[]): Promise<Fenced> => {
    const sent = [...entries];
    await free.promise;
    kept.push(...sent);
    return { held: true };
  };
  return {
    kept,
    store: { append } as Partial<WorkerStore> as WorkerStore,
    open: () => free.resolve(),
    close: () => void (free = Promise.withResolvers()),
  };
}

function lease(): RunLease {
  const { signal } = new AbortController();
  const take = <Result extends object>(answer: Fenced<Result>): Result => {
    if (!answer.held) throw new Error("lost");
    return answer;
  };
  return {
    held: { runId: "run", claim: "claim" },
    signal,
    take,
    assertHeld: async () => {},
    assertWasKept: () => {},
    end: () => {},
  };
}

const writer = (store: WorkerStore, there = 0) => entryWriter({ store, lease: lease(), there, redact: (text) => text });

test("what is added while a batch is on its way follows it, without a hole", async () => {
  const slow = slowStore();
  const entries = writer(slow.store, 7);
  await entries.add("message", { n: 1 });
  const first = entries.flush();
  await Bun.sleep(1);
  await entries.add("message", { n: 2 });
  await entries.add("transcript", { n: 3 });
  slow.open();
  await first;
  await entries.flush();
  expect(slow.kept.map(({ seq, kind, line }) => [seq, kind, line])).toEqual([
    [8, "message", '{"n":1}'],
    [9, "message", '{"n":2}'],
    [10, "transcript", '{"n":3}'],
  ]);
  expect(entries.rest()).toEqual([]);
});

test("what was not sent is left for the write that ends the run", async () => {
  const slow = slowStore();
  const entries = writer(slow.store);
  await entries.add("message", { n: 1 });
  expect(entries.rest().map(({ seq }) => seq)).toEqual([1]);
  await entries.add("message", { n: 2 });
  slow.open();
  await entries.flush();
  expect(slow.kept).toEqual([]);
});

test("between two claims nothing is sent; it goes on if nobody else wrote", async () => {
  const slow = slowStore();
  slow.open();
  const entries = writer(slow.store);
  await entries.add("message", { n: 1 });
  await entries.flush();
  entries.pause();
  await entries.add("message", { n: 2 });
  await entries.flush();
  expect(slow.kept).toHaveLength(1);
  expect(entries.resume(lease(), 5)).toBe(false);
  expect(entries.resume(lease(), 1)).toBe(true);
  await entries.flush();
  expect(slow.kept.map(({ seq }) => seq)).toEqual([1, 2]);
});

test("long entries are sent in batches", async () => {
  const sizes: number[] = [];
  const append = async (_: RunClaim, entries: readonly RunEntry[]): Promise<Fenced> => {
    sizes.push(entries.length);
    return { held: true };
  };
  const entries = writer({ append } as Partial<WorkerStore> as WorkerStore);
  for (let n = 0; n < 6; n++) await entries.add("message", { text: "x".repeat(100_000) });
  await entries.flush();
  expect(sizes.reduce((sum, size) => sum + size)).toBe(6);
  expect(Math.max(...sizes)).toBeLessThan(4);
});
