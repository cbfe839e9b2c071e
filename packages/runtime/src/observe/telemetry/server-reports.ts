// Reports of a server, which has figures and spans of its own: to the same collectors, by the same variables as those of sessions.

import { networkFetch } from "@keelson/model";
import { nanos, otlpAttributes, type Attributes, type OtlpRecord } from "./otlp.ts";
import { openOutlet } from "./outlet.ts";
import { spanRecord, type TelemetrySpan } from "./pipeline.ts";
import { telemetryPlan } from "./plan.ts";
import { sender } from "./send.ts";

/** What is measured when somebody asks. */
export interface ServerFigure {
  readonly name: string;
  readonly help: string;
  /** `counter`: it grows from the start of the server. */
  readonly kind: "gauge" | "counter";
  readonly unit: string;
  readonly points: readonly { readonly labels: Attributes; readonly value: number }[];
}

export interface ServerReportOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** The name of the service, unless a variable says another. */
  readonly service: string;
  figures?(): Promise<readonly ServerFigure[]>;
  report(problem: string): void;
}

export interface ServerReports {
  span(span: TelemetrySpan): void;
  /** Sends what waits, and gives the collector a moment. */
  close(): Promise<void>;
}

const CUMULATIVE = 2;

/** Undefined if nothing is to be reported. */
export function openServerReports(options: ServerReportOptions): ServerReports | undefined {
  const { env, version, service, figures, report } = options;
  const plan = telemetryPlan(env);
  if (plan === undefined) return undefined;
  for (const problem of plan.problems) report(problem);
  const isNamed = (env["OTEL_SERVICE_NAME"]?.trim() || plan.ownAttributes["service.name"]) !== undefined;
  const sending = {
    resource: {
      "service.version": version,
      "os.type": process.platform,
      "host.arch": process.arch,
      ...plan.ownAttributes,
      ...plan.resource,
      ...(isNamed ? {} : { "service.name": service }),
    },
    version,
    scope: "keelson.routines",
    fetch: networkFetch(env),
    moreHeaders: async () => ({}),
  };
  const startMs = Date.now();
  const meters = figures === undefined ? [] : plan.destinations.metrics.map((each) => sender("metrics", each, sending));
  const outlets = plan.destinations.traces.map((each) =>
    openOutlet(sender("traces", each, sending), (problem) => report(`traces: ${problem}`)),
  );
  if (meters.length === 0 && outlets.length === 0) return undefined;

  let failing = "";
  const measure = async (signal: AbortSignal) => {
    if (meters.length === 0) return;
    try {
      const records = (await figures!()).flatMap((figure) => figureRecord(figure, startMs, Date.now()));
      await Promise.all(meters.map((send) => send(records, signal)));
      failing = "";
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      // Each minute the same would say nothing new.
      if (problem !== failing) report(`metrics: ${problem}`);
      failing = problem;
    }
  };
  const ended = new AbortController();
  const timers = [
    setInterval(() => void measure(ended.signal), plan.intervalMs.metrics),
    setInterval(() => outlets.forEach(({ flush }) => void flush(ended.signal)), plan.intervalMs.traces),
  ];
  return {
    span: (span) => outlets.forEach((outlet) => outlet.add(spanRecord(span))),
    async close() {
      timers.forEach(clearInterval);
      const limit = AbortSignal.timeout(plan.closeMs);
      const late = new Promise((resolve) => limit.addEventListener("abort", resolve, { once: true }));
      await Promise.race([Promise.all([measure(limit), ...outlets.map(({ flush }) => flush(limit))]), late]);
      ended.abort();
    },
  };
}

function figureRecord({ name, help, kind, unit, points }: ServerFigure, startMs: number, nowMs: number): OtlpRecord[] {
  if (points.length === 0) return [];
  const dataPoints = points.map(({ labels, value }) => ({
    attributes: otlpAttributes(labels),
    ...(kind === "counter" ? { startTimeUnixNano: nanos(startMs) } : {}),
    timeUnixNano: nanos(nowMs),
    asDouble: value,
  }));
  const sum = { dataPoints, aggregationTemporality: CUMULATIVE, isMonotonic: true };
  return [{ name, description: help, unit, ...(kind === "counter" ? { sum } : { gauge: { dataPoints } }) }];
}
