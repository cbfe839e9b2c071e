// Whether a client's answer to a question can decide it. One that cannot is kept back while another client may give a
// better one; it counts, as what it is, only when no one else is left.

import { isObject, type ControlResponse } from "@keelson/protocol";
import { isPermissionAnswer } from "../gate/ask.ts";
import { isElicitationAnswer } from "../mcp/connect/elicit.ts";

const DIALOG_ENDS: readonly unknown[] = ["completed", "cancelled"];

export function isValidAnswer(subtype: string, answer: ControlResponse["response"]): boolean {
  if (answer.subtype === "error") return false;
  const { response } = answer;
  switch (subtype) {
    case "can_use_tool":
      return isPermissionAnswer(response);
    case "elicitation":
      return isElicitationAnswer(response);
    case "request_user_dialog":
      return isObject(response) && DIALOG_ENDS.includes(response["behavior"]);
    default:
      return true;
  }
}
