// For tests of dialogs: requests as a session sends them, and a context.

import type { ControlRequest, JsonObject } from "@keelson/protocol";
import { clean } from "../screen/clean.ts";
import { fit } from "../screen/rows.ts";
import { defaultKeys } from "../widgets/key-lookup.ts";
import type { Dialog, DialogAnswer, DialogContext } from "./dialog-context.ts";
import { openDialog } from "./open-dialog.ts";

export const context: DialogContext = {
  cwd: "/home/u/p",
  home: "/home/u",
  keys: defaultKeys,
  openedAt: 0,
  diff: ({ hunks }, columns) =>
    hunks
      .flatMap(({ lines }) => lines.map((line) => `${line.slice(0, 1)} ${line.slice(1)}`))
      .map((row) => fit(clean(row), columns)),
  markdown: (text, columns) =>
    clean(text)
      .split("\n")
      .map((row) => fit(row, columns)),
};

export function asks(tool: string, input: JsonObject, more: JsonObject = {}): ControlRequest {
  return {
    type: "control_request",
    request_id: "r1",
    request: {
      subtype: "can_use_tool",
      tool_name: tool,
      input,
      permission_suggestions: [],
      tool_use_id: "t1",
      ...more,
    },
  };
}

/** A patch as it comes with a question, of lines with their signs. */
export const patchOf = (path: string, lines: readonly string[], more: JsonObject = {}): JsonObject => {
  const count = (sign: string) => lines.filter((line) => !line.startsWith(sign)).length;
  const hunk = { oldStart: 1, oldLines: count("+"), newStart: 1, newLines: count("-"), lines: [...lines] };
  return { patch: { path, hunks: [hunk], ...more } };
};

export function requests(subtype: string, fields: JsonObject): ControlRequest {
  return { type: "control_request", request_id: "r1", request: { ...fields, subtype } as ControlRequest["request"] };
}

export function dialogFor(request: ControlRequest, more: Partial<DialogContext> = {}): Dialog {
  return openDialog(request, { ...context, ...more })!;
}

/** The payload of an answer. */
export function responseOf(answer: DialogAnswer | undefined): JsonObject | undefined {
  return answer?.kind === "reply" ? answer.response : undefined;
}

export const allowRule = (toolName: string, ruleContent: string, destination = "localSettings"): JsonObject => ({
  type: "addRules",
  rules: [{ toolName, ruleContent }],
  behavior: "allow",
  destination,
});
export const acceptEdits: JsonObject = { type: "setMode", mode: "acceptEdits", destination: "session" };
