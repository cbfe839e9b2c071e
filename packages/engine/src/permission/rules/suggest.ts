// What a person can answer besides yes and no: the rule or mode that makes the question unnecessary next time.
// Suggestions for commands are in `command/rules/suggest-command.ts`.

import { dirname } from "node:path/posix";
import type { PermissionUpdate, RuleValue } from "@keelson/protocol";

export function suggestTool(tool: string): PermissionUpdate[] {
  return [addRules([{ toolName: tool }])];
}

/** Empty for an address without a host. */
export function suggestHost(tool: string, host: string | undefined): PermissionUpdate[] {
  return host === undefined ? [] : [addRules([{ toolName: tool, ruleContent: `domain:${host}` }])];
}

/** The skill as called, and the skill with any arguments. */
export function suggestSkill(tool: string, skill: string): PermissionUpdate[] {
  return [skill, `${skill}:*`].map((ruleContent) => addRules([{ toolName: tool, ruleContent }]));
}

/** Reading everything in an outside folder, for this session. Search tools name the folder itself. */
export function suggestDirectory(path: string, tool: string): PermissionUpdate[] {
  return suggestFolder(tool === "Glob" || tool === "Grep" ? path : dirname(path));
}

export function suggestFolder(folder: string): PermissionUpdate[] {
  if (folder === "/") return [];
  const rules = [{ toolName: "Read", ruleContent: `/${folder}/**` }];
  return [{ type: "addRules", rules, behavior: "allow", destination: "session" }];
}

export function suggestEdits(path: string, inside: boolean): PermissionUpdate[] {
  const mode: PermissionUpdate = { type: "setMode", mode: "acceptEdits", destination: "session" };
  if (inside) return [mode];
  return [mode, { type: "addDirectories", directories: [dirname(path)], destination: "session" }];
}

export function addRules(rules: readonly RuleValue[]): PermissionUpdate {
  return { type: "addRules", rules, behavior: "allow", destination: "localSettings" };
}
