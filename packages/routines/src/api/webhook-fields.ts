// A webhook as clients write it. What its values may be is checked where webhooks are made.

import { isList, isObject } from "@keelson/protocol";
import type { TriggerFilter } from "../records/trigger.ts";
import type { WantedWebhook } from "../triggers/new-trigger.ts";
import { wrongField } from "./api-error.ts";
import { timeIn, type RoutineFields } from "./routine-fields.ts";

const KNOWN = new Set(["kind", "events", "filters", "actors", "hourly_cap", "expires_at"]);

export function webhookFields(body: RoutineFields): WantedWebhook {
  const unknown = Object.keys(body).find((name) => !KNOWN.has(name));
  if (unknown !== undefined) throw wrongField(unknown, "not known here");
  const { kind, events, filters, actors, hourly_cap: hourlyCap, expires_at: expires } = body;
  if (kind !== "http" && kind !== "github") throw wrongField("kind", "must be http or github");
  if (hourlyCap !== undefined && typeof hourlyCap !== "number") throw wrongField("hourly_cap", "must be a number");
  const expiresAt = expires === undefined || expires === null ? null : timeIn("expires_at", expires);
  return {
    kind,
    expiresAt,
    ...(events === undefined ? {} : { events: texts("events", events) }),
    ...(filters === undefined ? {} : { filters: filtersIn(filters) }),
    ...(actors === undefined ? {} : { actors: texts("actors", actors) }),
    ...(hourlyCap === undefined ? {} : { hourlyCap }),
  };
}

function texts(name: string, value: unknown): readonly string[] {
  if (isList(value) && value.length <= 100 && value.every((each) => typeof each === "string")) return value;
  throw wrongField(name, "must be a list of at most 100 texts");
}

function filtersIn(value: unknown): readonly TriggerFilter[] {
  if (!isList(value) || value.length > 50) throw wrongField("filters", "must be a list of at most 50 filters");
  return value.map((each, at) => {
    const { field, op, value: wanted } = isObject(each) ? each : {};
    const isValue = typeof wanted === "string" || typeof wanted === "boolean";
    if (typeof field !== "string" || typeof op !== "string" || !(isValue || isList(wanted)))
      throw wrongField(`filters[${at}]`, "must have field, op and value");
    return { field, op, value: isValue ? wanted : texts(`filters[${at}].value`, wanted) };
  });
}
