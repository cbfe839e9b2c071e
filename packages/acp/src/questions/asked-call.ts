// The call that a question is about: what it does in full, why someone is asked, and who makes it.

import { resolve } from "node:path";
import { callLine, labelOf, readPatch } from "@keelson/client";
import { isObject, type JsonObject, type Unchecked } from "@keelson/protocol";
import type { ToolCallContent, ToolCallFields } from "../schema/types.ts";
import { diffsOf, titleLine, plannedContent, textContent } from "../updates/call-content.ts";
import { fencedText } from "../updates/fence.ts";
import type { QuestionContext } from "./question.ts";

export type AskedCall = Unchecked<"can_use_tool">;

export const inputOf = ({ input }: AskedCall): JsonObject => (isObject(input) ? (input as JsonObject) : {});

export const textAt = (object: object, field: string): string | undefined => {
  const value: unknown = Reflect.get(object, field);
  return typeof value === "string" && value !== "" ? value : undefined;
};

export function callFields(request: AskedCall, context: QuestionContext, content?: readonly ToolCallContent[]) {
  const id = textAt(request, "tool_use_id") ?? "";
  const name = textAt(request, "tool_name") ?? "";
  const input = inputOf(request);
  const shown = context.shown?.(id);
  const label = labelOf({ name, input }, undefined, context.cwd);
  const agent = textAt(request, "agent_type") ?? textAt(request, "agent_id");
  const known = shown !== undefined && shown.title !== name ? shown.title : undefined;
  const title = known ?? titleLine(callLine({ name, input }, label));
  const locations = label.locations.map((place) => ({ ...place, path: resolve(context.cwd, place.path) }));
  const parent: unknown = isObject(shown?._meta?.["claudeCode"])
    ? shown._meta["claudeCode"]["parentToolUseId"]
    : undefined;
  const fields: ToolCallFields = {
    toolCallId: id,
    name,
    title: agent === undefined ? title : `${title} (${agentWord(request)} ${agent})`,
    kind: shown?.kind ?? label.kind,
    // States only go forward.
    ...(shown?.status === "in_progress" ? {} : { status: "pending" as const }),
    rawInput: input,
    locations: shown?.locations?.length ? shown.locations : locations,
    content: content ?? [...doing(request, name, input, context.cwd), ...reasons(request)],
    _meta: { claudeCode: { toolName: name, ...(typeof parent === "string" ? { parentToolUseId: parent } : {}) } },
  };
  return fields;
}

/** The id of a teammate is `name@team`. */
const agentWord = (request: AskedCall) => (textAt(request, "agent_id")?.includes("@") ? "teammate" : "subagent");

/** All of it: nothing may run that was not shown. */
function doing(request: AskedCall, name: string, input: JsonObject, cwd: string): readonly ToolCallContent[] {
  const patch = readPatch(request.patch);
  const whole = textAt(input, "content");
  if (patch) return diffsOf(patch, cwd, whole);
  const planned = plannedContent(name, input, cwd);
  if (planned.length > 0) return planned;
  const command = textAt(input, "command");
  const { command: _, description, ...rest } = input;
  if (command === undefined) return Object.keys(input).length === 0 ? [] : [json(input)];
  return [
    textContent(fencedText(command, "sh")),
    ...(typeof description === "string" && description !== "" ? [textContent(description)] : []),
    ...(Object.keys(rest).length === 0 ? [] : [json(rest)]),
  ];
}

const json = (value: object) => textContent(fencedText(JSON.stringify(value, null, 2), "json"));

function reasons(request: AskedCall): readonly ToolCallContent[] {
  const { matched_ask_rule: rule, decision_reason_is_default: isDefault } = request;
  const reason = isDefault === true ? undefined : textAt(request, "decision_reason");
  const blocked = textAt(request, "blocked_path");
  const server = isObject(request.mcp_server) ? request.mcp_server : {};
  const lines = [
    reason,
    isObject(rule)
      ? `Asked by the rule ${shownRule(textAt(rule, "tool_name") ?? "", textAt(rule, "rule_content"))} of ${textAt(rule, "source") ?? "the settings"}`
      : undefined,
    blocked === undefined ? undefined : `Path: ${blocked}`,
    textAt(server, "name") === undefined
      ? undefined
      : `MCP server: ${textAt(server, "name")}${textAt(server, "source") === undefined ? "" : ` (${textAt(server, "source")})`}`,
  ].filter((line) => line !== undefined);
  return lines.length === 0 ? [] : [textContent(lines.join("\n\n"))];
}

export const shownRule = (tool: string, content: string | undefined) =>
  content === undefined ? tool : `${tool}(${content})`;
