// The messages of OTLP in its JSON form: attributes, records, and the requests that carry them. Pure.

import type { ReportSignal } from "./plan.ts";

export type AttributeValue = string | number | boolean;
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

export interface OtlpAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, string | number | boolean>>;
}

/** A metric, a log record or a span, as it stands in a request. */
export type OtlpRecord = Readonly<Record<string, unknown>>;

export function otlpAttributes(attributes: Attributes): readonly OtlpAttribute[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: valueOf(value) }],
  );
}

function valueOf(value: AttributeValue): OtlpAttribute["value"] {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  // 64-bit integers are strings in JSON.
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** Nanoseconds since 1970 from milliseconds with fractions. */
export function nanos(ms: number): string {
  const whole = Math.floor(ms);
  return String(BigInt(whole) * 1_000_000n + BigInt(Math.round((ms - whole) * 1_000_000)));
}

const LISTS: Readonly<Record<ReportSignal, readonly [string, string, string]>> = {
  metrics: ["resourceMetrics", "scopeMetrics", "metrics"],
  logs: ["resourceLogs", "scopeLogs", "logRecords"],
  traces: ["resourceSpans", "scopeSpans", "spans"],
};

/** The names that reports of compatible programs have. */
const SCOPES: Readonly<Record<ReportSignal, string>> = {
  metrics: "com.anthropic.claude_code",
  logs: "com.anthropic.claude_code.events",
  traces: "com.anthropic.claude_code.tracing",
};

export function requestOf(
  signal: ReportSignal,
  records: readonly OtlpRecord[],
  about: { readonly resource: Attributes; readonly version: string; readonly scope?: string },
): OtlpRecord {
  const [resources, scopes, list] = LISTS[signal];
  const scope = { name: about.scope ?? SCOPES[signal], version: about.version };
  return {
    [resources]: [{ resource: { attributes: otlpAttributes(about.resource) }, [scopes]: [{ scope, [list]: records }] }],
  };
}
