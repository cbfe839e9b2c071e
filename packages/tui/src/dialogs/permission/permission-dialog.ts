// The dialog that asks whether a tool call may run: yes, yes and remember, no. Always in this order.

import type { PermissionAsk } from "@keelson/client";
import type { JsonObject } from "@keelson/protocol";
import type { Panel } from "../../screen/view.ts";
import { answering, ChoicePanel } from "../../widgets/choice-panel.ts";
import type { Hint } from "../../widgets/heading.ts";
import type { Choice } from "../../widgets/select-list.ts";
import { plainNo, reply, type DialogAnswer, type DialogContext } from "../dialog-context.ts";
import { showRow } from "../visible.ts";
import { permissionBody, subjectOf } from "./body.ts";
import { describe } from "./describe.ts";
import { explanation } from "./explain.ts";
import { rememberOf, type Remember } from "./remember.ts";

type Answer = "yes" | "remember" | "no";

export function permissionDialog(ask: PermissionAsk, context: DialogContext): Panel<DialogAnswer> {
  const { keys, plain } = context;
  const described = describe(ask, context);
  const remember = rememberOf(ask, context);
  const choices = choicesFor(remember, keys.keyFor("confirm:cycleMode"));
  const body = permissionBody(ask, described, context);
  let explained: Promise<void> | undefined;
  let told: string | undefined = context.explain ? "Looking at the rules…" : undefined;
  const whole = () => explanation(ask, { remember, told, subject: subjectOf(ask, described, context) });
  const askWhy = async () => {
    told = await context.explain?.({ tool: ask.tool, input: ask.input }).catch(() => undefined);
    panel.explains(whole());
    context.redraw?.();
  };
  const panel = new ChoicePanel<Answer>({
    keys,
    heading: { title: described.title, style: "warning", plain, ...askedBy(ask) },
    body,
    ...(ask.patch ? { opensAt: firstChange } : {}),
    explanation: () => {
      explained ??= askWhy();
      return whole();
    },
    question: described.question,
    choices,
    marked: ask.defaultToNo ? choices.length - 1 : 0,
    listensTo: remember?.edits ? ["confirm:cycleMode"] : [],
    hints: HINTS,
    wasTyping: context.isTyping,
  });
  const allow = (updates: Remember["updates"] = []): JsonObject => ({
    behavior: "allow",
    updatedInput: ask.input,
    ...(updates.length > 0 ? { updatedPermissions: updates } : {}),
  });
  return answering(panel, (result): DialogAnswer => {
    if (result.kind === "cancelled") return plainNo();
    if (result.kind === "action" || result.value === "remember") return reply(allow(remember!.updates));
    if (result.value === "yes") return reply(allow(), ...noted(result.text));
    return result.text === "" ? plainNo() : reply({ behavior: "deny", message: instead(result.text) });
  });
}

/** The first line of a diff that was added or removed, with a row of what is above it. */
function firstChange(rows: readonly string[]): number {
  return Math.max(
    0,
    rows.findIndex((row) => /^[│|] +\d+ [+-] /.test(Bun.stripANSI(row))),
  );
}

function choicesFor(remember: Remember | undefined, editsKey: string | undefined): Choice<Answer>[] {
  const yes: Choice<Answer> = {
    value: "yes",
    label: "Yes",
    field: { opens: "tab", placeholder: "something to tell the model with the result" },
  };
  const no: Choice<Answer> = {
    value: "no",
    label: "No",
    takesTyping: true,
    field: { opens: "tab", placeholder: "what the model should do instead" },
  };
  if (!remember) return [yes, no];
  const { label, description, edits } = remember;
  const key = edits && editsKey !== undefined ? ` (${editsKey})` : "";
  return [yes, { value: "remember", label: `${label}${key}`, ...(description ? { description } : {}) }, no];
}

const HINTS: readonly Hint[] = [
  { action: "confirm:yes", does: "choose" },
  { action: "confirm:nextField", does: "add a note" },
  { action: "confirm:toggleExplanation", does: "explain" },
  { action: "confirm:no", does: "no" },
];

export function askedBy({ agent, isTeammate }: PermissionAsk): { readonly aside?: string } {
  return agent === undefined ? {} : { aside: `${isTeammate ? "teammate" : "subagent"} ${showRow(agent)}` };
}

/** What the user wrote next to a yes. */
export const noted = (text: string) => (text === "" ? [] : [{ kind: "prompt", text } as const]);

/** The reason of a no. */
export const instead = (text: string) => `The user did not allow this call. What to do instead: ${text}`;
