import { expect, test } from "bun:test";
import { ToolError } from "@keelson/engine";
import { remoteTriggerTool, type RemoteTriggerInput, type RoutineRequest } from "./remote-trigger.ts";
import { routineRequest } from "./request.ts";
import { answerSummary } from "./summary.ts";

const NOW = Date.parse("2026-03-02T10:20:00Z");
const request = (input: RemoteTriggerInput) => routineRequest(input, NOW);

test.each<[RemoteTriggerInput, RoutineRequest]>([
  [{ action: "list" }, { method: "GET", path: "/v1/code/triggers" }],
  [
    { action: "list", cursor: "a&b" },
    { method: "GET", path: "/v1/code/triggers?cursor=a%26b" },
  ],
  [
    { action: "get", trigger_id: "trig_1" },
    { method: "GET", path: "/v1/code/triggers/trig_1" },
  ],
  [
    { action: "create", body: { name: "n", prompt: "p", cron_expression: "0 9 * * 1-5", extra: { x: 1 } } },
    {
      method: "POST",
      path: "/v1/code/triggers",
      body: { name: "n", prompt: "p", cron_expression: "0 9 * * 1-5", extra: { x: 1 } },
    },
  ],
  [
    { action: "update", trigger_id: "trig_1", body: { enabled: false } },
    { method: "POST", path: "/v1/code/triggers/trig_1", body: { enabled: false } },
  ],
  [
    { action: "run", trigger_id: "trig_1" },
    { method: "POST", path: "/v1/code/triggers/trig_1/run", body: {} },
  ],
  [
    { action: "create_webhook_trigger", trigger_id: "trig_1" },
    { method: "POST", path: "/v1/code/triggers/trig_1/webhooks", body: { kind: "http" } },
  ],
  [
    { action: "list_runs", trigger_id: "trig_1", cursor: "c" },
    { method: "GET", path: "/v1/code/triggers/trig_1/runs?cursor=c" },
  ],
  [
    { action: "get_run_log", session_id: "s_1" },
    { method: "GET", path: "/v1/code/sessions/s_1/log" },
  ],
])("routineRequest(%j)", (input, expected) => {
  expect(request(input)).toEqual(expected);
});

test.each<[RemoteTriggerInput, string]>([
  [{ action: "get" }, "The action 'get' needs 'trigger_id'"],
  [{ action: "get_run_log", trigger_id: "t" }, "The action 'get_run_log' needs 'session_id'"],
  [{ action: "get", trigger_id: "../x" }, "'../x' is not an id: letters, digits, '_' and '-' only"],
  [{ action: "create" }, "The action 'create' needs 'body'"],
  [{ action: "update", trigger_id: "t", body: {} }, "The action 'update' needs 'body'"],
  [
    { action: "create", body: { cron_expression: "soon" } },
    "Invalid cron expression 'soon'. Expected 5 fields: M H DoM Mon DoW.",
  ],
  [
    { action: "create", body: { cron: "0 0 31 2 *" } },
    "Cron expression '0 0 31 2 *' does not match any calendar date in the next year.",
  ],
  [
    { action: "update", trigger_id: "t", body: { cron_expression: "*/5 * * * *" } },
    "Routines run at most once an hour; '*/5 * * * *' has runs 5 minutes apart. Use CronCreate for shorter intervals in this session.",
  ],
  [
    { action: "create", body: { cron_expression: "0,30 9 * * 1" } },
    "Routines run at most once an hour; '0,30 9 * * 1' has runs 30 minutes apart. Use CronCreate for shorter intervals in this session.",
  ],
  [{ action: "create", body: { run_once_at: "tomorrow" } }, "'run_once_at' is not a time such as 2026-01-31T09:00:00Z"],
  [{ action: "create", body: { run_once_at: "2026-03-02T10:00:00Z" } }, "'run_once_at' is in the past"],
  [{ action: "create_webhook_trigger", trigger_id: "t", body: { kind: "ftp" } }, "'kind' must be 'http' or 'github'"],
  [{ action: "create", body: { prompt: "x".repeat(300_000) } }, "The body is over 256 KB"],
])("routineRequest(%j) says what is wrong", (input, message) => {
  expect(() => request(input)).toThrow(new ToolError(message));
});

test("a schedule of once an hour, of one day a year, or of a cleared time is fine", () => {
  for (const cron of ["0 * * * *", "17 */2 * * *", "0 0 1 1 *"]) {
    expect(request({ action: "create", body: { cron_expression: cron } }).method).toBe("POST");
  }
  expect(request({ action: "update", trigger_id: "t", body: { cron_expression: null } }).method).toBe("POST");
});

test("only reading and disabling need no approval", async () => {
  const tool = remoteTriggerTool({ send: () => Promise.reject(), check() {}, now: () => NOW });
  const kind = (input: RemoteTriggerInput) => (tool.access(input, {} as never) as { kind: string }).kind;
  for (const action of ["list", "get", "list_runs", "get_run_log"] as const) expect(kind({ action })).toBe("none");
  for (const action of ["create", "run", "create_webhook_trigger"] as const) expect(kind({ action })).toBe("external");
  expect(kind({ action: "update", body: { enabled: false } })).toBe("none");
  expect(kind({ action: "update", body: { enabled: true } })).toBe("external");
  expect(kind({ action: "update", body: { enabled: false, prompt: "x" } })).toBe("external");
});

test("answerSummary() says what matters of an answer, and nothing of one it does not know", () => {
  const of = (action: RemoteTriggerInput["action"], answer: unknown, status = 200) =>
    answerSummary(action, { status, json: JSON.stringify(answer) });
  expect(of("list", { data: [{}], next_cursor: null })).toBe("1 routine");
  expect(of("list_runs", { data: [{}, {}], next_cursor: "c" })).toBe("2 runs; more with cursor c");
  expect(of("create", { id: "trig_1", name: "Tests", next_run_at: "2026-03-03T09:00:00Z" })).toBe(
    "Tests (trig_1), next run 2026-03-03T09:00:00Z",
  );
  expect(of("update", { id: "trig_1", enabled: false })).toBe("Routine (trig_1), disabled");
  expect(of("run", { session_id: "s_1" })).toBe("Started session s_1");
  expect(of("get", { error: { message: "There is no routine" } }, 404)).toBe("There is no routine");
  for (const odd of [[], "x", null, { data: 3 }, {}]) expect(of("list", odd)).toBeUndefined();
  expect(answerSummary("list", { status: 200, json: "<html>" })).toBeUndefined();
});
