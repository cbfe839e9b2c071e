// Checks the answer that a PermissionRequest hook gives in a person's place, because it changes what is allowed.

import {
  isObject,
  isPermissionMode,
  type HookPermission,
  type JsonObject,
  type PermissionUpdate,
  type RuleValue,
} from "@keelson/protocol";
import { bounded } from "./text.ts";

type Json = Readonly<Record<string, unknown>>;

/** Undefined if it is neither allow nor deny. Other invalid fields are dropped and added to `wrong`. */
export function readPermission(decision: Json, wrong: string[]): HookPermission | undefined {
  const { behavior, message, interrupt, updatedInput, updatedPermissions } = decision;
  if (behavior === "deny") {
    if (message !== undefined && typeof message !== "string") wrong.push('"message" is not a string');
    return {
      behavior,
      ...(typeof message === "string" && { message: bounded(message) }),
      ...(interrupt === true && { interrupt }),
    };
  }
  if (behavior !== "allow") {
    wrong.push('"behavior" is not allow or deny');
    return undefined;
  }
  // Approving a different input than the hook meant is not approval.
  if (updatedInput !== undefined && !isObject(updatedInput)) {
    wrong.push('"updatedInput" is not an object');
    return undefined;
  }
  const updates = Array.isArray(updatedPermissions) ? updatedPermissions.filter(isUpdate) : [];
  if (
    updatedPermissions !== undefined &&
    !(Array.isArray(updatedPermissions) && updates.length === updatedPermissions.length)
  )
    wrong.push('"updatedPermissions" could not be read');
  return {
    behavior,
    ...(updatedInput !== undefined && { updatedInput: updatedInput as JsonObject }),
    ...(updates.length > 0 && { updatedPermissions: updates }),
  };
}

const DESTINATIONS = new Set(["userSettings", "projectSettings", "localSettings", "session", "cliArg"]);

function isUpdate(value: unknown): value is PermissionUpdate {
  if (!isObject(value) || !DESTINATIONS.has(value["destination"] as string)) return false;
  switch (value["type"]) {
    case "setMode":
      return isPermissionMode(value["mode"]);
    case "addDirectories":
    case "removeDirectories":
      return isList(value["directories"], (each) => typeof each === "string");
    case "addRules":
    case "replaceRules":
    case "removeRules":
      return ["allow", "ask", "deny"].includes(value["behavior"] as string) && isList(value["rules"], isRule);
    default:
      return false;
  }
}

const isList = (value: unknown, fits: (each: unknown) => boolean) => Array.isArray(value) && value.every(fits);

function isRule(value: unknown): value is RuleValue {
  if (!isObject(value) || typeof value["toolName"] !== "string") return false;
  return value["ruleContent"] === undefined || typeof value["ruleContent"] === "string";
}
