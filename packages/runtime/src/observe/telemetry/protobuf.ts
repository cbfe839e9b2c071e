// OTLP requests as protobuf, made from their JSON form. Only the fields that we send; numbers as in opentelemetry-proto 1.x.

import type { OtlpRecord } from "./otlp.ts";
import type { ReportSignal } from "./plan.ts";

type Kind = "string" | "bool" | "int64" | "double" | "fixed64" | "sfixed64" | "hex" | "enum" | Shape;
interface Shape {
  readonly [field: string]: readonly [number, Kind];
}

const VALUE: Shape = {
  stringValue: [1, "string"],
  boolValue: [2, "bool"],
  intValue: [3, "int64"],
  doubleValue: [4, "double"],
};
const ATTRIBUTE: Shape = { key: [1, "string"], value: [2, VALUE] };
const RESOURCE: Shape = { attributes: [1, ATTRIBUTE] };
const SCOPE: Shape = { name: [1, "string"], version: [2, "string"] };

const POINT: Shape = {
  startTimeUnixNano: [2, "fixed64"],
  timeUnixNano: [3, "fixed64"],
  asDouble: [4, "double"],
  asInt: [6, "sfixed64"],
  attributes: [7, ATTRIBUTE],
};
const SUM: Shape = { dataPoints: [1, POINT], aggregationTemporality: [2, "enum"], isMonotonic: [3, "bool"] };
const METRIC: Shape = {
  name: [1, "string"],
  description: [2, "string"],
  unit: [3, "string"],
  gauge: [5, { dataPoints: [1, POINT] }],
  sum: [7, SUM],
};
const LOG: Shape = {
  timeUnixNano: [1, "fixed64"],
  severityNumber: [2, "enum"],
  severityText: [3, "string"],
  body: [5, VALUE],
  attributes: [6, ATTRIBUTE],
  traceId: [9, "hex"],
  spanId: [10, "hex"],
  observedTimeUnixNano: [11, "fixed64"],
  eventName: [12, "string"],
};
const STATUS: Shape = { message: [2, "string"], code: [3, "enum"] };
const SPAN: Shape = {
  traceId: [1, "hex"],
  spanId: [2, "hex"],
  parentSpanId: [4, "hex"],
  name: [5, "string"],
  kind: [6, "enum"],
  startTimeUnixNano: [7, "fixed64"],
  endTimeUnixNano: [8, "fixed64"],
  attributes: [9, ATTRIBUTE],
  status: [15, STATUS],
};

const scoped = (name: string, list: string, record: Shape): Shape => ({
  [`resource${name}`]: [
    1,
    { resource: [1, RESOURCE], [`scope${name}`]: [2, { scope: [1, SCOPE], [list]: [2, record] }] },
  ],
});

const REQUESTS: Readonly<Record<ReportSignal, Shape>> = {
  metrics: scoped("Metrics", "metrics", METRIC),
  logs: scoped("Logs", "logRecords", LOG),
  traces: scoped("Spans", "spans", SPAN),
};

export function toProtobuf(signal: ReportSignal, request: OtlpRecord): Uint8Array<ArrayBuffer> {
  return new Uint8Array(message(request, REQUESTS[signal]));
}

function message(value: OtlpRecord, shape: Shape): Buffer {
  const parts: Buffer[] = [];
  for (const [name, each] of Object.entries(value)) {
    const field = shape[name];
    if (field === undefined || each === undefined) continue;
    const [number, kind] = field;
    for (const item of Array.isArray(each) ? each : [each]) parts.push(...fieldOf(number, kind, item));
  }
  return Buffer.concat(parts);
}

const [VARINT, FIXED64, BYTES] = [0, 1, 2];

function fieldOf(number: number, kind: Kind, value: unknown): readonly Buffer[] {
  const tag = (type: number) => varint(BigInt(number * 8 + type));
  const bytes = (content: Buffer) => [tag(BYTES), varint(BigInt(content.length)), content];
  const eight = (write: (buffer: Buffer) => void) => {
    const buffer = Buffer.alloc(8);
    write(buffer);
    return [tag(FIXED64), buffer];
  };
  switch (kind) {
    case "string":
      return bytes(Buffer.from(String(value)));
    case "hex":
      return bytes(Buffer.from(String(value), "hex"));
    case "bool":
      return [tag(VARINT), varint(value ? 1n : 0n)];
    case "enum":
    case "int64":
      return [tag(VARINT), varint(BigInt.asUintN(64, BigInt(value as string | number)))];
    case "fixed64":
      return eight((buffer) => buffer.writeBigUInt64LE(BigInt(value as string)));
    case "sfixed64":
      return eight((buffer) => buffer.writeBigInt64LE(BigInt(value as string)));
    case "double":
      return eight((buffer) => buffer.writeDoubleLE(value as number));
    default:
      return bytes(message(value as OtlpRecord, kind));
  }
}

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}
