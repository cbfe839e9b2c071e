// OpenTelemetry reports of real sessions to a collector on loopback: what they say, what they leave out, and that a
// collector which is away, silent or hostile changes nothing.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome } from "@keelson/testkit";

interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: any;
}

function startCollector(answer: () => Response | Promise<Response> = () => new Response("{}")) {
  const received: Received[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const bytes = new Uint8Array(await request.arrayBuffer());
      const isJson = request.headers.get("content-type") === "application/json";
      const body = isJson ? JSON.parse(new TextDecoder().decode(bytes)) : bytes;
      received.push({ path: new URL(request.url).pathname, headers: Object.fromEntries(request.headers), body });
      return answer();
    },
  });
  return {
    received,
    url: `http://127.0.0.1:${server.port}`,
    async [Symbol.asyncDispose]() {
      await server.stop(true);
    },
  };
}

const telemetry = (url: string, more: Record<string, string> = {}) => ({
  CLAUDE_CODE_ENABLE_TELEMETRY: "1",
  OTEL_METRICS_EXPORTER: "otlp",
  OTEL_LOGS_EXPORTER: "otlp",
  OTEL_TRACES_EXPORTER: "otlp",
  OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  ...more,
});

const plain = (attributes: readonly any[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** All records of a signal, with their attributes as an object. */
function recordsOf(received: readonly Received[], signal: "metrics" | "logs" | "traces"): readonly any[] {
  const [resources, scopes, list] = {
    metrics: ["resourceMetrics", "scopeMetrics", "metrics"],
    logs: ["resourceLogs", "scopeLogs", "logRecords"],
    traces: ["resourceSpans", "scopeSpans", "spans"],
  }[signal] as [string, string, string];
  return received
    .filter(({ path }) => path === `/v1/${signal}`)
    .flatMap(({ body }) => body[resources].flatMap((each: any) => each[scopes].flatMap((scope: any) => scope[list])))
    .map((record) => ({ ...record, ...(record.attributes ? { attributes: plain(record.attributes) } : {}) }));
}

const points = (received: readonly Received[]) =>
  recordsOf(received, "metrics").flatMap(({ name, sum }) =>
    sum.dataPoints.map(({ attributes, asDouble }: any) => ({ name, value: asDouble, ...plain(attributes) })),
  );

const SCRIPT = [
  { calls: [{ name: "Write", input: { file_path: "a.ts", content: "one\ntwo\n" } }] },
  {
    calls: [
      {
        name: "Bash",
        input: { command: "echo private-words && git commit --allow-empty -q -m x" },
      },
    ],
  },
  { text: "All done" },
];
const ALLOW = "--allowedTools=Write,Edit,Bash(echo *),Bash(git *)";

async function report(env: (url: string) => Record<string, string>, settings: object = {}) {
  using home = temporaryHome({ git: true });
  home.settings({
    hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "true # hook-secret" }] }] },
    ...settings,
  });
  await using model = await startMockModel(SCRIPT);
  await using collector = startCollector();
  const run = await runKeelson(["-p", "secret-prompt", ALLOW], { home, url: model.url, env: env(collector.url) });
  expect({ code: run.code, stdout: run.stdout, stderr: run.stderr }).toEqual({
    code: 0,
    stdout: "All done\n",
    stderr: "",
  });
  return { received: collector.received, home };
}

test("metrics, events and spans have the names that compatible programs use", async () => {
  const { received } = await report((url) => telemetry(url, { OTEL_RESOURCE_ATTRIBUTES: "team=red%20ones" }));
  const counted = points(received);
  const sum = (name: string, where: object = {}) =>
    counted
      .filter(
        (point: any) =>
          point.name === `claude_code.${name}` && Object.entries(where).every(([key, value]) => point[key] === value),
      )
      .reduce((total: number, { value }: any) => total + value, 0);
  expect({
    sessions: sum("session.count", { start_type: "fresh", team: "red ones" }),
    commits: sum("commit.count"),
    added: sum("lines_of_code.count", { type: "added" }),
    decisions: sum("code_edit_tool.decision", { tool_name: "Write", decision: "accept", language: "TypeScript" }),
  }).toEqual({ sessions: 1, commits: 1, added: 2, decisions: 1 });
  expect(sum("token.usage", { type: "output" })).toBeGreaterThan(0);
  expect(sum("active_time.total", { type: "cli" })).toBeGreaterThan(0);

  const events = recordsOf(received, "logs");
  expect(events.map(({ attributes }) => attributes["event.name"])).toEqual([
    "user_prompt",
    ...["api_request", "tool_decision", "tool_result"],
    ...["api_request", "tool_decision", "tool_result"],
    "api_request",
  ]);
  expect(events[0]).toMatchObject({
    body: { stringValue: "claude_code.user_prompt" },
    attributes: { prompt: "<REDACTED>", prompt_length: "13" },
  });
  expect(events[3]!.attributes).toMatchObject({ tool_name: "Write", success: "true", decision_source: "config" });

  const spans = recordsOf(received, "traces");
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const nameOf = ({ name }: any) => name.replace("claude_code.", "");
  const tree = spans.map(
    (span) => `${byId.has(span.parentSpanId) ? `${nameOf(byId.get(span.parentSpanId))} > ` : ""}${nameOf(span)}`,
  );
  expect([...new Set(tree)].filter((each) => !each.includes("blocked")).toSorted()).toEqual(
    [
      "interaction",
      "interaction > llm_request",
      "interaction > tool",
      "tool > hook",
      "tool > tool.execution",
    ].toSorted(),
  );
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  for (const { startTimeUnixNano: start, endTimeUnixNano: end } of spans)
    expect(BigInt(end) >= BigInt(start)).toBe(true);
});

test("content and credentials are left out; content comes with the variables that ask for it", async () => {
  const key = {
    ANTHROPIC_API_KEY: "key-of-mine-1234",
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20collector-key",
  };
  const quiet = await report((url) => telemetry(url, key));
  const text = JSON.stringify(quiet.received.map(({ body }) => body));
  expect(text).not.toMatch(/secret-prompt|private-words|hook-secret|All done|key-of-mine|collector-key/);
  for (const { headers } of quiet.received) expect(headers["authorization"]).toBe("Bearer collector-key");

  const loud = await report((url) =>
    telemetry(url, {
      ...key,
      OTEL_LOG_USER_PROMPTS: "1",
      OTEL_LOG_TOOL_DETAILS: "1",
      OTEL_LOG_TOOL_CONTENT: "1",
      OTEL_LOG_ASSISTANT_RESPONSES: "1",
    }),
  );
  const all = JSON.stringify(loud.received.map(({ body }) => body));
  for (const word of ["secret-prompt", "private-words", "All done"]) expect(all).toContain(word);
  expect(all).not.toMatch(/key-of-mine|collector-key/);
});

test("protobuf is the default, headers may come from a command, and requests may be compressed", async () => {
  const { received } = await report(
    (url) => telemetry(url, { OTEL_EXPORTER_OTLP_PROTOCOL: "", OTEL_EXPORTER_OTLP_LOGS_COMPRESSION: "gzip" }),
    { otelHeadersHelper: `echo '{"x-token": "from-helper"}'` },
  );
  expect(
    received
      .map(({ path, headers }) => [path, headers["content-type"], headers["x-token"], headers["content-encoding"]])
      .toSorted(),
  ).toEqual([
    ["/v1/logs", "application/x-protobuf", "from-helper", "gzip"],
    ["/v1/metrics", "application/x-protobuf", "from-helper", undefined],
    ["/v1/traces", "application/x-protobuf", "from-helper", undefined],
  ]);
});

test("a project can neither turn it on nor choose where it goes, even if it is trusted", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "one" }, { text: "two" }]);
  await using collector = startCollector();
  await using other = startCollector();
  const local = { env: telemetry(collector.url), otelHeadersHelper: `touch ${home.root}/ran` };
  home.write(".claude/settings.json", local);
  home.write(".claude/settings.local.json", local);
  await runKeelson(["trust"], { home });
  await runKeelson(["-p", "go"], { home, url: model.url });
  const run = await runKeelson(["-p", "go"], { home, url: model.url, env: telemetry(other.url) });
  expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 0, stdout: "two\n" });
  expect(collector.received).toEqual([]);
  expect(other.received.length).toBe(3);
  expect(existsSync(join(home.root, "ran"))).toBe(false);
});

test("the user's settings can turn it on; commands do not see the headers", async () => {
  using home = temporaryHome();
  await using collector = startCollector();
  const env = telemetry(collector.url, { OTEL_EXPORTER_OTLP_HEADERS: "authorization=collector-key" });
  home.settings({ env });
  const printed = [{ calls: [{ name: "Bash", input: { command: "env | grep -c HEADERS" } }] }, { text: "done" }];
  await using model = await startMockModel(printed);
  const run = await runKeelson(["-p", "go", "--allowedTools=Bash"], { home, url: model.url });
  expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 0, stdout: "done\n" });
  expect(collector.received.map(({ headers }) => headers["authorization"])).toEqual(Array(3).fill("collector-key"));
  expect(JSON.stringify(model.requests[1]!.body.messages.at(-1))).toMatch(/"content":"(Exit code 1\\n)?0/);
});

test.each([
  ["is not there", undefined],
  ["answers with errors", () => new Response("no", { status: 500 })],
  ["leads elsewhere", () => new Response(null, { status: 307, headers: { location: "http://127.0.0.1:9/" } })],
  ["never answers", () => new Promise<Response>(() => undefined)],
] as const)("a collector that %s does not disturb the session", async (_, answer) => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "done" }]);
  await using collector = startCollector(answer);
  const url = answer === undefined ? "http://127.0.0.1:9" : collector.url;
  const env = telemetry(url, { CLAUDE_CODE_OTEL_SHUTDOWN_TIMEOUT_MS: "200", OTEL_LOGS_EXPORT_INTERVAL: "5" });
  const run = await runKeelson(["-p", "go", "--debug", "telemetry"], { home, url: model.url, env });
  expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 0, stdout: "done\n" });
  expect(run.stderr).toMatch(/\[telemetry\] Not reported: /);
});

test("gRPC is refused in words, and the console gets standard error", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "one" }, { text: "two" }]);
  const grpc = await runKeelson(["-p", "go"], {
    home,
    url: model.url,
    env: telemetry("http://127.0.0.1:9", { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }),
  });
  expect(grpc.stdout).toBe("one\n");
  expect(grpc.stderr).toBe(
    `warning: OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" is not supported; use http/protobuf or http/json\n`,
  );
  const env = { CLAUDE_CODE_ENABLE_TELEMETRY: "1", OTEL_LOGS_EXPORTER: "console" };
  const printed = await runKeelson(["-p", "go"], { home, url: model.url, env });
  expect(printed.stdout).toBe("two\n");
  const names = printed.stderr
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).eventName);
  expect(names).toEqual(["claude_code.user_prompt", "claude_code.api_request"]);
});
