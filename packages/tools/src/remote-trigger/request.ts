// From a call of RemoteTrigger to a request of the routines API, and what is wrong with a call. Pure.

import { ToolError } from "@keelson/engine";
import { impossibleCron, invalidCron, parseCron, shortestGap } from "@keelson/engine/schedule";
import type { RemoteTriggerInput, RoutineRequest } from "./remote-trigger.ts";

const TRIGGERS = "/v1/code/triggers";
const HOUR_MS = 3_600_000;
const MAX_BODY = 256 * 1024;

export function routineRequest(input: RemoteTriggerInput, now: number): RoutineRequest {
  const { action, cursor, body } = input;
  const page = cursor === undefined ? "" : `?cursor=${encodeURIComponent(cursor)}`;
  if (body !== undefined && JSON.stringify(body).length > MAX_BODY) throw new ToolError("The body is over 256 KB");
  switch (action) {
    case "list":
      return { method: "GET", path: `${TRIGGERS}${page}` };
    case "get":
      return { method: "GET", path: trigger(input) };
    case "create":
      return { method: "POST", path: TRIGGERS, body: routineBody(input, now) };
    case "update":
      return { method: "POST", path: trigger(input), body: routineBody(input, now) };
    case "run":
      return { method: "POST", path: `${trigger(input)}/run`, body: body ?? {} };
    case "create_webhook_trigger":
      return { method: "POST", path: `${trigger(input)}/webhooks`, body: webhookBody(input) };
    case "list_runs":
      return { method: "GET", path: `${trigger(input)}/runs${page}` };
    case "get_run_log":
      return { method: "GET", path: `/v1/code/sessions/${idOf(input, "session_id")}/log${page}` };
  }
}

const trigger = (input: RemoteTriggerInput) => `${TRIGGERS}/${idOf(input, "trigger_id")}`;

function idOf(input: RemoteTriggerInput, field: "trigger_id" | "session_id"): string {
  const id = input[field];
  if (id === undefined || id === "") throw new ToolError(`The action '${input.action}' needs '${field}'`);
  // Anything else could reach another address of the server.
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(id))
    throw new ToolError(`'${id}' is not an id: letters, digits, '_' and '-' only`);
  return id;
}

function routineBody(input: RemoteTriggerInput, now: number): Readonly<Record<string, unknown>> {
  const { action, body } = input;
  if (body === undefined || Object.keys(body).length === 0) throw new ToolError(`The action '${action}' needs 'body'`);
  const cron = body["cron_expression"] ?? body["cron"];
  if (cron !== undefined && cron !== null) checkCron(cron, now);
  const once = body["run_once_at"];
  if (once !== undefined && once !== null) {
    const time = typeof once === "string" ? Date.parse(once) : Number.NaN;
    if (Number.isNaN(time)) throw new ToolError("'run_once_at' is not a time such as 2026-01-31T09:00:00Z");
    if (time <= now) throw new ToolError("'run_once_at' is in the past");
  }
  return body;
}

function checkCron(text: unknown, now: number): void {
  const cron = typeof text === "string" ? parseCron(text) : undefined;
  if (cron === undefined) throw new ToolError(invalidCron(String(text)));
  const gap = shortestGap(cron, now);
  if (gap === undefined) throw new ToolError(impossibleCron(String(text)));
  if (gap < HOUR_MS) {
    throw new ToolError(
      `Routines run at most once an hour; '${String(text)}' has runs ${gap / 60_000} minutes apart. Use CronCreate for shorter intervals in this session.`,
    );
  }
}

function webhookBody({ body }: RemoteTriggerInput): Readonly<Record<string, unknown>> {
  const kind = body?.["kind"] ?? "http";
  if (kind !== "http" && kind !== "github") throw new ToolError("'kind' must be 'http' or 'github'");
  return { ...body, kind };
}
