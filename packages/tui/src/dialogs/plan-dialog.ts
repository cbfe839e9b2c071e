// Approval of a plan: start with edits accepted, start and ask for each edit, or continue planning.

import type { PermissionAsk } from "@keelson/client";
import type { JsonObject, PermissionMode } from "@keelson/protocol";
import type { Panel } from "../screen/view.ts";
import { answering, ChoicePanel } from "../widgets/choice-panel.ts";
import { barred, type Hint } from "../widgets/heading.ts";
import type { Choice } from "../widgets/select-list.ts";
import { plainNo, reply, type DialogAnswer, type DialogContext } from "./dialog-context.ts";
import { askedBy, noted } from "./permission/permission-dialog.ts";
import { shortPath } from "./visible.ts";

type Answer = "acceptEdits" | "default" | "revise" | "no";

export function planDialog(ask: PermissionAsk, context: DialogContext): Panel<DialogAnswer> {
  const { keys, plain } = context;
  const given = typeof ask.input["plan"] === "string" ? ask.input["plan"] : "";
  const plan = context.plan ?? given;
  const path = typeof ask.input["planFilePath"] === "string" ? ask.input["planFilePath"] : undefined;
  const isEmpty = plan.trim() === "";
  const panel = new ChoicePanel<Answer>({
    keys,
    heading: { title: isEmpty ? "Leave plan mode" : "Approve the plan", style: "planMode", plain, ...askedBy(ask) },
    body: (columns, theme) => {
      if (isEmpty) return [theme.paint("dim", "  There is no plan yet.")];
      const rows = barred(context.markdown(plan, columns - 2, theme), theme);
      return path === undefined ? rows : [...rows, theme.paint("dim", `  ${shortPath(path, context)}`)];
    },
    question: isEmpty ? "Leave plan mode without a plan?" : "Start with this plan?",
    choices: isEmpty ? EMPTY_CHOICES : choicesFor(keys.keyFor("confirm:cycleMode")),
    listensTo: isEmpty ? [] : ["chat:externalEditor", "confirm:cycleMode"],
    wasTyping: context.isTyping,
    hints: isEmpty ? HINTS.filter(({ action }) => action !== "chat:externalEditor") : HINTS,
  });

  const approve = (mode: PermissionMode, text: string) => {
    const setMode: JsonObject = { type: "setMode", mode, destination: "session" };
    const updatedInput = isEmpty ? ask.input : { ...ask.input, plan };
    return reply({ behavior: "allow", updatedInput, updatedPermissions: [setMode] }, ...noted(text));
  };
  return answering(panel, (result): DialogAnswer => {
    if (result.kind === "action") {
      if (result.action === "confirm:cycleMode") return approve("acceptEdits", panel.list.textOf(2).trim());
      return { kind: "edit-plan", plan, ...(path === undefined ? {} : { path }) };
    }
    if (result.kind === "cancelled" || result.value === "no") return plainNo();
    if (result.value !== "revise") return approve(result.value, result.text);
    return result.text === "" ? plainNo() : reply({ behavior: "deny", message: revise(result.text) });
  });
}

const choicesFor = (editsKey: string | undefined): readonly Choice<Answer>[] => [
  {
    value: "acceptEdits",
    label: `Yes, and accept edits${editsKey === undefined ? "" : ` (${editsKey})`}`,
    description: "Files in the project are changed without asking",
  },
  { value: "default", label: "Yes, and ask for each edit" },
  {
    value: "revise",
    label: "No, keep planning",
    takesTyping: true,
    field: { opens: "marked", placeholder: "what to change in the plan" },
  },
];

const EMPTY_CHOICES: readonly Choice<Answer>[] = [
  { value: "default", label: "Yes" },
  { value: "no", label: "No", takesTyping: true },
];

const HINTS: readonly Hint[] = [
  { action: "confirm:yes", does: "choose" },
  { action: "chat:externalEditor", does: "edit the plan" },
  { action: "confirm:no", does: "keep planning" },
];

const revise = (text: string) =>
  `The user wants to keep planning. Stay in plan mode, change the plan, and ask again. What to change: ${text}`;
