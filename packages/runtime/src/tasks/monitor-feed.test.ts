import { expect, test } from "bun:test";
import { monitorFeed, type Events } from "./monitor-feed.ts";

/** A feed with a clock that the test turns, and what the model would be sent. */
function feed({ reads = true } = {}) {
  let now = 1_000;
  let timers: { readonly at: number; readonly fire: () => void }[] = [];
  const sent: Events[] = [];
  const unread: (() => void)[] = [];
  const sink = monitorFeed({
    timeoutMs: 1,
    now: () => now,
    later(ms, then) {
      const timer = { at: now + ms, fire: then };
      timers.push(timer);
      return () => void (timers = timers.filter((each) => each !== timer));
    },
    send(events, taken) {
      sent.push(events);
      if (reads) taken();
      else unread.push(taken);
    },
  });
  const pass = (ms: number) => {
    const end = now + ms;
    for (;;) {
      const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      timers = timers.filter((each) => each !== next);
      now = Math.max(now, next.at);
      next.fire();
    }
    now = end;
  };
  return { sink, sent, unread, pass, timers: () => timers.length };
}

test("lines that come close together share a notice", () => {
  const { sink, sent, pass, timers } = feed();
  sink.line("one");
  pass(100);
  sink.line("two");
  expect(sent).toEqual([]);
  pass(100);
  sink.line("three");
  pass(200);
  expect(sent).toEqual([
    { lines: ["one", "two"], left: 0 },
    { lines: ["three"], left: 0 },
  ]);
  pass(100_000);
  expect([sent.length, timers()]).toEqual([2, 0]);
});

test("a steady source gets five notices at once and then one in three seconds, and loses no line", () => {
  const { sink, sent, pass } = feed();
  for (let n = 0; n < 600; n++) {
    sink.line(`${n}`);
    pass(100);
  }
  sink.flush();
  expect(sent.length).toBeGreaterThan(20);
  expect(sent.length).toBeLessThan(28);
  expect(sent.flatMap(({ lines }) => lines)).toEqual(Array.from({ length: 600 }, (_, n) => `${n}`));
});

test("one notice waits for the model at most; later lines gather in the next, bounded", () => {
  const { sink, sent, unread, pass } = feed({ reads: false });
  sink.line("first");
  pass(1_000);
  for (let n = 0; n < 80; n++) sink.line(`${n}`);
  sink.line("x".repeat(2_000));
  pass(10_000);
  expect(sent.length).toBe(1);
  unread.shift()!();
  pass(200);
  expect(sent[1]!.lines).toEqual(Array.from({ length: 50 }, (_, n) => `${n}`));
  expect(sent[1]!.left).toBe(31);
});

test("long lines are bounded in characters, too", () => {
  const { sink, sent, pass } = feed();
  for (let n = 0; n < 10; n++) sink.line("y".repeat(2_000));
  pass(200);
  expect([sent[0]!.lines.length, sent[0]!.left]).toEqual([3, 7]);
});

test("flush() sends the rest at once, even if a notice still waits", () => {
  const { sink, sent, pass, timers } = feed({ reads: false });
  sink.line("one");
  pass(200);
  sink.line("two");
  sink.flush();
  sink.flush();
  expect(sent.map(({ lines }) => lines)).toEqual([["one"], ["two"]]);
  expect(timers()).toBe(0);
});

test("a flood ends the source; the same number of lines over a longer time does not", () => {
  const flood = feed();
  const answers = Array.from({ length: 5_001 }, () => flood.sink.line("z"));
  expect([answers.indexOf(false), answers.length]).toEqual([5_000, 5_001]);
  const calm = feed();
  const steady = Array.from({ length: 20_000 }, () => {
    calm.pass(20);
    return calm.sink.line("z");
  });
  expect(steady).not.toContain(false);
  const wide = feed();
  const line = "w".repeat(2_000);
  expect(Array.from({ length: 300 }, () => wide.sink.line(line)).indexOf(false)).toBe(250);
});
