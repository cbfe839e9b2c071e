import { expect, test } from "bun:test";
import { withLimits } from "./limited.ts";

function limited(timeoutMs: number) {
  const work = Promise.withResolvers<string>();
  const abort = new AbortController();
  const lift = new AbortController();
  let ends = 0;
  const limits = { timeoutMs, signal: abort.signal, lifted: lift.signal, end: () => void ends++ };
  return { work, abort, lift, outcome: withLimits(work.promise, limits), ends: () => ends };
}

test("a timeout and an abort end the work, and are told apart", async () => {
  const late = limited(1);
  await new Promise((resolve) => setTimeout(resolve, 5));
  late.work.resolve("late");
  const stopped = limited(60_000);
  stopped.abort.abort();
  stopped.work.resolve("stopped");
  expect([await late.outcome, await stopped.outcome, late.ends(), stopped.ends()]).toEqual([
    { value: "late", timedOut: true, aborted: false },
    { value: "stopped", timedOut: false, aborted: true },
    1,
    1,
  ]);
});

test("limits that were lifted no longer apply", async () => {
  const { work, abort, lift, outcome, ends } = limited(1);
  lift.abort();
  abort.abort();
  await new Promise((resolve) => setTimeout(resolve, 5));
  work.resolve("done");
  expect([await outcome, ends()]).toEqual([{ value: "done", timedOut: false, aborted: false }, 0]);
});
