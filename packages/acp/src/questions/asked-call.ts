// The call that a question is about: what it does in full, why someone is asked, and who makes it.

import { resolve } from "node:path";
import { callLine, labelOf, type PermissionAsk } from "@keelson/client";
import { isObject } from "@keelson/protocol";
import type { ToolCallContent, ToolCallFields } from "../schema/types.ts";
import { diffsOf, titleLine, plannedContent, textContent } from "../updates/call-content.ts";
import { fencedText } from "../updates/fence.ts";
import type { QuestionContext } from "./question.ts";

export const textAt = (object: object, field: string): string | undefined => {
  const value: unknown = Reflect.get(object, field);
  return typeof value === "string" && value !== "" ? value : undefined;
};

export function callFields(asked: PermissionAsk, context: QuestionContext, content?: readonly ToolCallContent[]) {
  const { id, tool: name, input, agent } = asked;
  const shown = context.shown?.(id);
  const label = labelOf({ name, input }, undefined, context.cwd);
  const known = shown !== undefined && shown.title !== name ? shown.title : undefined;
  const title = known ?? titleLine(callLine({ name, input }, label));
  const locations = label.locations.map((place) => ({ ...place, path: resolve(context.cwd, place.path) }));
  const parent: unknown = isObject(shown?._meta?.["claudeCode"])
    ? shown._meta["claudeCode"]["parentToolUseId"]
    : undefined;
  const fields: ToolCallFields = {
    toolCallId: id,
    name,
    title: agent === undefined ? title : `${title} (${asked.isTeammate ? "teammate" : "subagent"} ${agent})`,
    kind: shown?.kind ?? asked.kind,
    // States only go forward.
    ...(shown?.status === "in_progress" ? {} : { status: "pending" as const }),
    rawInput: input,
    locations: shown?.locations?.length ? shown.locations : locations,
    content: content ?? [...doing(asked, context.cwd), ...reasons(asked)],
    _meta: { claudeCode: { toolName: name, ...(typeof parent === "string" ? { parentToolUseId: parent } : {}) } },
  };
  return fields;
}

/** All of it: nothing may run that was not shown. */
function doing({ tool, input, patch }: PermissionAsk, cwd: string): readonly ToolCallContent[] {
  const whole = textAt(input, "content");
  if (patch) return diffsOf(patch, cwd, whole);
  const planned = plannedContent(tool, input, cwd);
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

function reasons({ reason, isReasonDefault, askRule, blockedPath, server }: PermissionAsk): readonly ToolCallContent[] {
  const lines = [
    isReasonDefault ? undefined : reason,
    askRule && `Asked by the rule ${askRule.rule} of ${askRule.source || "the settings"}`,
    blockedPath && `Path: ${blockedPath}`,
    server?.name && `MCP server: ${server.name}${server.source === undefined ? "" : ` (${server.source})`}`,
  ].filter((line) => line !== undefined && line !== "");
  return lines.length === 0 ? [] : [textContent(lines.join("\n\n"))];
}
