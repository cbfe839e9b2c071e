// Gives every report what all of them have: the session, the run it belongs to, and nothing secret.

import { VERSION } from "@keelson/protocol";
import type { MetricName } from "./metrics.ts";
import type { Attributes } from "./otlp.ts";
import type { Pipeline, SpanContext, TelemetrySpan } from "./pipeline.ts";
import type { TelemetryPlan } from "./plan.ts";

export interface ReporterOptions {
  readonly plan: TelemetryPlan;
  readonly pipeline: Pipeline;
  sessionId(): string;
  readonly entrypoint: string;
  /** Takes credentials out of a text. */
  hide(text: string): string;
}

type SpanExtras = Partial<Pick<TelemetrySpan, "traceId" | "spanId" | "parentSpanId" | "isClient" | "error">>;

export interface Reporter {
  count(name: MetricName, value: number, labels?: Attributes): void;
  event(name: string, at: number, attributes: Attributes): void;
  /** In the latest run, unless `more` says otherwise. */
  span(name: string, time: Pick<TelemetrySpan, "startMs" | "endMs">, attributes: Attributes, more?: SpanExtras): void;
  /** A new run: reports belong to it until the next. What continues after it, such as agents in the background, too. */
  begin(): SpanContext;
}

/** Of one attribute. */
export const LONGEST_TEXT = 60 * 1024;
const LONGEST_ERROR = 1_000;

export function openReporter(options: ReporterOptions): Reporter {
  const { plan, pipeline, sessionId, hide } = options;
  let latest: SpanContext | undefined;
  let events = 0;
  const begin = () => (latest = { traceId: plan.parent?.traceId ?? randomHex(16), spanId: newSpanId() });
  const cleaned = (attributes: Attributes): Attributes =>
    Object.fromEntries(
      Object.entries(attributes).map(([key, value]) => [
        key,
        typeof value === "string" ? hide(value).slice(0, LONGEST_TEXT) : value,
      ]),
    );
  const common = (): Attributes => ({ "session.id": sessionId(), "app.version": VERSION });
  const { metricLabels } = plan;
  const labels = (own: Attributes): Attributes => ({
    ...(metricLabels.resource ? plan.ownAttributes : {}),
    ...(metricLabels.session ? { "session.id": sessionId() } : {}),
    ...(metricLabels.version ? { "app.version": VERSION } : {}),
    ...(metricLabels.entrypoint ? { "app.entrypoint": options.entrypoint } : {}),
    ...own,
  });
  return {
    begin,
    count: (name, value, own = {}) => pipeline.count(name, value, cleaned(labels(own))),
    event(name, at, own) {
      if (!pipeline.wants.logs) return;
      const attributes = cleaned({ ...common(), "event.sequence": events++, ...own });
      pipeline.event(name, at, attributes, pipeline.wants.traces ? latest : undefined);
    },
    span(name, time, own, more = {}) {
      if (!pipeline.wants.traces) return;
      const { traceId, spanId: parentSpanId } = latest ?? begin();
      pipeline.span({
        name: `claude_code.${name}`,
        traceId,
        spanId: newSpanId(),
        parentSpanId,
        ...time,
        ...more,
        error: more.error === undefined ? undefined : hide(more.error).slice(0, LONGEST_ERROR),
        attributes: cleaned({ ...common(), ...own }),
      });
    },
  };
}

export const newSpanId = () => randomHex(8);

const randomHex = (bytes: number) => Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("hex");
