import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Span } from "@keelson/store/history";
import { chromeTrace, type TraceEvent } from "./chrome-trace.ts";

/** What a viewer would trip over. */
function traceProblems(events: readonly TraceEvent[]): readonly string[] {
  const problems: string[] = [];
  const complete = events.filter((event) => event.ph === "X");
  if (events.findIndex(({ ph }) => ph === "X") < events.findLastIndex(({ ph }) => ph === "M") && complete.length > 0) {
    problems.push("metadata after events");
  }
  complete.forEach(({ ts, dur }, index) => {
    if (!Number.isInteger(ts) || !Number.isInteger(dur) || ts < 0 || dur < 0) problems.push(`bad time ${ts}+${dur}`);
    if (index > 0 && complete[index - 1]!.ts > ts) problems.push("not in order");
  });
  for (const [track, each] of Map.groupBy(complete, ({ pid, tid }) => `${pid}/${tid}`)) {
    const [pid, tid] = track.split("/").map(Number);
    const isNamed = events.some((event) => event.name === "thread_name" && event.pid === pid && event.tid === tid);
    if (!isNamed) problems.push(`track ${track} has no name`);
    const open: number[] = [];
    for (const { ts, dur } of each) {
      while (open.length > 0 && open.at(-1)! <= ts) open.pop();
      if (open.length > 0 && ts + dur > open.at(-1)!) problems.push(`overlap on ${track}`);
      open.push(ts + dur);
    }
  }
  return problems;
}

const span = fc.record({
  kind: fc.constantFrom("run", "request", "tool", "permission", "hook", "compaction"),
  name: fc.string(),
  startMs: fc.double({ min: 1_700_000_000_000, max: 1_700_000_000_100, noNaN: true }),
  ms: fc.double({ min: 0, max: 50, noNaN: true }),
  agent: fc.constantFrom(undefined, { id: "a1", type: "Explore" }, { id: "a2", type: "Plan" }),
  facts: fc.constantFrom({}, { turn: true }),
}) as fc.Arbitrary<Span>;

test("any spans give events in order that nest on their tracks, and none is lost", () => {
  fc.assert(
    fc.property(fc.array(span, { maxLength: 40 }), (spans) => {
      const { events } = chromeTrace("title", spans);
      expect(traceProblems(events)).toEqual([]);
      const turns = spans.filter(({ kind, facts }) => kind === "request" && facts["turn"] === true).length;
      expect(events.filter(({ ph }) => ph === "X").length).toBe(spans.length + turns);
    }),
    { numRuns: 500 },
  );
});

test("a turn is a request and its calls; calls at the same time are on two tracks; a subagent is a process", () => {
  const of = (kind: Span["kind"], name: string, startMs: number, ms: number, more: Partial<Span> = {}): Span => ({
    kind,
    name,
    startMs: 1_000 + startMs,
    ms,
    facts: {},
    ...more,
  });
  const agent = { id: "a1", type: "Explore" };
  const { events, startMs } = chromeTrace("Fix it", [
    of("run", "Run", 0, 100),
    of("request", "m", 1, 20, { facts: { turn: true } }),
    of("tool", "Read", 22, 10),
    of("tool", "Grep", 23, 15),
    of("request", "m", 50, 40, { facts: { turn: true } }),
    of("request", "small", 95, 2, { facts: { turn: false } }),
    of("tool", "Bash", 24, 5, { agent }),
  ]);
  const names = new Map(
    events.flatMap((event) =>
      event.ph === "M" && "name" in event.args ? [[`${event.pid}/${event.tid ?? ""}`, event.args.name]] : [],
    ),
  );
  const rows = events.flatMap((event) =>
    event.ph === "X"
      ? [
          `${names.get(`${event.pid}/`)} ${names.get(`${event.pid}/${event.tid}`)}: ${event.name} ${event.ts}+${event.dur}`,
        ]
      : [],
  );
  expect(startMs).toBe(1_000);
  expect(rows).toEqual([
    "Fix it Turns: Run 0+100000",
    "Fix it Turns: Turn 1 1000+37000",
    "Fix it Model: m 1000+20000",
    "Fix it Tools: Read 22000+10000",
    "Fix it Tools 2: Grep 23000+15000",
    "Explore a1 Tools: Bash 24000+5000",
    "Fix it Turns: Turn 2 50000+40000",
    "Fix it Model: m 50000+40000",
    "Fix it Model: small 95000+2000",
  ]);
});
