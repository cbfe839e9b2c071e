// A `can_use_tool` request, read. Fields of the wrong type are treated as absent: a client must survive any of them.

import { readPatch } from "@keelson/client";
import { isObject, type FilePatch, type JsonObject, type PermissionUpdate, type Unchecked } from "@keelson/protocol";

export interface PermissionAsk {
  readonly tool: string;
  readonly input: JsonObject;
  /** How it would change a file. Absent if it changes none, or too much to show. */
  readonly patch?: FilePatch;
  readonly description?: string;
  readonly suggestions: readonly PermissionUpdate[];
  readonly reason?: string;
  /** It says no more than that approval is needed. */
  readonly isReasonDefault: boolean;
  readonly reasonType?: string;
  readonly blockedPath?: string;
  /** The ask rule that matched, and where it is from. */
  readonly askRule?: { readonly rule: string; readonly source: string };
  /** The type of the subagent that makes the call, or the name of the teammate. */
  readonly agent?: string;
  readonly isTeammate: boolean;
  readonly server?: { readonly name: string; readonly source?: string };
  readonly defaultToNo: boolean;
}

export function readAsk(request: Unchecked<"can_use_tool">): PermissionAsk {
  const text = (name: keyof typeof request) => textIn(request, name);
  const { input, mcp_server: server, matched_ask_rule: rule, permission_suggestions: suggestions } = request;
  const remember = Array.isArray(suggestions) && request.suppress_always_allow_rule !== true;
  return {
    tool: text("tool_name") ?? "",
    input: isObject(input) ? (input as JsonObject) : {},
    patch: readPatch(request.patch),
    description: text("description"),
    suggestions: remember ? suggestions.filter(isUpdate) : [],
    reason: text("decision_reason"),
    isReasonDefault: request.decision_reason_is_default === true,
    reasonType: text("decision_reason_type"),
    blockedPath: text("blocked_path"),
    askRule: isObject(rule)
      ? {
          rule: ruleText({ toolName: textIn(rule, "tool_name") ?? "", ruleContent: textIn(rule, "rule_content") }),
          source: textIn(rule, "source") ?? "",
        }
      : undefined,
    agent: text("agent_type") ?? text("agent_id"),
    // The id of a teammate is `name@team`.
    isTeammate: text("agent_id")?.includes("@") === true,
    server: isObject(server) ? { name: textIn(server, "name") ?? "", source: textIn(server, "source") } : undefined,
    defaultToNo: request.default_to_no === true,
  };
}

export function ruleText({
  toolName,
  ruleContent,
}: {
  readonly toolName: string;
  readonly ruleContent?: string;
}): string {
  return ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`;
}

function textIn(object: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = object[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function isUpdate(value: unknown): value is PermissionUpdate {
  if (!isObject(value)) return false;
  const { type, rules, directories, mode } = value;
  if (type === "addRules")
    return Array.isArray(rules) && rules.every((rule) => isObject(rule) && isText(rule["toolName"]));
  if (type === "addDirectories") return Array.isArray(directories) && directories.every(isText);
  return type === "setMode" && isText(mode);
}

const isText = (value: unknown) => typeof value === "string";
