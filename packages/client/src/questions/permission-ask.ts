// A `can_use_tool` request, read. Fields of the wrong type are treated as absent: a client must survive any of them.

import {
  isJsonObject,
  isList,
  isObject,
  type FilePatch,
  type JsonObject,
  type PermissionUpdate,
  type ToolKind,
  type Unchecked,
} from "@keelson/protocol";
import { readPatch } from "../calls/changes.ts";
import { labelOf, toolKind } from "../calls/label.ts";

export interface PermissionAsk {
  /** Of the call. */
  readonly id: string;
  readonly tool: string;
  readonly input: JsonObject;
  readonly kind: ToolKind;
  /** How it would change a file. Absent if it changes none, or too much to show. */
  readonly patch?: FilePatch;
  readonly displayName?: string;
  readonly description?: string;
  /** What may be remembered of a yes. */
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
  const remember = isList(suggestions) && request.suppress_always_allow_rule !== true;
  const call = { name: text("tool_name") ?? "", input: isJsonObject(input) ? input : {} };
  return {
    id: text("tool_use_id") ?? "",
    tool: call.name,
    input: call.input,
    // Sessions of other programs do not say it.
    kind: request.kind === undefined ? labelOf(call, undefined).kind : toolKind(request.kind),
    patch: readPatch(request.patch),
    displayName: text("display_name"),
    description: text("description"),
    suggestions: remember ? suggestions.filter(isSuggestion) : [],
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

/** What a suggestion allows, to follow "allow". */
export function allowedBy(suggestion: PermissionUpdate): string {
  if (suggestion.type === "setMode")
    return suggestion.mode === "acceptEdits" ? "all edits" : `everything that mode ${suggestion.mode} allows`;
  if ("directories" in suggestion) return `access to ${suggestion.directories.join(", ")}`;
  return suggestion.rules.map(ruleText).join(", ");
}

/** The file that keeps it; undefined if it ends with the session. */
export const savedIn = ({ destination }: PermissionUpdate): string | undefined => FILES[destination];

const FILES: Readonly<Partial<Record<PermissionUpdate["destination"], string>>> = {
  localSettings: ".claude/settings.local.json",
  projectSettings: ".claude/settings.json",
  userSettings: "~/.claude/settings.json",
};

function textIn(object: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = object[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Only what allows something is suggested. */
function isSuggestion(value: unknown): value is PermissionUpdate {
  if (!isObject(value)) return false;
  const { type, rules, behavior, directories, mode } = value;
  if (type === "addRules") return behavior === "allow" && hasItems(rules) && rules.every(isRule);
  if (type === "addDirectories") return hasItems(directories) && directories.every(isText);
  return type === "setMode" && isText(mode);
}

const hasItems = (value: unknown): value is readonly unknown[] => isList(value) && value.length > 0;

const isText = (value: unknown) => typeof value === "string";

const isRule = (value: unknown) =>
  isObject(value) && isText(value["toolName"]) && (value["ruleContent"] === undefined || isText(value["ruleContent"]));
