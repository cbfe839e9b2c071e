// Approval of a plan: start and accept edits, start and ask for each, or continue planning.

import type { PermissionAsk } from "@keelson/client";
import type { JsonObject } from "@keelson/protocol";
import type { PermissionOption } from "../schema/types.ts";
import { textContent } from "../updates/call-content.ts";
import { callFields, textAt } from "./asked-call.ts";
import { choiceQuestion, type QuestionStep, type QuestionContext } from "./question.ts";

const OPTIONS: readonly PermissionOption[] = [
  { optionId: "acceptEdits", name: "Yes, and accept edits", kind: "allow_always" },
  { optionId: "default", name: "Yes, and ask for each edit", kind: "allow_once" },
  { optionId: "keep_planning", name: "No, keep planning", kind: "reject_once" },
];

const KEEP_PLANNING: JsonObject = {
  behavior: "deny",
  message: "The user wants to keep planning. Stay in plan mode, and ask again when the plan has changed.",
};

export function planQuestion(asked: PermissionAsk, context: QuestionContext): QuestionStep {
  const { input } = asked;
  const plan = textAt(input, "plan") ?? "There is no plan yet.";
  const path = textAt(input, "planFilePath");
  const content = [textContent(plan), ...(path === undefined ? [] : [textContent(`The plan is in ${path}`)])];
  const fields = callFields(asked, context, content);
  const toolCall = { ...fields, title: "Approve the plan", kind: "switch_mode" as const };
  const ask = choiceQuestion({ sessionId: context.sessionId, toolCall, options: OPTIONS }, (option) => {
    if (option === undefined || option.optionId === "keep_planning") return { reply: KEEP_PLANNING };
    const setMode: JsonObject = { type: "setMode", mode: option.optionId, destination: "session" };
    return { reply: { behavior: "allow", updatedInput: input, updatedPermissions: [setMode] } };
  });
  return { ask };
}
