import { expect, test } from "bun:test";
import { freshCause } from "./once.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;

test("a key stands for what it made for a day, and after it for something new", async () => {
  const made = new Map<string, { readonly createdAt: number }>();
  const at = async (now: number, key: string | undefined) => {
    const headers = new Headers(key === undefined ? {} : { "Idempotency-Key": key });
    const device = { id: "tok_1" } as never;
    return freshCause({ headers, device }, now, async (cause = `any ${made.size}`) => {
      const isNew = !made.has(cause);
      if (isNew) made.set(cause, { createdAt: now });
      return { made: made.get(cause)!, isNew };
    });
  };
  const times = [0, 1, DAY_MS - 1, DAY_MS, 2 * DAY_MS - 1, 2 * DAY_MS, 2 * DAY_MS + 1];
  const found: number[] = [];
  for (const now of times) found.push((await at(now, "nightly")).createdAt);
  expect(found).toEqual([0, 0, 0, DAY_MS, DAY_MS, 2 * DAY_MS, 2 * DAY_MS]);
  expect((await at(5, undefined)).createdAt).toBe(5);
  expect(made.size).toBe(4);
});
