// What the variables ask for: which signals go where, how often, and what of the content they may carry. Pure. A project
// cannot set these variables, so whoever reads the reports is whom the user or an administrator chose.

import { isVariableOn, switchIn } from "@keelson/protocol";

export type ReportSignal = "metrics" | "logs" | "traces";
export type Protocol = "http/json" | "http/protobuf";

export type ReportTarget =
  | { readonly kind: "console" }
  | {
      readonly kind: "otlp";
      readonly protocol: Protocol;
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly gzip: boolean;
      readonly timeoutMs: number;
    };

export interface TelemetryPlan {
  readonly destinations: Readonly<Record<ReportSignal, readonly ReportTarget[]>>;
  readonly intervalMs: Readonly<Record<ReportSignal, number>>;
  /** How long the end of a session waits for the collector. */
  readonly closeMs: number;
  readonly isCumulative: boolean;
  readonly resource: Readonly<Record<string, string>>;
  /** Of OTEL_RESOURCE_ATTRIBUTES only. */
  readonly ownAttributes: Readonly<Record<string, string>>;
  readonly metricLabels: {
    readonly session: boolean;
    readonly version: boolean;
    readonly entrypoint: boolean;
    readonly resource: boolean;
  };
  readonly logs: {
    readonly prompts: boolean;
    readonly toolDetails: boolean;
    readonly toolContent: boolean;
    readonly replies: boolean;
  };
  /** The span that started this session. */
  readonly parent?: { readonly traceId: string; readonly spanId: string };
  /** What was ignored and why, one sentence each. */
  readonly problems: readonly string[];
}

type Env = Readonly<Record<string, string | undefined>>;

const SIGNALS: readonly ReportSignal[] = ["metrics", "logs", "traces"];
const DEFAULT_ENDPOINT = "http://localhost:4318";
const DEFAULT_INTERVALS: Readonly<Record<ReportSignal, number>> = { metrics: 60_000, logs: 5_000, traces: 5_000 };
const EXPORTERS: Readonly<Record<ReportSignal, string>> = {
  metrics: "OTEL_METRICS_EXPORTER",
  logs: "OTEL_LOGS_EXPORTER",
  traces: "OTEL_TRACES_EXPORTER",
};
const INTERVALS: Readonly<Record<ReportSignal, string>> = {
  metrics: "OTEL_METRIC_EXPORT_INTERVAL",
  logs: "OTEL_LOGS_EXPORT_INTERVAL",
  traces: "OTEL_TRACES_EXPORT_INTERVAL",
};

/** Undefined if telemetry is off. */
export function telemetryPlan(env: Env): TelemetryPlan | undefined {
  if (!isVariableOn(env["CLAUDE_CODE_ENABLE_TELEMETRY"]) || isVariableOn(env["OTEL_SDK_DISABLED"])) return undefined;
  const problems: string[] = [];
  const destinations = Object.fromEntries(
    SIGNALS.map((signal) => [signal, destinationsOf(signal, env, (text) => void problems.push(text))]),
  ) as Record<ReportSignal, readonly ReportTarget[]>;
  const own = pairsIn(env["OTEL_RESOURCE_ATTRIBUTES"]);
  const parent = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(env["TRACEPARENT"]?.trim() ?? "");
  return {
    destinations,
    intervalMs: Object.fromEntries(
      SIGNALS.map((signal) => [signal, positive(env[INTERVALS[signal]]) ?? DEFAULT_INTERVALS[signal]]),
    ) as Record<ReportSignal, number>,
    closeMs: positive(env["CLAUDE_CODE_OTEL_SHUTDOWN_TIMEOUT_MS"]) ?? 1_000,
    isCumulative: env["OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"]?.trim().toLowerCase() === "cumulative",
    resource: { "service.name": env["OTEL_SERVICE_NAME"]?.trim() || own["service.name"] || "keelson" },
    ownAttributes: own,
    metricLabels: {
      session: switchIn(env["OTEL_METRICS_INCLUDE_SESSION_ID"]) ?? true,
      version: isVariableOn(env["OTEL_METRICS_INCLUDE_VERSION"]),
      entrypoint: isVariableOn(env["OTEL_METRICS_INCLUDE_ENTRYPOINT"]),
      resource: switchIn(env["OTEL_METRICS_INCLUDE_RESOURCE_ATTRIBUTES"]) ?? true,
    },
    logs: {
      prompts: isVariableOn(env["OTEL_LOG_USER_PROMPTS"]),
      toolDetails: isVariableOn(env["OTEL_LOG_TOOL_DETAILS"]),
      toolContent: isVariableOn(env["OTEL_LOG_TOOL_CONTENT"]),
      replies: isVariableOn(env["OTEL_LOG_ASSISTANT_RESPONSES"]),
    },
    ...(parent ? { parent: { traceId: parent[1]!, spanId: parent[2]! } } : {}),
    problems: [...new Set(problems)],
  };
}

function destinationsOf(signal: ReportSignal, env: Env, problem: (text: string) => void): readonly ReportTarget[] {
  const variable = EXPORTERS[signal];
  const names = (env[variable] ?? "").split(",").map((name) => name.trim().toLowerCase());
  return [...new Set(names)].flatMap((name): readonly ReportTarget[] => {
    if (name === "" || name === "none") return [];
    if (name === "console") return [{ kind: "console" }];
    if (name !== "otlp") {
      problem(`${variable}: "${name}" is not supported; use otlp, console or none`);
      return [];
    }
    return otlp(signal, env, problem);
  });
}

/** `OTEL_EXPORTER_OTLP_LOGS_ENDPOINT` for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
const ownName = (general: string, signal: ReportSignal) => general.replace("OTLP_", `OTLP_${signal.toUpperCase()}_`);

/** The variable of the signal wins over the one for all signals. */
function otlp(signal: ReportSignal, env: Env, problem: (text: string) => void): readonly ReportTarget[] {
  const read = (general: string) => {
    const own = ownName(general, signal);
    const name = env[own]?.trim() ? own : general;
    return { name, isOwn: name === own, value: env[name]?.trim() || undefined };
  };
  const { name: protocolName, value: protocol = "http/protobuf" } = read("OTEL_EXPORTER_OTLP_PROTOCOL");
  if (protocol !== "http/json" && protocol !== "http/protobuf") {
    problem(`${protocolName}: "${protocol}" is not supported; use http/protobuf or http/json`);
    return [];
  }
  const endpoint = read("OTEL_EXPORTER_OTLP_ENDPOINT");
  const url = URL.parse(endpoint.value ?? DEFAULT_ENDPOINT);
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:")) {
    // It may contain a password, so it is not repeated.
    problem(`${endpoint.name} is not an http or https address; nothing is sent for ${signal}`);
    return [];
  }
  if (!endpoint.isOwn) url.pathname = `${url.pathname.replace(/\/+$/, "")}/v1/${signal}`;
  const HEADERS = "OTEL_EXPORTER_OTLP_HEADERS";
  return [
    {
      kind: "otlp",
      protocol,
      url: url.href,
      headers: { ...pairsIn(env[HEADERS]), ...pairsIn(env[ownName(HEADERS, signal)]) },
      gzip: read("OTEL_EXPORTER_OTLP_COMPRESSION").value === "gzip",
      timeoutMs: positive(read("OTEL_EXPORTER_OTLP_TIMEOUT").value) ?? 10_000,
    },
  ];
}

/** `key=value,key=value`, with percent escapes. What is not a pair is left out. */
function pairsIn(text: string | undefined): Readonly<Record<string, string>> {
  const pairs = (text ?? "").split(",").flatMap((pair): readonly (readonly [string, string])[] => {
    const at = pair.indexOf("=");
    const key = pair.slice(0, at).trim();
    return at <= 0 || key === "" ? [] : [[key, decoded(pair.slice(at + 1).trim())]];
  });
  return Object.fromEntries(pairs);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function positive(value: string | undefined): number | undefined {
  const number = value?.trim() ? Number(value) : Number.NaN;
  // Timers cannot wait longer.
  return Number.isFinite(number) && number > 0 ? Math.min(number, 2 ** 31 - 1) : undefined;
}
