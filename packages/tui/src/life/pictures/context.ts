// /context as a picture: what fills the model's context, as a field of cells and as bars.

import { isList, isObject } from "@keelson/protocol";
import { counted, shortCount } from "../../blocks/amounts.ts";
import { sign } from "../../blocks/look.ts";
import { cleanRow } from "../../screen/clean.ts";
import { fit, width, wrap } from "../../screen/rows.ts";
import type { Frame } from "../../screen/view.ts";
import type { StyleName, Theme } from "../../theme/theme.ts";
import { barOf } from "./bars.ts";

interface Category {
  readonly id: string;
  readonly name: string;
  readonly tokens: number;
  readonly kind: string;
}

/** Narrower windows have no shares in percent. */
const LEAST_SHARE = 34;

const STYLES: Readonly<Record<string, StyleName>> = {
  system_prompt: "accent",
  system_tools: "suggestion",
  mcp_tools: "keyword",
  custom_agents: "type",
  memory_files: "memory",
  skills: "string",
  messages: "success",
  autocompact_buffer: "warning",
};

/** `usage` is the answer to `get_context_usage`. */
export function renderContext(usage: unknown, frame: Frame): string[] {
  if (!isObject(usage)) return [];
  const { columns, theme } = frame;
  const max = number(usage["maxTokens"]);
  const used = number(usage["totalTokens"]);
  const categories = categoriesIn(usage["categories"]);
  const percent = max === 0 ? 0 : Math.round((used / max) * 100);
  const head = `${shortCount(used)} of ${shortCount(max)} tokens (${percent}%)`;
  const legend = categories.flatMap((category) => legendRow(category, max, theme, columns));
  const field = fieldRows(categories, max, columns, theme);
  const side = columns >= 72;
  const body = side ? sideBySide(field, legend, columns) : [...field, "", ...legend.map((row) => fit(row, columns))];
  return [
    theme.paint("bold", fit("Context", columns)),
    ...wrap(head, columns).map((row) => row.trimEnd()),
    fit(theme.paint("dim", cleanRow(String(usage["model"] ?? ""))), columns),
    "",
    ...body,
    ...listRows("Memory files", listIn(usage["memoryFiles"], "path"), columns, theme),
    ...listRows("MCP tools", listIn(usage["mcpTools"], "name"), columns, theme),
    ...listRows("Agents", listIn(usage["agents"], "agentType"), columns, theme),
    ...adviceRows(percent, usage, columns, theme),
  ];
}

const number = (value: unknown) => (typeof value === "number" && Number.isFinite(value) ? value : 0);

function categoriesIn(value: unknown): Category[] {
  if (!isList(value)) return [];
  return value.filter(isObject).map((each) => ({
    id: String(each["id"] ?? each["name"]),
    name: cleanRow(String(each["name"] ?? "")),
    tokens: number(each["tokens"]),
    kind: String(each["kind"] ?? "used"),
  }));
}

const styleOf = ({ id, kind }: Category): StyleName =>
  kind === "free" ? "dim" : (STYLES[id] ?? (kind === "buffer" ? "warning" : "text"));

const markOf = ({ kind }: Category, theme: Theme) =>
  sign(kind === "free" ? "hollowCell" : kind === "buffer" ? "empty" : "cell", theme);

/** Ten rows of twenty cells, or fewer where there is no room. Each category has at least one. */
function fieldRows(categories: readonly Category[], max: number, columns: number, theme: Theme): string[] {
  const across = columns >= 50 ? 20 : Math.max(1, Math.min(16, Math.floor((columns + 1) / 2)));
  const down = columns >= 50 ? 10 : 6;
  const total = across * down;
  if (max === 0) return [];
  const cells: string[] = [];
  const filled = categories.filter(({ kind, tokens }) => kind !== "free" && kind !== "buffer" && tokens > 0);
  const buffer = categories.filter(({ kind }) => kind === "buffer");
  const free = categories.find(({ kind }) => kind === "free") ?? FREE;
  const room = total - cellsOf(buffer, max, total);
  const add = (category: Category, count: number) => {
    for (let left = count; left > 0; left -= 1) cells.push(theme.paint(styleOf(category), markOf(category, theme)));
  };
  for (const category of filled) {
    add(category, Math.min(Math.max(1, Math.round((category.tokens / max) * total)), Math.max(0, room - cells.length)));
  }
  add(free, room - cells.length);
  for (const category of buffer) add(category, total - cells.length);
  return Array.from({ length: down }, (_, row) => cells.slice(row * across, (row + 1) * across).join(" "));
}

const FREE: Category = { id: "free_space", name: "Free space", tokens: 0, kind: "free" };

const cellsOf = (categories: readonly Category[], max: number, total: number) =>
  Math.round((categories.reduce((sum, { tokens }) => sum + tokens, 0) / max) * total);

function legendRow(category: Category, max: number, theme: Theme, columns: number): string[] {
  const share = max === 0 ? 0 : category.tokens / max;
  const mark = theme.paint(styleOf(category), markOf(category, theme));
  const isNarrow = columns < LEAST_SHARE;
  const wide = isNarrow ? Math.max(1, columns - 9) : 18;
  const name = fit(category.name, wide).padEnd(wide);
  const count = shortCount(category.tokens).padStart(6);
  const percent = `${(share * 100).toFixed(1)}%`.padStart(6);
  const bar = columns >= 100 ? `  ${theme.paint(styleOf(category), barOf(share, 16, theme))}` : "";
  return [`${mark} ${name} ${count}${isNarrow ? "" : ` ${theme.paint("dim", percent)}`}${bar}`];
}

function sideBySide(left: readonly string[], right: readonly string[], columns: number): string[] {
  const wide = Math.max(0, ...left.map(width));
  return Array.from({ length: Math.max(left.length, right.length) }, (_, index) => {
    const start = left[index] ?? "";
    const gap = " ".repeat(wide - width(start) + 3);
    return fit(right[index] === undefined ? start : start + gap + right[index], columns);
  });
}

interface Listed {
  readonly name: string;
  readonly tokens: number;
}

const listIn = (value: unknown, key: string): Listed[] =>
  (isList(value) ? value : [])
    .filter(isObject)
    .map((each) => ({ name: cleanRow(String(each[key] ?? "")), tokens: number(each["tokens"]) }))
    .toSorted((one, other) => other.tokens - one.tokens);

const MOST_LISTED = 6;

function listRows(title: string, items: readonly Listed[], columns: number, theme: Theme): string[] {
  if (items.length === 0) return [];
  const rows = items.slice(0, MOST_LISTED).map(({ name, tokens }) => {
    const count = shortCount(tokens).padStart(6);
    return `  ${theme.paint("dim", count)} ${fit(name, Math.max(1, columns - 10))}`;
  });
  const more = items.length - rows.length;
  return [
    "",
    theme.paint("bold", fit(title, columns)),
    ...rows,
    ...(more > 0 ? [theme.paint("dim", `         and ${more} more`)] : []),
  ];
}

function adviceRows(percent: number, usage: Record<string, unknown>, columns: number, theme: Theme): string[] {
  const threshold = number(usage["autoCompactThreshold"]);
  if (percent < 60 && threshold === 0) return [];
  const left = threshold - number(usage["totalTokens"]);
  if (threshold > 0 && percent < 60) {
    return ["", theme.paint("dim", fit(`Automatic compaction in ${shortCount(Math.max(0, left))} tokens`, columns))];
  }
  const largest = listIn(usage["mcpTools"], "name").length;
  const hint =
    largest > 20 ? `${counted(largest, "MCP tool")} take room: /mcp can turn servers off` : "/compact makes room";
  return ["", theme.paint("warning", fit(hint, columns))];
}
