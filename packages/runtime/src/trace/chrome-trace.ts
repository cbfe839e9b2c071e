// Spans as trace events, which Perfetto and other viewers read: a process for each agent, in it tracks for turns, model
// requests, tools and hooks. What overlaps without nesting gets another track of its kind. Pure.

import type { Span, SpanKind } from "@keelson/store/history";

/** https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU: complete and metadata events. */
export type TraceEvent =
  | {
      readonly ph: "X";
      readonly name: string;
      readonly cat: SpanKind;
      /** Microseconds since the first event. */
      readonly ts: number;
      readonly dur: number;
      readonly pid: number;
      readonly tid: number;
      readonly args: Span["facts"];
    }
  | {
      readonly ph: "M";
      readonly name: "process_name" | "process_sort_index" | "thread_name" | "thread_sort_index";
      readonly pid: number;
      readonly tid?: number;
      readonly args: { readonly name: string } | { readonly sort_index: number };
    };

const TRACKS: readonly { readonly name: string; readonly kinds: readonly SpanKind[] }[] = [
  { name: "Turns", kinds: ["run", "turn", "compaction"] },
  { name: "Model", kinds: ["request"] },
  { name: "Tools", kinds: ["tool", "permission"] },
  { name: "Hooks", kinds: ["hook"] },
];
/** Track ids of one kind: more than this many at once share the last. */
const MOST_LANES = 100;

export interface ChromeTrace {
  readonly events: readonly TraceEvent[];
  /** When the first event began, in milliseconds since 1970. */
  readonly startMs: number;
}

export function chromeTrace(title: string, given: readonly Span[]): ChromeTrace {
  const spans = [...given, ...turnsOf(given)].toSorted((a, b) => a.startMs - b.startMs || b.ms - a.ms);
  const startMs = spans[0]?.startMs ?? 0;
  const agents = Map.groupBy(spans, ({ agent }) => agent?.id);
  const own = agents.get(undefined) ?? [];
  agents.delete(undefined);
  const processes = [
    { name: title, spans: own },
    ...[...agents].map(([id, each]) => ({ name: `${each[0]!.agent!.type} ${id}`, spans: each })),
  ];
  const events = processes.flatMap(({ name, spans: each }, index) => processEvents(index + 1, name, each, startMs));
  // Metadata first, then by time; an event before those it contains.
  return { events: events.toSorted((a, b) => orderOf(a) - orderOf(b) || durationOf(b) - durationOf(a)), startMs };
}

const orderOf = (event: TraceEvent) => (event.ph === "X" ? event.ts : -1);
const durationOf = (event: TraceEvent) => (event.ph === "X" ? event.dur : 0);

function processEvents(pid: number, name: string, spans: readonly Span[], zero: number): readonly TraceEvent[] {
  const tracks = TRACKS.flatMap(({ name: track, kinds }, place) => {
    const lanes = inLanes(spans.filter(({ kind }) => kinds.includes(kind)));
    return lanes.flatMap((lane, index): TraceEvent[] => {
      const tid = 1 + place * MOST_LANES + index;
      const title = index === 0 ? track : `${track} ${index + 1}`;
      return [
        { ph: "M", name: "thread_name", pid, tid, args: { name: title } },
        { ph: "M", name: "thread_sort_index", pid, tid, args: { sort_index: tid } },
        ...lane.map((span) => eventOf(span, pid, tid, zero)),
      ];
    });
  });
  return [
    { ph: "M", name: "process_name", pid, args: { name } },
    { ph: "M", name: "process_sort_index", pid, args: { sort_index: pid } },
    ...tracks,
  ];
}

function eventOf({ kind, name, startMs, ms, facts }: Span, pid: number, tid: number, zero: number): TraceEvent {
  const ts = micros(startMs - zero);
  // From the rounded ends, so that what nests still nests.
  return { ph: "X", name, cat: kind, ts, dur: micros(startMs + ms - zero) - ts, pid, tid, args: facts };
}

const micros = (ms: number) => Math.round(ms * 1_000);

/** Each span on the first lane where it comes after all others, or within the innermost one that is not over. */
function inLanes(spans: readonly Span[]): readonly (readonly Span[])[] {
  const lanes: { readonly spans: Span[]; readonly ends: number[] }[] = [];
  for (const span of spans) {
    const end = span.startMs + span.ms;
    const fits = ({ ends }: (typeof lanes)[number]) => {
      while (ends.length > 0 && ends.at(-1)! <= span.startMs) ends.pop();
      return ends.length === 0 || end <= ends.at(-1)!;
    };
    let lane = lanes.find(fits);
    if (!lane && lanes.length < MOST_LANES) lanes.push((lane = { spans: [], ends: [] }));
    // More at once than anyone can look at.
    if (!lane) continue;
    lane.spans.push(span);
    lane.ends.push(end);
  }
  return lanes.map(({ spans: each }) => each);
}

/** A turn is a request of the conversation and the calls until the next one. */
function turnsOf(spans: readonly Span[]): readonly Span[] {
  return [...Map.groupBy(spans, ({ agent }) => agent?.id).values()].flatMap((each) => {
    const requests = each.filter(({ kind, facts }) => kind === "request" && facts["turn"] === true);
    const sorted = requests.toSorted((a, b) => a.startMs - b.startMs);
    const tools = each.filter(({ kind }) => kind === "tool").toSorted((a, b) => a.startMs - b.startMs);
    let next = 0;
    return sorted.map((request, index): Span => {
      const until = sorted[index + 1]?.startMs ?? Infinity;
      let end = request.startMs + request.ms;
      let calls = 0;
      for (; next < tools.length && tools[next]!.startMs < until; next++) {
        end = Math.max(end, Math.min(tools[next]!.startMs + tools[next]!.ms, until));
        calls++;
      }
      const { startMs, agent } = request;
      return { kind: "turn", name: `Turn ${index + 1}`, startMs, ms: end - startMs, agent, facts: { calls } };
    });
  });
}
