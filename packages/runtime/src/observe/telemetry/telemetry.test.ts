import { expect, test } from "bun:test";
import { openCounters } from "./metrics.ts";
import { otlpAttributes, nanos, requestOf } from "./otlp.ts";
import { openOutlet } from "./outlet.ts";
import { telemetryPlan } from "./plan.ts";
import { toProtobuf } from "./protobuf.ts";
import { SendError } from "./send.ts";

const ON = { CLAUDE_CODE_ENABLE_TELEMETRY: "1", OTEL_LOGS_EXPORTER: "otlp" };
const logsOf = (env: Record<string, string>) => telemetryPlan({ ...ON, ...env })!.destinations.logs;

test("nothing is reported unless it is turned on and a signal has an exporter", () => {
  expect(telemetryPlan({})).toBeUndefined();
  expect(telemetryPlan({ CLAUDE_CODE_ENABLE_TELEMETRY: "0" })).toBeUndefined();
  expect(telemetryPlan({ ...ON, OTEL_SDK_DISABLED: "true" })).toBeUndefined();
  const { destinations } = telemetryPlan({ CLAUDE_CODE_ENABLE_TELEMETRY: "1", OTEL_TRACES_EXPORTER: "none" })!;
  expect(destinations).toEqual({ metrics: [], logs: [], traces: [] });
});

test("the variables of one signal win over those of all", () => {
  const standard = {
    kind: "otlp",
    protocol: "http/protobuf",
    url: "http://localhost:4318/v1/logs",
    headers: {},
    gzip: false,
    timeoutMs: 10_000,
  };
  expect(logsOf({})).toEqual([standard as never]);
  expect(
    logsOf({
      OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
      OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://a/base/",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20x, bad, k=a=b",
      OTEL_EXPORTER_OTLP_LOGS_HEADERS: "k=own",
      OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
    }),
  ).toEqual([
    {
      ...standard,
      protocol: "http/json",
      url: "http://a/base/v1/logs",
      headers: { authorization: "Bearer x", k: "own" },
      gzip: true,
    } as never,
  ]);
  expect(logsOf({ OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: "https://b/in" })).toMatchObject([{ url: "https://b/in" }]);
});

test.each([
  [
    { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
    `OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" is not supported; use http/protobuf or http/json`,
  ],
  [{ OTEL_LOGS_EXPORTER: "zipkin" }, `OTEL_LOGS_EXPORTER: "zipkin" is not supported; use otlp, console or none`],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: "ftp://me:pass@x" },
    "OTEL_EXPORTER_OTLP_ENDPOINT is not an http or https address; nothing is sent for logs",
  ],
])("%j is a problem in words, not a failure", (env, problem) => {
  const plan = telemetryPlan({ ...ON, ...env })!;
  expect({ problems: plan.problems, logs: plan.destinations.logs }).toEqual({ problems: [problem], logs: [] });
});

test("counts are reported once; a report that failed is made up for by the next", () => {
  const counters = openCounters(1_000, false);
  counters.add("claude_code.token.usage", 5, { type: "input" });
  counters.add("claude_code.token.usage", 2, { type: "input" });
  counters.add("claude_code.commit.count", 0, {});
  const values = (records: readonly any[]) =>
    records.flatMap(({ sum }) => sum.dataPoints.map((point: any) => [point.asDouble, point.startTimeUnixNano]));
  expect(values(counters.collect(2_000).records)).toEqual([[7, "1000000000"]]);
  const { records, sent } = counters.collect(3_000);
  counters.add("claude_code.token.usage", 1, { type: "input" });
  sent();
  expect(values(records)).toEqual([[7, "1000000000"]]);
  expect(values(counters.collect(4_000).records)).toEqual([[1, "3000000000"]]);

  const cumulative = openCounters(1_000, true);
  cumulative.add("claude_code.commit.count", 1, {});
  cumulative.collect(2_000).sent();
  cumulative.add("claude_code.commit.count", 1, {});
  expect(values(cumulative.collect(3_000).records)).toEqual([[2, "1000000000"]]);
});

test("records wait while the collector is away, a bounded number of them", async () => {
  const problems: string[] = [];
  let isAway = true;
  const seen: number[] = [];
  const outlet = openOutlet(
    async (records) => {
      if (isAway) throw new SendError("no answer", false);
      seen.push(records.length);
    },
    (problem) => void problems.push(problem),
  );
  for (let index = 0; index < 3_000; index++) outlet.add({ index });
  const { signal } = new AbortController();
  await outlet.flush(signal);
  isAway = false;
  await outlet.flush(signal);
  expect(seen).toEqual([512, 512, 512, 512]);
  expect(problems).toEqual([
    "more than 2048 records are waiting; newer ones are dropped",
    "no answer; kept 512 records",
  ]);
});

test("protobuf has the same content as JSON", () => {
  const about = { resource: { "service.name": "k" }, version: "1" };
  const span = {
    traceId: "0102030405060708090a0b0c0d0e0f10",
    spanId: "0102030405060708",
    name: "claude_code.tool",
    kind: 1,
    startTimeUnixNano: "1700000000123456789",
    endTimeUnixNano: nanos(1_700_000_001_000.5),
    attributes: otlpAttributes({ text: "grüße", whole: -3, part: 0.5, yes: true, none: undefined }),
    status: { code: 2, message: "no" },
  };
  const decoded = decode(Buffer.from(toProtobuf("traces", requestOf("traces", [span], about))), [1, 2, 2]);
  expect(decoded).toEqual([
    [1, "0102030405060708090a0b0c0d0e0f10"],
    [2, "0102030405060708"],
    [5, Buffer.from("claude_code.tool").toString("hex")],
    [6, 1n],
    [7, 1_700_000_000_123_456_789n],
    [8, 1_700_000_001_000_500_000n],
    [9, `0a047465787412090a07${Buffer.from("grüße").toString("hex")}`],
    [9, "0a0577686f6c65120b18fdffffffffffffffff01"],
    [9, "0a0470617274120921000000000000e03f"],
    [9, "0a0379657312021001"],
    [15, "180212026e6f"],
  ]);
  const metric = {
    name: "m",
    unit: "s",
    sum: { dataPoints: [{ asDouble: 2, timeUnixNano: "5" }], aggregationTemporality: 1, isMonotonic: true },
  };
  expect(decode(Buffer.from(toProtobuf("metrics", requestOf("metrics", [metric], about))), [1, 2, 2])).toEqual([
    [1, "6d"],
    [3, "73"],
    [7, "0a1221000000000000004019050000000000000010011801"],
  ]);
});

/** The fields of a message at a path of field numbers, read without knowing the schema. */
function decode(bytes: Buffer, path: readonly number[]): readonly (readonly [number, bigint | string])[] {
  const fields: [number, bigint | string][] = [];
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]!;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const [number, type] = [tag >> 3, tag & 7];
    if (type === 0) fields.push([number, varint()]);
    else if (type === 1) fields.push([number, bytes.readBigUInt64LE((at += 8) - 8)]);
    else {
      const length = Number(varint());
      fields.push([number, bytes.toString("hex", at, (at += length))]);
    }
  }
  const [next, ...rest] = path;
  if (next === undefined) return fields;
  const inner = fields.findLast(([number]) => number === next)![1] as string;
  return decode(Buffer.from(inner, "hex"), rest);
}
