// Passes a `can_use_tool` request to the caller's function. Anything but a valid answer is an error, which denies.

import { isObject, type Unchecked } from "@keelson/protocol";
import type { RequestContext } from "../control/control-request.ts";
import { NO_ANSWER } from "../control/control-request.ts";
import type { CanUseTool } from "./permissions.ts";

export async function askPermission(
  canUseTool: CanUseTool | undefined,
  request: Unchecked<"can_use_tool">,
  asked: RequestContext,
) {
  if (canUseTool === undefined) throw new Error("canUseTool callback is not provided.");
  const { input, mcp_server: server, matched_ask_rule: rule, permission_suggestions: suggestions } = request;
  const result = await canUseTool(String(request.tool_name), isObject(input) ? input : {}, {
    signal: asked.signal,
    requestId: asked.requestId,
    toolUseID: String(request.tool_use_id),
    ...(Array.isArray(suggestions) ? { suggestions } : {}),
    ...text("blockedPath", request.blocked_path),
    ...(isObject(server) ? { mcpServer: { name: String(server["name"]), source: String(server["source"]) } } : {}),
    ...text("decisionReason", request.decision_reason),
    ...text("title", request.title),
    ...text("displayName", request.display_name),
    ...text("description", request.description),
    ...flag("defaultToNo", request.default_to_no),
    ...flag("suppressAlwaysAllowRule", request.suppress_always_allow_rule),
    ...text("agentID", request.agent_id),
    ...(isObject(rule) ? { matchedAskRule: ruleOf(rule) } : {}),
  });
  if (result === null) return NO_ANSWER;
  if (!isObject(result) || (result.behavior !== "allow" && result.behavior !== "deny")) {
    throw new TypeError('canUseTool must return { behavior: "allow" } or { behavior: "deny", message }');
  }
  if (result.behavior === "deny" && typeof result.message !== "string") {
    throw new TypeError('canUseTool must return a "message" when it denies');
  }
  return { ...result, toolUseID: result.toolUseID ?? request.tool_use_id };
}

function ruleOf(rule: Readonly<Record<string, unknown>>) {
  return {
    source: String(rule["source"]),
    toolName: String(rule["tool_name"]),
    ...text("ruleContent", rule["rule_content"]),
  };
}

/** A field that is only present if it has a value of its type. */
function text<Name extends string>(name: Name, value: unknown): { readonly [Key in Name]?: string };
function text(name: string, value: unknown) {
  return typeof value === "string" ? { [name]: value } : {};
}

function flag<Name extends string>(name: Name, value: unknown): { readonly [Key in Name]?: boolean };
function flag(name: string, value: unknown) {
  return typeof value === "boolean" ? { [name]: value } : {};
}
