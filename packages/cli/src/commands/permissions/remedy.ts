// What would have a call allowed, as lines to copy: a command that writes the rule, or flags for one session.

import type { Explanation, Remedy, Rule } from "@keelson/runtime/explain";
import { placeOfRule, visible, type Palette, type Shorten } from "./words.ts";

interface Style {
  readonly palette: Palette;
  readonly short: Shorten;
  /** Allow rules that stand in the local settings already. */
  readonly local: readonly string[];
}

export function remedyLines(explanation: Explanation, style: Style): string[] {
  const { verdict, rule, by, remedies } = explanation;
  if (verdict === "allow") return [];
  if (remedies.length > 0) return ["To allow it:", ...remedies.flatMap((remedy, at) => linesOf(remedy, at, style))];
  if (rule !== undefined) return [standsInTheWay(rule, style.short)];
  if (by === "protected") return ["No rule lifts this: somebody has to say yes each time."];
  return ["No narrow rule would allow it as it stands. Write it more plainly, or let somebody say yes to it."];
}

function standsInTheWay(rule: Rule, short: Shorten): string {
  const kind = rule.behavior === "ask" ? "an ask rule" : "a deny rule";
  return `No allow rule beats ${kind}. To change this, change ${visible(rule.text)} in ${placeOfRule(rule, short)}.`;
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

/** A list is written whole, so the rules that are there already come along. */
function configLine(rules: readonly string[]): string {
  const list = `[${rules.map((rule) => JSON.stringify(rule)).join(", ")}]`;
  // A line to copy must say all it does.
  if (list.length > LONGEST || list !== visible(list)) return "in .claude/settings.local.json, under permissions.allow";
  return `keelson config set permissions.allow ${shellWord(list)} --scope local`;
}

const LONGEST = 200;

const ruleText = ({ toolName, ruleContent }: { toolName: string; ruleContent?: string }) =>
  ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`;

const shellWord = (text: string) => (/^[\w./~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
