// Applies changes to a session's permissions. Pure.

import type { PermissionMode, PermissionUpdate, RuleValue } from "@keelson/protocol";
import { parseRule, type Rule } from "./rule.ts";

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
      const isGone = (rule: Rule) =>
        rule.source === "session" &&
        update.rules.some((value) => {
          const { tool, content } = partsOf(value, rule.behavior);
          return rule.tool === tool && rule.content === content;
        });
      return { ...state, rules: state.rules.filter((rule) => !isGone(rule)) };
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
  return rules.map((value): Rule => {
    const { tool, content } = partsOf(value, behavior);
    return { behavior, tool, content, source: "session", base, text: textOf(value) };
  });
}

const textOf = ({ toolName, ruleContent }: RuleValue) =>
  ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`;

/** A refusal is read as in settings, where `WebFetch(*)` is the whole tool. What is allowed stays as narrow as it was given. */
function partsOf(value: RuleValue, behavior: Rule["behavior"]): Pick<Rule, "tool" | "content"> {
  const { toolName, ruleContent } = value;
  const parsed = behavior === "allow" ? undefined : parseRule(textOf(value));
  return parsed ? { tool: parsed.tool, content: parsed.content } : { tool: toolName, content: ruleContent };
}
