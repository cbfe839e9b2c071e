// Passes a `can_use_tool` request to the caller's function. Anything but a valid answer is an error, which denies.

import { isObject } from "@keelson/protocol";
import type { RequestContext } from "../control/control-request.ts";
import { NO_ANSWER, type RequestBody } from "../control/control-request.ts";
import type { CanUseTool, PermissionUpdate } from "./permissions.ts";

export async function askPermission(canUseTool: CanUseTool | undefined, request: RequestBody, asked: RequestContext) {
  if (canUseTool === undefined) throw new Error("canUseTool callback is not provided.");
  const result = await canUseTool(String(request["tool_name"]), inputOf(request), {
    signal: asked.signal,
    requestId: asked.requestId,
    toolUseID: String(request["tool_use_id"]),
    ...present("suggestions", request["permission_suggestions"] as PermissionUpdate[] | undefined),
    ...present("blockedPath", request["blocked_path"] as string | undefined),
    ...present("mcpServer", request["mcp_server"] as { name: string; source: string } | undefined),
    ...present("decisionReason", request["decision_reason"] as string | undefined),
    ...present("title", request["title"] as string | undefined),
    ...present("displayName", request["display_name"] as string | undefined),
    ...present("description", request["description"] as string | undefined),
    ...present("defaultToNo", request["default_to_no"] as boolean | undefined),
    ...present("suppressAlwaysAllowRule", request["suppress_always_allow_rule"] as boolean | undefined),
    ...present("agentID", request["agent_id"] as string | undefined),
    ...present("matchedAskRule", ruleOf(request["matched_ask_rule"])),
  });
  if (result === null) return NO_ANSWER;
  if (!isObject(result) || (result.behavior !== "allow" && result.behavior !== "deny")) {
    throw new TypeError('canUseTool must return { behavior: "allow" } or { behavior: "deny", message }');
  }
  if (result.behavior === "deny" && typeof result.message !== "string") {
    throw new TypeError('canUseTool must return a "message" when it denies');
  }
  return { ...result, toolUseID: result.toolUseID ?? request["tool_use_id"] };
}

const inputOf = ({ input }: RequestBody) => (isObject(input) ? input : {});

function ruleOf(rule: unknown) {
  if (!isObject(rule)) return undefined;
  return {
    source: String(rule["source"]),
    toolName: String(rule["tool_name"]),
    ...present("ruleContent", rule["rule_content"] as string | undefined),
  };
}

/** A field that is only present if it has a value. */
function present<Name extends string, Value>(name: Name, value: Value | undefined): { [Key in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { [Key in Name]?: Value });
}
