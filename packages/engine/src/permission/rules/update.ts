// Applies changes to a session's permissions. Pure.

import type { PermissionMode, PermissionUpdate, RuleValue } from "@keelson/protocol";
import type { Rule } from "./rule.ts";

export interface PermissionState {
  readonly mode: PermissionMode;
  readonly rules: readonly Rule[];
}

/** Rules and mode after an update; a leading `/` in its rules is relative to `base`. */
export function applyUpdate(state: PermissionState, update: PermissionUpdate, base: string): PermissionState {
  switch (update.type) {
    case "setMode":
      return { ...state, mode: update.mode };
    case "addRules":
      return { ...state, rules: [...state.rules, ...made(update, base)] };
    case "replaceRules": {
      const kept = state.rules.filter((rule) => rule.source !== "session" || rule.behavior !== update.behavior);
      return { ...state, rules: [...kept, ...made(update, base)] };
    }
    case "removeRules": {
      const gone = ({ toolName, ruleContent }: RuleValue, rule: Rule) =>
        rule.source === "session" && rule.tool === toolName && rule.content === ruleContent;
      return { ...state, rules: state.rules.filter((rule) => !update.rules.some((value) => gone(value, rule))) };
    }
    case "addDirectories":
    case "removeDirectories":
      return state;
  }
}

function made(
  { rules, behavior }: Extract<PermissionUpdate, { type: "addRules" | "replaceRules" | "removeRules" }>,
  base: string,
) {
  return rules.map(({ toolName, ruleContent }): Rule => {
    const text = ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`;
    return { behavior, tool: toolName, content: ruleContent, source: "session", base, text };
  });
}
