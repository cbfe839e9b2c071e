// A subagent as a compact tree: what it is doing, how much it did, what it answered.

import type { AgentCall, CallItem, SubagentProgress } from "@keelson/client";
import { isObject } from "@keelson/protocol";
import { fit } from "../../screen/rows.ts";
import { counted, elapsed, shortCount } from "../amounts.ts";
import { renderMarkdown } from "../../markdown/render-markdown.ts";
import { errorRows, folded, moreRow } from "../fold.ts";
import { sign, type ItemLook } from "../look.ts";
import { titleOf } from "./titles.ts";

const MOST_CALLS = 3;

export function renderAgent(call: CallItem, columns: number, look: ItemLook): string[] {
  const { theme } = look;
  const { result, agent } = call;
  if (look.whole) return wholeRows(call, columns, look);
  if (result?.isError) return failureRows(result.text, columns, look);
  if (result && hasJustBegun(call)) return answer(call, columns, look);
  if (result) return [theme.paint("dim", fit(`Done: ${totals(call)}`, columns)), ...answer(call, columns, look)];
  if (call.state === "pending") return [theme.paint("dim", "Being written…")];
  const time = elapsed(look.now - call.startedMs);
  const used = agent && countOf(agent) > 0 ? ` · ${amounts(agent)}` : "";
  return [
    theme.paint("dim", fit(`Working… ${time}${used}`, columns)),
    ...(agent ? callRows(agent, columns, look) : []),
  ];
}

/** It works on its own from now on. */
function hasJustBegun({ result }: CallItem): boolean {
  const status = isObject(result?.output) ? result.output["status"] : undefined;
  return status === "teammate_spawned" || status === "async_launched";
}

/** For viewers: what it was told, what is known of what it did, and its answer. */
function wholeRows(call: CallItem, columns: number, look: ItemLook): string[] {
  const { theme } = look;
  const { result, agent, input } = call;
  const told = typeof input["prompt"] === "string" ? folded(input["prompt"], columns, look) : [];
  return [
    ...told.map((row) => theme.paint("dim", row)),
    ...(agent ? callRows(agent, columns, look, { most: Infinity }) : []),
    ...(result ? [theme.paint("dim", fit(totals(call), columns))] : []),
    ...(result?.isError ? failureRows(result.text, columns, look) : result ? answer(call, columns, look) : []),
  ];
}

/** What the model is told when an agent did not end, and what the agent had said by then. */
const UNFINISHED = /^([\s\S]*?)\n\nWhat it said before that, which is not finished:\n([\s\S]*)$/;

/** Without the id, by which the model knows it. */
function failureRows(text: string, columns: number, look: ItemLook): string[] {
  const [, why = text, said = ""] = UNFINISHED.exec(text) ?? [];
  const plain = why.replace(/ \(agentId: [^)\s]*\)/, "");
  const wasStopped = plain.startsWith("The agent was stopped");
  const head = wasStopped ? [look.theme.paint("warning", "Stopped")] : errorRows(plain, columns, look);
  return said === "" ? head : [...head, ...saidRows(said, columns, look)];
}

/** The newest calls, those of its own subagents below them. */
function callRows(
  run: SubagentProgress,
  columns: number,
  look: ItemLook,
  { most = MOST_CALLS, indent = "" } = {},
): string[] {
  const { theme } = look;
  const shown = run.calls.slice(-most);
  return shown.flatMap((each, index) => {
    const isLast = index === shown.length - 1;
    const branch = sign(isLast ? "lastBranch" : "branch", theme);
    const text = `${indent}${branch} ${callText(each)}`;
    const row = theme.paint(STYLES[each.state], fit(text, columns));
    const below = isLast ? "   " : `${sign("trunk", theme)}  `;
    return [
      row,
      ...(each.run && each.state === "running" ? callRows(each.run, columns, look, { indent: indent + below }) : []),
    ];
  });
}

const STYLES = { running: "text", done: "dim", failed: "error" } as const;

function callText(call: AgentCall): string {
  const { name, about } = titleOf(call);
  return about === "" ? name : `${name}(${about})`;
}

const countOf = ({ seen, reported }: SubagentProgress) => Math.max(seen, reported);

function amounts(run: SubagentProgress): string {
  return counted(countOf(run), "call") + (run.tokens ? `, ${shortCount(run.tokens)} tokens` : "");
}

function totals({ result, agent, durationMs }: CallItem): string {
  const output = isObject(result?.output) ? result.output : {};
  const number = (key: string) => (typeof output[key] === "number" ? (output[key] as number) : undefined);
  const calls = number("totalToolUseCount") ?? (agent ? countOf(agent) : 0);
  const used = number("totalTokens") ?? agent?.tokens;
  const ms = number("totalDurationMs") ?? durationMs ?? 0;
  return [counted(calls, "call"), ...(used ? [`${shortCount(used)} tokens`] : []), elapsed(ms)].join(", ");
}

const TRAILER = /\n*(?:agentId: [^\n]*\n?)?(?:<usage>[\s\S]*<\/usage>)?\s*$/;

const MOST_ANSWER_ROWS = 5;

const answer = ({ result }: CallItem, columns: number, look: ItemLook) =>
  saidRows(result!.text.replace(TRAILER, ""), columns, look);

/** What an agent says is Markdown. */
function saidRows(text: string, columns: number, look: ItemLook): string[] {
  const rows = renderMarkdown(text.trim(), columns, look.theme);
  if (look.whole || rows.length <= MOST_ANSWER_ROWS + 1) return rows;
  const hidden = rows.slice(MOST_ANSWER_ROWS).filter((row) => row !== "").length;
  return [...rows.slice(0, MOST_ANSWER_ROWS), moreRow(hidden, columns, look, "row")];
}
