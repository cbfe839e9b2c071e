// How to allow a call, as lines to copy: a command that writes the rule, or flags for one session.

import type { Explanation, Remedy, Rule } from "@keelson/runtime/explain";
import { placeOfRule, shellWord, visible, type Palette, type Shorten } from "./words.ts";

interface Style {
  readonly palette: Palette;
  readonly short: Shorten;
  /** Allow rules that are already in the local settings. */
  readonly local: readonly string[];
}

export function remedyLines(explanation: Explanation, style: Style): string[] {
  const { verdict, rule, by, remedies } = explanation;
  if (verdict === "allow") return [];
  if (remedies.length > 0) return ["To allow it:", ...remedies.flatMap((remedy, at) => linesOf(remedy, at, style))];
  if (rule !== undefined) return [overruledBy(rule, style.short)];
  if (by === "protected") return ["No rule can allow this; it always requires approval."];
  return ["No specific rule can allow this. Simplify the command, or approve it when asked."];
}

function overruledBy(rule: Rule, short: Shorten): string {
  const kind = rule.behavior === "ask" ? "an ask rule" : "a deny rule";
  return `An allow rule cannot override ${kind}. To allow it, change ${visible(rule.text)} in ${placeOfRule(rule, short)}.`;
}

function linesOf({ updates }: Remedy, at: number, { palette, local }: Style): string[] {
  const rules = updates.flatMap((update) => (update.type === "addRules" ? update.rules : [])).map(ruleText);
  const flags = updates.flatMap((update) => {
    if (update.type === "setMode") return [`--permission-mode ${update.mode}`];
    if (update.type !== "addDirectories") return [];
    return update.directories.map((directory) => `--add-dir ${shellWord(directory)}`);
  });
  const or = at > 0 ? "or " : "";
  return [
    ...(rules.length > 0
      ? [`  ${or}${visible(rules.join(", "))}`, `     ${palette.dim(configLine([...local, ...rules]))}`]
      : []),
    ...(flags.length > 0 ? [`  ${or}keelson ${flags.join(" ")}  ${palette.dim("(for one session)")}`] : []),
  ];
}

/** `config set` replaces the whole list, so this includes the rules that are already in it. */
function configLine(rules: readonly string[]): string {
  const list = `[${rules.map((rule) => JSON.stringify(rule)).join(", ")}]`;
  // Do not offer a line to copy that does not show everything it does.
  if (list.length > LONGEST || list !== visible(list)) return "in .claude/settings.local.json, under permissions.allow";
  return `keelson config set permissions.allow ${shellWord(list)} --scope local`;
}

const LONGEST = 200;

const ruleText = ({ toolName, ruleContent }: { toolName: string; ruleContent?: string }) =>
  ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`;
