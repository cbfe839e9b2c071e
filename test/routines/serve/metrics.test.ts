// What a server says of itself in figures: to Prometheus, which asks, and to a collector of OpenTelemetry, which is told.

import { expect, test } from "bun:test";
import { startMockModel, temporaryHome, testUnless } from "@keelson/testkit";
import { noWorker } from "../worker/world.ts";
import { request, serving, tokenFor } from "./serving.ts";

const REPORT = { done: true, summary: "Looked", links: [] };
const works = ({ messages }: any) =>
  JSON.stringify(messages).includes("tool_result")
    ? { calls: [{ name: "StructuredOutput", input: REPORT }] }
    : { calls: [{ name: "Bash", input: { command: "env | grep -c OTEL_EXPORTER_OTLP_HEADERS" } }] };

const SAMPLE = /^([a-z_]+)(?:\{((?:[a-z]+="(?:[^"\\\n]|\\[\\n"])*",?)*)\})? (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;

/** By name and labels. Throws on a line that Prometheus would refuse. */
function samples(text: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const types = new Map<string, string>();
  for (const line of text.split("\n").slice(0, -1)) {
    const [, kind, name, rest] = /^# (HELP|TYPE) ([a-z_]+) (.+)$/.exec(line) ?? [];
    if (kind !== undefined) {
      if (kind === "TYPE") types.set(name!, rest!);
      continue;
    }
    const [, sample, labels = "", value] = SAMPLE.exec(line) ?? [];
    if (sample === undefined || !types.has(sample)) throw new Error(`Prometheus cannot read "${line}"`);
    if ((types.get(sample) === "counter") !== sample.endsWith("_total")) throw new Error(`"${sample}" is misnamed`);
    if (found.has(`${sample} ${labels}`)) throw new Error(`"${sample}{${labels}}" is there twice`);
    found.set(`${sample} ${labels}`, Number(value));
  }
  return found;
}

test("figures need a token of their own or one that reads, and a token for figures reads nothing else", async () => {
  using home = temporaryHome();
  await using server = await serving({ home, args: ["--role", "api"] });
  const metrics = await tokenFor(home, "prometheus", "--scope", "metrics");
  const worker = await tokenFor(home, "rack", "--scope", "worker");
  const asked = async (token: string, path: string) =>
    (await fetch(server.url + path, { headers: { Authorization: `Bearer ${token}` } })).status;
  expect([
    (await fetch(`${server.url}/metrics`)).status,
    await asked(worker, "/metrics"),
    await asked("x".repeat(43), "/metrics"),
    await asked(metrics, "/v1/code/triggers"),
    await asked(metrics, "/metrics"),
    await asked(server.token, "/metrics"),
  ]).toEqual([401, 401, 401, 401, 200, 200]);
});

testUnless(noWorker, test)(
  "what happened is in the figures, for Prometheus and for a collector, and runs are traces",
  async () => {
    using home = temporaryHome();
    await using model = await startMockModel(works);
    const received: { readonly path: string; readonly body: any; readonly key: string | null }[] = [];
    await using collector = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      async fetch(request) {
        const path = new URL(request.url).pathname;
        received.push({ path, body: await request.json(), key: request.headers.get("x-key") });
        return new Response("{}");
      },
    });
    await using server = await serving({
      home,
      model,
      env: {
        CLAUDE_CODE_ENABLE_TELEMETRY: "1",
        OTEL_METRICS_EXPORTER: "otlp",
        OTEL_TRACES_EXPORTER: "otlp",
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url.href,
        OTEL_EXPORTER_OTLP_HEADERS: "x-key=key-of-the-collector",
      },
    });
    const { call } = server;
    const { json: made } = await call("POST", "/v1/code/triggers", {
      name: 'A "name"',
      prompt: "Look",
      permission_mode: "acceptEdits",
    });
    await call("POST", "/v1/code/triggers", { name: "Other", prompt: "Look", enabled: false });
    const { json: hook } = await call("POST", `/v1/code/triggers/${made.id}/webhooks`, { kind: "http" });
    const { json: started } = await request(
      server.url,
      hook.token,
      "POST",
      `/v1/claude_code/routines/${made.id}/fire`,
      {
        text: "Go",
      },
    );
    let run: any = {};
    while (run.state !== "succeeded" && run.state !== "failed")
      run = (await call("GET", `/v1/runs/${started.id}`)).json;
    expect(run).toMatchObject({ state: "succeeded", outcome: REPORT });

    const token = await tokenFor(home, "prometheus", "--scope", "metrics");
    const answer = async () => fetch(`${server.url}/metrics`, { headers: { Authorization: `Bearer ${token}` } });
    const { headers } = await answer();
    expect(headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const text = await (await answer()).text();
    const found = samples(text);
    expect(
      Object.fromEntries(
        [
          'keelson_routines_runs_active state="queued"',
          'keelson_routines_runs_active state="running"',
          "keelson_routines_runs_due ",
          "keelson_routines_triggers_overdue ",
          'keelson_routines_runs_day state="succeeded",cause="http"',
          'keelson_routines_runs_day_turns state="succeeded",cause="http"',
          "keelson_routines_workers_alive ",
          "keelson_routines_workers_slots ",
          'keelson_routines_routines state="enabled"',
          'keelson_routines_routines state="paused"',
          'keelson_routines_deliveries_day verdict="run"',
          "keelson_routines_questions_open ",
          "keelson_routines_server_alarms_total ",
        ].map((name) => [name, found.get(name)]),
      ),
    ).toEqual({
      'keelson_routines_runs_active state="queued"': 0,
      'keelson_routines_runs_active state="running"': 0,
      "keelson_routines_runs_due ": 0,
      "keelson_routines_triggers_overdue ": 0,
      'keelson_routines_runs_day state="succeeded",cause="http"': 1,
      'keelson_routines_runs_day_turns state="succeeded",cause="http"': 2,
      "keelson_routines_workers_alive ": 1,
      "keelson_routines_workers_slots ": 1,
      'keelson_routines_routines state="enabled"': 1,
      'keelson_routines_routines state="paused"': 1,
      'keelson_routines_deliveries_day verdict="run"': 1,
      "keelson_routines_questions_open ": 0,
      "keelson_routines_server_alarms_total ": 0,
    });
    expect(found.get('keelson_routines_start_delay_seconds quantile="1"')).toBeGreaterThanOrEqual(0);
    expect(found.get('keelson_routines_server_requests_total status="2xx"')).toBeGreaterThan(3);
    expect(found.get("keelson_routines_server_memory_bytes ")).toBeGreaterThan(1_000_000);
    // No names of anybody's, no text, no ids: whoever sees figures sees nothing of what is done.
    for (const secret of ["name", "Look", made.id, run.id, hook.token])
      expect(text.replace(/# .*/g, "")).not.toContain(secret);

    server.program.kill("SIGTERM");
    expect(await server.program.done).toMatchObject({ code: 0 });
    expect(new Set(received.map(({ key }) => key))).toEqual(new Set(["key-of-the-collector"]));
    const metrics = received
      .filter(({ path }) => path === "/v1/metrics")
      .flatMap(({ body }) => body.resourceMetrics)
      .find(({ resource }) => JSON.stringify(resource).includes("keelson-serve"));
    const reported = metrics.scopeMetrics[0].metrics.find(({ name }: any) => name === "keelson.routines.runs.day");
    expect(reported.gauge.dataPoints).toEqual([
      {
        attributes: [
          { key: "state", value: { stringValue: "succeeded" } },
          { key: "cause", value: { stringValue: "http" } },
        ],
        timeUnixNano: expect.stringMatching(/^\d{19}$/),
        asDouble: 1,
      },
    ]);
    const spans = received
      .filter(({ path }) => path === "/v1/traces")
      .flatMap(({ body }) => body.resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans)
      .flatMap((scope) => scope.spans);
    const attempt = spans.find(({ name }) => name === "keelson.routines.run");
    const inside = spans.find(({ name }) => name === "claude_code.interaction");
    expect(attempt.attributes).toContainEqual({ key: "run_id", value: { stringValue: run.id } });
    // What the program reports of itself is inside.
    expect([inside.traceId, inside.parentSpanId]).toEqual([attempt.traceId, attempt.spanId]);
    const log = (await model.requests).map(({ body }) => JSON.stringify(body)).join("");
    expect(log).not.toContain("key-of-the-collector");
  },
);
