// Answers every question of the gate: whoever is attached decides, and where nobody can be asked, the answer is no.
// This is not a front end's duty, so no front end can forget it.

import type { Decider, GateDecision, Permission, PermitRequest } from "@keelson/engine";
import { isObject, type ControlResponse, type JsonObject, type PermissionUpdate } from "@keelson/protocol";

type Question = GateDecision & { readonly behavior: "ask" };

/** The `can_use_tool` channel to a client that said it will answer. */
export type AskPerson = (body: { subtype: string; [key: string]: unknown }) => Promise<ControlResponse["response"]>;

export async function answer(
  request: PermitRequest,
  question: Question,
  askPerson: AskPerson | undefined,
  accept: (updates: readonly PermissionUpdate[]) => void,
): Promise<Permission> {
  if (!askPerson) return { behavior: "deny", by: question.by, message: nobody(question.reason) };
  const reply = await askPerson({
    subtype: "can_use_tool",
    tool_name: request.tool.name,
    display_name: request.tool.name,
    input: request.input,
    ...(typeof request.input["description"] === "string" ? { description: request.input["description"] } : {}),
    permission_suggestions: question.suggestions,
    ...(question.blockedPath === undefined ? {} : { blocked_path: question.blockedPath }),
    decision_reason: question.reason,
    decision_reason_type: question.reasonType ?? reasonType(question.by),
    ...(request.access.kind === "person" ? { requires_user_interaction: true } : {}),
    tool_use_id: request.call.id,
  });
  if (reply.subtype === "error") {
    return { behavior: "deny", by: "person", message: `Tool permission request failed: ${reply.error}` };
  }
  return readAnswer(reply.response, request.input, accept);
}

/** What clients call the reason. */
export function reasonType(by: Decider): string {
  return by === "protected" ? "safetyCheck" : by;
}

function readAnswer(
  response: unknown,
  asked: JsonObject,
  accept: (updates: readonly PermissionUpdate[]) => void,
): Permission {
  if (isObject(response) && response["behavior"] === "allow") {
    const input = response["updatedInput"] ?? response["updated_input"] ?? asked;
    const updates = response["updatedPermissions"] ?? response["updated_permissions"];
    if (Array.isArray(updates)) accept(updates as PermissionUpdate[]);
    const source = Array.isArray(updates) && updates.length > 0 ? "user_permanent" : "user_temporary";
    return { behavior: "allow", by: "person", source, input: input as JsonObject };
  }
  if (isObject(response) && response["behavior"] === "deny" && typeof response["message"] === "string") {
    const interrupt = response["interrupt"] === true;
    return { behavior: "deny", by: "person", message: response["message"], interrupt };
  }
  return { behavior: "deny", by: "person", message: "Tool permission request failed: the answer was not understood" };
}

const nobody = (reason: string) =>
  `${/[.!?]$/.test(reason) ? reason : `${reason}.`} Nobody can be asked in this session. To allow it, start with --allowedTools, a wider --permission-mode, or an allow rule in the settings.`;
