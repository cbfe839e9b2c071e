import { expect, test } from "bun:test";
import { withHeartbeat } from "./heartbeat.ts";

test("withHeartbeat() reports while the work continues, and never after it", async () => {
  const reports: number[] = [];
  const work = Promise.withResolvers<string>();
  const waits: (() => void)[] = [];
  const done = withHeartbeat(
    work.promise,
    (seconds) => reports.push(seconds),
    () => new Promise((resolve) => waits.push(resolve)),
  );
  for (const expected of [[5], [5, 10], [5, 10, 15]]) {
    waits.at(-1)!();
    await Promise.resolve();
    await Promise.resolve();
    expect(reports).toEqual(expected);
  }
  work.resolve("answer");
  expect(await done).toBe("answer");
  waits.at(-1)!();
  await Promise.resolve();
  await Promise.resolve();
  expect(reports).toEqual([5, 10, 15]);
});

test("withHeartbeat() fails as the work fails", async () => {
  const forever = () => new Promise<void>(() => {});
  await expect(withHeartbeat(Promise.reject(new Error("no")), () => {}, forever)).rejects.toThrow("no");
});
