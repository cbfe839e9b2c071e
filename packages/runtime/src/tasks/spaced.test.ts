import { expect, test } from "bun:test";
import { spaced } from "./spaced.ts";

/** A clock that a test turns by hand. */
function handClock() {
  const timers: { at: number; fire: () => void }[] = [];
  let now = 0;
  return {
    later(ms: number, then: () => void) {
      const timer = { at: now + ms, fire: then };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), 1);
    },
    pass(ms: number) {
      now += ms;
      for (const timer of timers.filter(({ at }) => at <= now)) {
        timers.splice(timers.indexOf(timer), 1);
        timer.fire();
      }
    },
    open: () => timers.length,
  };
}

test("the first value is sent at once, then the latest of each interval", () => {
  const clock = handClock();
  const sent: number[] = [];
  const values = spaced(100, (value: number) => void sent.push(value), clock.later);
  for (const value of [1, 2, 3]) values.send("a", value);
  expect(sent).toEqual([1]);
  clock.pass(100);
  expect(sent).toEqual([1, 3]);
  values.send("a", 4);
  expect(sent).toEqual([1, 3]);
  clock.pass(100);
  clock.pass(100);
  expect([sent, clock.open()]).toEqual([[1, 3, 4], 0]);
});

test("keys do not hold each other up, and flush() sends what waits and ends the interval", () => {
  const clock = handClock();
  const sent: string[] = [];
  const values = spaced(100, (value: string) => void sent.push(value), clock.later);
  values.send("a", "a1");
  values.send("b", "b1");
  values.send("a", "a2");
  values.flush("a");
  values.flush("b");
  values.flush("never");
  expect([sent, clock.open()]).toEqual([["a1", "b1", "a2"], 0]);
});
