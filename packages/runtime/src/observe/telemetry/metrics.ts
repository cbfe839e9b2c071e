// Counters, by their labels, until they are reported. Pure.

import { otlpAttributes, nanos, type Attributes, type OtlpRecord } from "./otlp.ts";

/** The metrics that compatible programs report. */
export const METRICS = {
  "claude_code.session.count": { unit: "", description: "Count of CLI sessions started" },
  "claude_code.lines_of_code.count": { unit: "", description: "Count of lines of code modified" },
  "claude_code.pull_request.count": { unit: "", description: "Number of pull requests created" },
  "claude_code.commit.count": { unit: "", description: "Number of git commits created" },
  "claude_code.cost.usage": { unit: "USD", description: "Cost of the session" },
  "claude_code.token.usage": { unit: "tokens", description: "Number of tokens used" },
  "claude_code.code_edit_tool.decision": {
    unit: "",
    description: "Count of permission decisions for code editing tools",
  },
  "claude_code.active_time.total": { unit: "s", description: "Total active time" },
} as const;

export type MetricName = keyof typeof METRICS;

interface Counter {
  readonly name: MetricName;
  readonly labels: Attributes;
  value: number;
  startMs: number;
}

/** Labels with many values must not fill the memory. */
const MOST_COUNTERS = 2_000;
const DELTA = 1;
const CUMULATIVE = 2;

export interface Counters {
  add(name: MetricName, value: number, labels: Attributes): void;
  /** What was counted; call `sent` once it was reported. */
  collect(nowMs: number): { readonly records: readonly OtlpRecord[]; sent(): void };
}

export function openCounters(startMs: number, isCumulative: boolean): Counters {
  const counters = new Map<string, Counter>();
  return {
    add(name, value, labels) {
      if (!(value > 0)) return;
      const key = JSON.stringify([name, labels]);
      const known = counters.get(key);
      if (known) known.value += value;
      else if (counters.size < MOST_COUNTERS) counters.set(key, { name, labels, value, startMs });
    },
    collect(nowMs) {
      const counted = [...counters.values()]
        .filter(({ value }) => value > 0)
        .map((counter) => ({ counter, value: counter.value }));
      const records = [...Map.groupBy(counted, ({ counter }) => counter.name)].map(([name, each]) => ({
        name,
        ...METRICS[name],
        sum: {
          dataPoints: each.map(({ counter, value }) => pointOf(counter, value, nowMs)),
          aggregationTemporality: isCumulative ? CUMULATIVE : DELTA,
          isMonotonic: true,
        },
      }));
      return {
        records,
        sent() {
          if (isCumulative) return;
          for (const { counter, value } of counted) {
            counter.value -= value;
            counter.startMs = nowMs;
          }
        },
      };
    },
  };
}

function pointOf({ labels, startMs }: Counter, value: number, nowMs: number): OtlpRecord {
  return {
    attributes: otlpAttributes(labels),
    startTimeUnixNano: nanos(startMs),
    timeUnixNano: nanos(nowMs),
    asDouble: value,
  };
}
