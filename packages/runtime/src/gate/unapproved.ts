// What is said about a call that needed approval, which nobody could give: to the model how to go on, to the user how to
// allow it. Loaded with the first such call.

import type { Permission, PermitRequest } from "@keelson/engine";
import { andRule, allowingRules } from "@keelson/engine/gate";
import type { PermissionUpdate } from "@keelson/protocol";
import type { OpenQuestion } from "./ask.ts";

const NO_APPROVER = "No one is available to approve it in this session.";

/** `message` is for the model. What the user can do about it is in `waysToAllow`, and in `forPeople`. */
export function noApprover(
  { access }: PermitRequest,
  { by, reason, suggestions }: OpenQuestion,
  unasked = NO_APPROVER,
): Permission {
  const message = `${sentence(access.kind === "skill" ? `The skill ${access.skill} needs approval` : reason)} `;
  const how = waysToAllow(suggestions);
  const forPeople = `${message}${unasked}${how === undefined ? "" : ` To allow it, use ${how}.`}`;
  const denial = { behavior: "deny", unanswered: true, by, forPeople } as const;
  if (by === "mode" && access.kind === "edit") return { ...denial, message: `${message}${PLAN_IT}` };
  const plan = by === "mode" ? "put it into the plan if it belongs there, or " : "";
  const read = access.kind === "skill" && access.file !== undefined ? ` You can still read ${access.file}.` : "";
  return {
    ...denial,
    message: `${message}${unasked} Do not retry it: ${plan}go on without it, and say at the end what was left undone${andRule(suggestions)}.${read}`,
  };
}

const PLAN_IT = "Plan mode changes nothing: put the change into the plan.";

const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);

/** What the user can do so that such a call runs. */
export function waysToAllow(suggestions: readonly PermissionUpdate[]): string | undefined {
  const rule = allowingRules(suggestions);
  const ways = suggestions.flatMap((update) => {
    if (update.type === "setMode") return [`--permission-mode ${update.mode}`];
    return update.type === "addDirectories" ? update.directories.map((folder) => `--add-dir '${folder}'`) : [];
  });
  const all = [
    ...(rule === undefined ? [] : [`${rule} (--allowedTools, or permissions.allow in the settings)`]),
    ...ways,
  ];
  return all.length === 0 ? undefined : all.join(" or ");
}
