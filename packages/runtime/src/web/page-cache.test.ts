import { expect, test } from "bun:test";
import { PageCache } from "./page-cache.ts";

const MINUTE = 60_000;

function cache() {
  const clock = { now: 1_000_000 };
  return { clock, pages: new PageCache<string>({ now: () => clock.now, sizeOf: (page) => page.length }) };
}

test("a page is kept for 15 minutes", () => {
  const { clock, pages } = cache();
  pages.set("a", "page");
  clock.now += 15 * MINUTE - 1;
  expect(pages.get("a")).toBe("page");
  clock.now += 1;
  expect(pages.get("a")).toBeUndefined();
});

test("a page that is fetched again is kept from then on, and counts once", () => {
  const { clock, pages } = cache();
  for (let time = 0; time < 100; time++) pages.set("a", "x".repeat(1_000_000));
  clock.now += 10 * MINUTE;
  pages.set("a", "new");
  clock.now += 10 * MINUTE;
  expect(pages.get("a")).toBe("new");
});

test("the oldest pages go first, by number and by size", () => {
  const { pages } = cache();
  for (let index = 0; index < 60; index++) pages.set(`page ${index}`, "x");
  expect([pages.get("page 9"), pages.get("page 10"), pages.get("page 59")]).toEqual([undefined, "x", "x"]);
  pages.set("large", "x".repeat(19_999_980));
  expect([pages.get("page 39"), pages.get("page 40"), pages.get("large")?.length]).toEqual([
    undefined,
    "x",
    19_999_980,
  ]);
  pages.set("too large", "x".repeat(20_000_001));
  expect([pages.get("large"), pages.get("too large")]).toEqual([undefined, undefined]);
  pages.clear();
  expect(pages.get("page 59")).toBeUndefined();
});
