// Reads permission updates that a client sent. They are untrusted input.

import { isObject, isPermissionMode, type PermissionUpdate, type RuleValue } from "@keelson/protocol";

const DESTINATIONS = ["userSettings", "projectSettings", "localSettings", "session", "cliArg"];
const BEHAVIORS = ["allow", "ask", "deny"];

/** Throws an error that says what is wrong with them. */
export function readPermissionUpdates(value: unknown): readonly PermissionUpdate[] {
  if (!Array.isArray(value) || value.length === 0) throw new Error('"updates" must be a list of permission updates');
  return value.map(readUpdate);
}

/** What comes with an answer, or the error about it. There may be none. */
export function updatesInAnswer(response: Readonly<Record<string, unknown>>): readonly PermissionUpdate[] | Error {
  const value = response["updatedPermissions"] ?? response["updated_permissions"] ?? [];
  try {
    return Array.isArray(value) && value.length === 0 ? [] : readPermissionUpdates(value);
  } catch (error) {
    return error as Error;
  }
}

function readUpdate(value: unknown): PermissionUpdate {
  if (!isObject(value)) throw new Error("A permission update must be an object");
  const { type, destination = "session", behavior, rules, mode, directories } = value;
  if (!isOneOf(destination, DESTINATIONS)) throw new Error(`"destination" must be one of ${DESTINATIONS.join(", ")}`);
  const to = { destination } as Pick<PermissionUpdate, "destination">;
  switch (type) {
    case "addRules":
    case "replaceRules":
    case "removeRules":
      if (!isOneOf(behavior, BEHAVIORS)) throw new Error(`"behavior" must be one of ${BEHAVIORS.join(", ")}`);
      if (!Array.isArray(rules)) throw new Error('"rules" must be a list');
      return { type, behavior, rules: rules.map(readRule), ...to } as PermissionUpdate;
    case "setMode":
      if (!isPermissionMode(mode)) throw new Error(`"${String(mode)}" is not a permission mode`);
      return { type, mode, ...to };
    case "addDirectories":
    case "removeDirectories":
      if (!Array.isArray(directories) || !directories.every((each) => typeof each === "string"))
        throw new Error('"directories" must be a list of paths');
      return { type, directories, ...to };
    default:
      throw new Error(`"${String(type)}" is not a type of permission update`);
  }
}

function readRule(value: unknown): RuleValue {
  const { toolName, ruleContent } = isObject(value) ? value : {};
  if (typeof toolName !== "string" || toolName === "") throw new Error('A rule must have a "toolName"');
  // Some clients write what is absent as null.
  if (ruleContent === undefined || ruleContent === null) return { toolName };
  if (typeof ruleContent !== "string") throw new Error('"ruleContent" must be a string');
  return { toolName, ruleContent };
}

const isOneOf = (value: unknown, known: readonly string[]) => typeof value === "string" && known.includes(value);
