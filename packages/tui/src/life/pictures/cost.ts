// /cost as a picture: what the session cost, by model, and what its tokens were.

import { isObject } from "@keelson/protocol";
import { dollars, elapsed, shortCount } from "../../blocks/amounts.ts";
import { cleanRow } from "../../screen/clean.ts";
import { fit, width } from "../../screen/rows.ts";
import type { Frame } from "../../screen/view.ts";
import type { StyleName, Theme } from "../../theme/theme.ts";
import { barOf } from "./bars.ts";

/** Narrower windows have no bars. */
const LEAST_BAR = 37;

/** `usage` is the answer to `get_usage`. */
export function renderCost(usage: unknown, frame: Frame): string[] {
  const session = isObject(usage) && isObject(usage["session"]) ? usage["session"] : {};
  const { columns, theme } = frame;
  const cost = session["total_cost_usd"];
  const lines = [number(session["total_lines_added"]), number(session["total_lines_removed"])] as const;
  const models = modelsIn(session["model_usage"]);
  const facts: readonly (readonly [string, string])[] = [
    ["Cost", typeof cost === "number" ? dollars(cost) : "unknown: a model has no price"],
    ["Time with the model", elapsed(number(session["total_api_duration_ms"]))],
    ["Time in total", elapsed(number(session["total_duration_ms"]))],
    ["Lines changed", `${theme.paint("added", `+${lines[0]}`)} ${theme.paint("removed", `-${lines[1]}`)}`],
  ];
  return [
    theme.paint("bold", fit("Usage of this session", columns)),
    "",
    ...facts.flatMap(([name, value]) => factRows(name, value, columns, theme)),
    ...models.flatMap((model) => modelRows(model, models, columns, theme)),
    ...agentRows(session["agent_usage"], columns, theme),
    ...limitRows(isObject(usage) ? usage["rate_limits"] : undefined, columns, theme),
  ];
}

/** In a narrow window, a value is below its name, where it can be read. */
function factRows(name: string, value: string, columns: number, theme: Theme): string[] {
  return 21 + width(value) <= columns
    ? [`${theme.paint("dim", name.padEnd(20))} ${value}`]
    : [theme.paint("dim", fit(name, columns)), fit(`  ${value}`, columns)];
}

/** `  name  1.2k  bar`: the name has what the count leaves. */
function countedRow(name: string, count: string, rest: string, columns: number): string {
  const label = fit(name, Math.max(1, Math.min(20, columns - 9)));
  const behind = rest === "" ? "" : `  ${rest}`;
  return fit(`  ${label.padEnd(Math.min(20, columns - 9))} ${count.padStart(6)}${behind}`, columns);
}

interface ModelShare {
  readonly name: string;
  readonly cost: number | undefined;
  readonly parts: readonly (readonly [string, number, StyleName])[];
  readonly total: number;
}

const number = (value: unknown) => (typeof value === "number" && Number.isFinite(value) ? value : 0);

function modelsIn(value: unknown): ModelShare[] {
  if (!isObject(value)) return [];
  return Object.entries(value)
    .filter((entry): entry is [string, Record<string, unknown>] => isObject(entry[1]))
    .map(([name, usage]) => {
      const parts = [
        ["read", number(usage["inputTokens"]), "accent"],
        ["read from the cache", number(usage["cacheReadInputTokens"]), "dim"],
        ["written to the cache", number(usage["cacheCreationInputTokens"]), "suggestion"],
        ["written", number(usage["outputTokens"]), "success"],
      ] as const;
      const total = parts.reduce((sum, [, tokens]) => sum + tokens, 0);
      const cost = typeof usage["costUSD"] === "number" ? usage["costUSD"] : undefined;
      return { name: cleanRow(name), cost, parts, total };
    })
    .toSorted((one, other) => (other.cost ?? 0) - (one.cost ?? 0) || other.total - one.total);
}

function modelRows(
  { name, cost, parts, total }: ModelShare,
  all: readonly ModelShare[],
  columns: number,
  theme: Theme,
): string[] {
  const whole = all.reduce((sum, model) => sum + (model.cost ?? 0), 0);
  const share = whole > 0 && cost !== undefined ? ` (${Math.round((cost / whole) * 100)}%)` : "";
  const price = cost === undefined ? "no price" : dollars(cost) + (all.length > 1 ? share : "");
  const gap = Math.max(1, columns - width(name) - width(price));
  const title =
    gap > 1
      ? [`${theme.paint("bold", name)}${" ".repeat(Math.min(gap, 48 - Math.min(47, width(name))))}${price}`]
      : [theme.paint("bold", fit(name, columns)), fit(price.padStart(columns), columns)];
  const cells = Math.max(6, Math.min(40, columns - 34));
  const most = Math.max(1, ...parts.map(([, tokens]) => tokens));
  const rows = parts
    .filter(([, tokens]) => tokens > 0)
    .map(([label, tokens, style]) => {
      const bar = theme.paint(style, barOf(tokens / most, cells, theme));
      return countedRow(label, shortCount(tokens), columns >= LEAST_BAR ? bar : "", columns);
    });
  return ["", ...title, ...(total === 0 ? [theme.paint("dim", "  nothing yet")] : rows)];
}

function agentRows(value: unknown, columns: number, theme: Theme): string[] {
  if (!isObject(value)) return [];
  const rows = Object.entries(value).flatMap(([type, models]) => {
    const used = modelsIn(models);
    const tokens = used.reduce((sum, { total }) => sum + total, 0);
    const cost = used.reduce((sum, model) => sum + (model.cost ?? 0), 0);
    return [countedRow(cleanRow(type), shortCount(tokens), dollars(cost), columns)];
  });
  return rows.length === 0 ? [] : ["", theme.paint("bold", "Of this, subagents"), ...rows];
}

function limitRows(value: unknown, columns: number, theme: Theme): string[] {
  if (!isObject(value)) return [];
  const names: Readonly<Record<string, string>> = { five_hour: "Five hours", seven_day: "Seven days" };
  const rows = Object.entries(names).flatMap(([key, name]) => {
    const limit = value[key];
    const percent = isObject(limit) ? limit["used_percentage"] : undefined;
    if (typeof percent !== "number") return [];
    const style = percent >= 90 ? "error" : percent >= 75 ? "warning" : "success";
    const cells = Math.max(6, Math.min(40, columns - 34));
    const bar = theme.paint(style, barOf(percent / 100, cells, theme));
    return [countedRow(name, `${Math.round(percent)}%`, columns >= LEAST_BAR ? bar : "", columns)];
  });
  return rows.length === 0 ? [] : ["", theme.paint("bold", "Limits"), ...rows];
}
