// Takes counts, events and spans, and sends them now and then. The session never waits for it, except a moment at its end.

import { openCounters, type MetricName } from "./metrics.ts";
import { otlpAttributes, nanos, type Attributes, type OtlpRecord } from "./otlp.ts";
import { openOutlet, type Outlet } from "./outlet.ts";
import type { ReportSignal, TelemetryPlan } from "./plan.ts";
import { SendError, sender, type SendOptions } from "./send.ts";

export interface Pipeline {
  count(name: MetricName, value: number, labels: Attributes): void;
  event(name: string, atMs: number, attributes: Attributes, span?: SpanContext): void;
  span(span: TelemetrySpan): void;
  /** Whether anyone wants them; what no one wants need not be made. */
  readonly wants: Readonly<Record<ReportSignal, boolean>>;
  close(): Promise<void>;
}

export interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
}

export interface TelemetrySpan extends SpanContext {
  readonly parentSpanId?: string | undefined;
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly isClient?: boolean;
  readonly error?: string | undefined;
  readonly attributes: Attributes;
}

export interface PipelineOptions extends SendOptions {
  now(): number;
  report(problem: string): void;
}

const INFO = 9;
const [INTERNAL, CLIENT] = [1, 3];
const [OK, ERROR] = [1, 2];

export function openPipeline(plan: TelemetryPlan, options: PipelineOptions): Pipeline {
  const { now } = options;
  const report = (signal: ReportSignal) => (problem: string) => options.report(`${signal}: ${problem}`);
  const outlets = (signal: ReportSignal) =>
    plan.destinations[signal].map((destination) => openOutlet(sender(signal, destination, options), report(signal)));
  const [logs, traces] = [outlets("logs"), outlets("traces")];
  const meters = plan.destinations.metrics.map((destination) => {
    const counters = openCounters(now(), plan.isCumulative);
    const send = sender("metrics", destination, options);
    let underWay = Promise.resolve();
    const flush = (signal: AbortSignal) =>
      (underWay = underWay.then(async () => {
        const { records, sent } = counters.collect(now());
        if (records.length === 0) return;
        try {
          await send(records, signal);
          sent();
        } catch (error) {
          if (!(error instanceof SendError)) throw error;
          report("metrics")(error.message);
        }
      }));
    return { counters, flush };
  });

  /** Aborted when the session does not wait any longer. */
  const ended = new AbortController();
  const every = (signal: ReportSignal, each: readonly Pick<Outlet, "flush">[]) => {
    if (each.length === 0) return [];
    const timer = setInterval(() => each.forEach(({ flush }) => void flush(ended.signal)), plan.intervalMs[signal]);
    timer.unref();
    return [timer];
  };
  const timers = [...every("metrics", meters), ...every("logs", logs), ...every("traces", traces)];
  const addTo = (each: readonly Outlet[], record: OtlpRecord) => each.forEach((outlet) => outlet.add(record));
  return {
    wants: { metrics: meters.length > 0, logs: logs.length > 0, traces: traces.length > 0 },
    count: (name, value, labels) => meters.forEach(({ counters }) => counters.add(name, value, labels)),
    event: (name, atMs, attributes, span) => {
      const time = nanos(atMs);
      addTo(logs, {
        timeUnixNano: time,
        observedTimeUnixNano: time,
        severityNumber: INFO,
        severityText: "INFO",
        body: { stringValue: `claude_code.${name}` },
        attributes: otlpAttributes({
          "event.name": name,
          "event.timestamp": new Date(atMs).toISOString(),
          ...attributes,
        }),
        ...(span ? { traceId: span.traceId, spanId: span.spanId } : {}),
        eventName: `claude_code.${name}`,
      });
    },
    span: (span) => addTo(traces, spanRecord(span)),
    async close() {
      timers.forEach(clearInterval);
      const limit = AbortSignal.timeout(plan.closeMs);
      const all = Promise.allSettled([...meters, ...logs, ...traces].map(({ flush }) => flush(limit)));
      const { promise: late, resolve } = Promise.withResolvers<"late">();
      limit.addEventListener("abort", () => {
        // A request that hangs is given up, too.
        ended.abort();
        resolve("late");
      });
      if ((await Promise.race([all, late])) === "late") options.report("the collector did not answer in time");
    },
  };
}

export function spanRecord(span: TelemetrySpan): OtlpRecord {
  const { name, traceId, spanId, parentSpanId, startMs, endMs, isClient, error, attributes } = span;
  return {
    traceId,
    spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name,
    kind: isClient ? CLIENT : INTERNAL,
    startTimeUnixNano: nanos(startMs),
    endTimeUnixNano: nanos(Math.max(startMs, endMs)),
    attributes: otlpAttributes({ "span.type": name.replace(/^claude_code\./, ""), ...attributes }),
    status: error === undefined ? { code: OK } : { code: ERROR, message: error },
  };
}
