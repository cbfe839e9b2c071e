import { expect, test } from "bun:test";
import { CallTimes } from "./call-times.ts";

function setup() {
  let now = 0;
  const times = new CallTimes(() => now);
  const ask = (...ids: readonly string[]) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const over = times.whileAsking(ids, () => promise);
    return async () => {
      resolve();
      await over;
    };
  };
  return { times, ask, pass: (ms: number) => void (now += ms) };
}

test("a question stops the clocks of a call, and of the agents and calls above it", async () => {
  const { times, ask, pass } = setup();
  const ends = [
    times.start("agent call"),
    times.start("agent", "agent call"),
    times.start("call", "agent"),
    times.start("other call", "agent"),
  ];
  pass(10);
  const answered = ask("call");
  pass(1000);
  expect(["agent call", "agent", "call", "other call"].map((id) => times.msOf(id))).toEqual([10, 10, 10, 1010]);
  await answered();
  pass(5);
  expect(ends.map((end) => end())).toEqual([15, 15, 15, 1015]);
});

test("questions that overlap count once, for a call that ends in the middle too", async () => {
  const { times, ask, pass } = setup();
  const end = times.start("agent");
  const early = times.start("early", "agent");
  const first = ask("agent", "early");
  pass(100);
  const second = ask("agent");
  pass(100);
  expect(early()).toBe(0);
  await first();
  pass(100);
  await second();
  pass(7);
  expect([end(), end(), early(), times.msOf("agent")]).toEqual([7, 7, 0, undefined]);
});

test("an agent in the background does not stop the clock of whoever started it; ids may be reused or name each other", async () => {
  const { times, ask, pass } = setup();
  const above = times.start("session agent");
  times.start("call", "session agent")();
  const inBackground = times.start("agent", "call");
  times.start("a", "b");
  times.start("b", "a");
  const answered = [ask("agent"), ask("a"), ask("unknown")];
  pass(50);
  const again = times.start("agent");
  for (const each of answered) await each();
  pass(1);
  expect([above(), inBackground(), again(), times.msOf("a"), times.msOf("agent")]).toEqual([51, 1, 1, 1, undefined]);
});
