import { expect, test } from "bun:test";
import { HeldBodies } from "./held-bodies.ts";

function held(bodies: HeldBodies, cuts: string[], name: string) {
  const body = bodies.begin();
  body.arrives(() => void cuts.push(name));
  return body;
}

test("bodies that stall or take too long make room for others, oldest first, and those that arrive are left alone", () => {
  const world = { now: 0 };
  const cuts: string[] = [];
  const bodies = new HeldBodies(100, () => world.now);
  const [stalled, drips, flows] = ["stalled", "drips", "flows"].map((name) => held(bodies, cuts, name));
  expect([stalled!.add(40), drips!.add(30), flows!.add(20)]).toEqual([true, true, true]);
  const late = held(bodies, cuts, "late");
  expect([late.add(20), cuts]).toEqual([false, []]);
  world.now = 1_900;
  expect([drips!.add(1), flows!.add(1), late.add(20), cuts]).toEqual([true, true, false, []]);
  world.now = 2_000;
  expect([late.add(20), cuts, stalled!.isCut, stalled!.add(0)]).toEqual([true, ["stalled"], true, true]);
  // A byte from time to time does not help.
  world.now = 9_000;
  for (const each of [drips!, flows!, late]) each.add(1);
  const whole = held(bodies, cuts, "whole");
  expect(whole.add(25)).toBe(true);
  whole.arrived();
  world.now = 10_000;
  flows!.arrived();
  expect([held(bodies, cuts, "next").add(20), cuts]).toEqual([true, ["stalled", "drips"]]);
  // What has arrived is being answered, however long that takes.
  world.now = 100_000;
  late.end();
  expect([held(bodies, cuts, "last").add(60), cuts]).toEqual([false, ["stalled", "drips", "next"]]);
  for (const each of [whole, flows!]) each.end();
  expect(held(bodies, cuts, "alone").add(100)).toBe(true);
});

test("the memory of a body is given back once, however it ends", () => {
  const world = { now: 0 };
  const cuts: string[] = [];
  const bodies = new HeldBodies(10, () => world.now);
  const first = held(bodies, cuts, "first");
  first.add(10);
  world.now = 5_000;
  const second = held(bodies, cuts, "second");
  expect(second.add(10)).toBe(true);
  first.end();
  first.end();
  expect(held(bodies, cuts, "third").add(1)).toBe(false);
  second.end();
  expect(held(bodies, cuts, "fourth").add(10)).toBe(true);
  expect(cuts).toEqual(["first"]);
});
