// A tool call: who decided about it, how it ended, and what it changed.

import { isObject, textOf } from "@keelson/protocol";
import { changedLines } from "../../../model/cost.ts";
import type { EndedCall } from "../../call-watch.ts";
import type { Fact } from "../../facts.ts";
import type { TelemetryPlan } from "../plan.ts";
import { LONGEST_TEXT, type Reporter } from "../reporter.ts";
import { agentLabel } from "./agent-label.ts";
import { decisionSource, editLanguage, inputText, parametersOf, reportedTool } from "./tool-facts.ts";

const EDITS = new Set(["Edit", "MultiEdit", "Write", "NotebookEdit"]);

/** `spanId` is that of the call. */
export function reportDecision(
  { count, event, span }: Reporter,
  { logs }: TelemetryPlan,
  { request, permission, at, ms, agent }: Extract<Fact, { type: "permission" }>,
  spanId: string,
): void {
  const { tool, input, call } = request;
  const tool_name = reportedTool(tool.name, logs.toolDetails);
  const decision = decisionOf(permission);
  const source = decisionSource(permission);
  event("tool_decision", at, { tool_name, tool_use_id: call.id, decision, source });
  if (EDITS.has(tool.name)) {
    count("claude_code.code_edit_tool.decision", 1, { tool_name, decision, source, language: editLanguage(input) });
  }
  const own = { tool_name, decision, source, duration_ms: Math.round(ms), ...agentLabel(agent?.id) };
  if (ms >= 1) span("tool.blocked_on_user", { startMs: at - ms, endMs: at }, own, { parentSpanId: spanId });
}

const decisionOf = ({ behavior }: { readonly behavior: string }) => (behavior === "allow" ? "accept" : "reject");

/** `model` is the one that made the call. */
export function reportCall(
  reporter: Reporter,
  { logs }: TelemetryPlan,
  ended: EndedCall,
  { spanId, model }: { readonly spanId: string; readonly model: string },
): void {
  const { id, tool, input, startMs, endMs, ran, permission, result, output, agent } = ended;
  const tool_name = reportedTool(tool, logs.toolDetails);
  const success = result.is_error !== true;
  const text = typeof result.content === "string" ? result.content : textOf(result.content ?? []);
  const duration_ms = Math.round(ran?.ms ?? 0);
  reporter.event("tool_result", endMs, {
    tool_name,
    tool_use_id: id,
    success: String(success),
    duration_ms,
    ...(success ? {} : { error: logs.toolDetails ? text.slice(0, 1_000) : "error" }),
    ...(permission ? { decision_type: decisionOf(permission), decision_source: decisionSource(permission) } : {}),
    tool_input_size_bytes: Buffer.byteLength(JSON.stringify(input) ?? ""),
    tool_result_size_bytes: Buffer.byteLength(text),
    ...(logs.toolDetails ? { tool_parameters: parametersOf(tool, input), tool_input: inputText(input) } : {}),
  });
  countChanges(reporter, output, model);
  if (tool === "Bash" && success) countGitWork(reporter, input);

  const error = success ? undefined : "The tool failed";
  const attributes = {
    tool_name,
    tool_use_id: id,
    success,
    duration_ms,
    ...agentLabel(agent?.id),
    ...(logs.toolDetails ? { tool_parameters: parametersOf(tool, input) } : {}),
    ...(logs.toolContent ? { tool_input: inputText(input, LONGEST_TEXT), tool_output: text } : {}),
  };
  reporter.span("tool", { startMs, endMs }, attributes, { spanId, error });
  if (ran === undefined) return;
  const execution = { tool_name, success, duration_ms };
  reporter.span("tool.execution", { startMs: ran.endMs - ran.ms, endMs: ran.endMs }, execution, {
    parentSpanId: spanId,
    error,
  });
}

function countChanges({ count }: Reporter, output: unknown, model: string): void {
  const { added, removed } = changedLines(output);
  count("claude_code.lines_of_code.count", added, { type: "added", model });
  count("claude_code.lines_of_code.count", removed, { type: "removed", model });
}

function countGitWork({ count }: Reporter, input: unknown): void {
  const command = isObject(input) && typeof input["command"] === "string" ? input["command"] : "";
  if (/\bgit\b[^|;&\n]*\scommit\b(?![^|;&\n]*--dry-run)/.test(command)) count("claude_code.commit.count", 1);
  if (/\b(?:gh\s+pr|glab\s+mr)\s+create\b/.test(command)) count("claude_code.pull_request.count", 1);
}
