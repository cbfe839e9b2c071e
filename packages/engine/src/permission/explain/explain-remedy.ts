// Changes that would allow a call, narrowest first. Each is listed only if the gate, asked again with it, allows the
// call.

import { NOTHING_SAID, type PermissionUpdate, type RuleValue } from "@keelson/protocol";
import type { PermissionDecision } from "../../ports.ts";
import { decide, type GateQuestion } from "../decide.ts";
import type { CommandExplanation } from "./explain-command.ts";
import { absolute, isInside } from "../match/paths.ts";
import { applyUpdate } from "../rules/update.ts";

/** Changes that together allow the call. */
export interface Remedy {
  readonly updates: readonly PermissionUpdate[];
}

const LONGEST_RULE = 300;
const MOST_RULES = 10;

export function remediesFor(
  question: GateQuestion,
  decision: PermissionDecision,
  command: CommandExplanation | undefined,
): Remedy[] {
  if (decision.behavior !== "ask") return [];
  const exact = command === undefined ? exactPath(question) : exactParts(question, command);
  const seen = new Set<string>();
  const working = (candidates: readonly (readonly PermissionUpdate[])[]): Remedy[] =>
    candidates.flatMap((updates) => {
      const key = keyOf(updates);
      if (updates.length === 0 || seen.has(key) || !settles(question, updates)) return [];
      seen.add(key);
      return [{ updates }];
    });
  const single = working(decision.suggestions.map((update) => [update]));
  const exactly = working([narrowest(exact, question)]);
  return [...exactly, ...single, ...(single.length > 0 ? [] : working([decision.suggestions]))];
}

/** Without the destination, and the same whatever the order of the fields. */
function keyOf(updates: readonly PermissionUpdate[]): string {
  const fields = updates.map(({ destination: _, ...update }) => Object.entries(update));
  return JSON.stringify(fields.map((each) => each.toSorted(([a], [b]) => (a < b ? -1 : 1))));
}

function settles(question: GateQuestion, updates: readonly PermissionUpdate[]): boolean {
  const base = question.directories[0] ?? question.cwd;
  const { mode, rules } = updates.reduce((state, update) => applyUpdate(state, update, base), {
    mode: question.mode,
    rules: question.rules,
  });
  const added = updates.flatMap((update) => (update.type === "addDirectories" ? update.directories : []));
  const directories = [...question.directories, ...added];
  const { matchers: _, ...rest } = question;
  return decide({ ...rest, mode, rules, directories, hook: NOTHING_SAID }).behavior === "allow";
}

type ExactRule = Required<RuleValue>;

/** The fewest rules that are enough; none if all of them together are not. */
function narrowest(rules: readonly ExactRule[], question: GateQuestion): PermissionUpdate[] {
  if (rules.length === 0 || !settles(question, [allowing(rules)])) return [];
  let kept = rules;
  for (const rule of rules) {
    const fewer = kept.filter((each) => each !== rule);
    if (fewer.length > 0 && settles(question, [allowing(fewer)])) kept = fewer;
  }
  return [allowing(kept)];
}

function allowing(rules: readonly ExactRule[]): PermissionUpdate {
  return { type: "addRules", behavior: "allow", destination: "localSettings", rules };
}

/** A rule for exactly this file. */
function exactPath({ access, cwd, directories }: GateQuestion): ExactRule[] {
  if (access.kind !== "read" && access.kind !== "edit") return [];
  return fitting([pathRule(access.kind, absolute(cwd, access.path), directories[0])]);
}

/** Rules for exactly these commands as written, and for exactly the files that block others. */
function exactParts({ tool, directories }: GateQuestion, { parts }: CommandExplanation): ExactRule[] {
  const rules = parts.flatMap(({ verdict, text, blockedPath, redirections }): ExactRule[] => {
    if (verdict === "allow") return [];
    const own =
      blockedPath === undefined ? { toolName: tool, ruleContent: text } : pathRule("read", blockedPath, directories[0]);
    const stopped = redirections.filter((each) => each.verdict !== "allow");
    const files = stopped.flatMap(({ kind, paths }) =>
      paths.map((path) => pathRule(kind === "read" ? "read" : "edit", path, directories[0])),
    );
    return [own, ...files];
  });
  return fitting(rules.filter((rule, at) => rules.findIndex((other) => isSame(rule, other)) === at));
}

function pathRule(use: "read" | "edit", path: string, root: string | undefined): ExactRule {
  const inside = root !== undefined && root !== "/" && path !== root && isInside(root, path);
  return { toolName: use === "read" ? "Read" : "Edit", ruleContent: inside ? path.slice(root.length + 1) : `/${path}` };
}

const isSame = (a: ExactRule, b: ExactRule) => a.toolName === b.toolName && a.ruleContent === b.ruleContent;

/** Pattern characters would make a rule broader than the text it was made from. */
function fitting(rules: readonly ExactRule[]): ExactRule[] {
  const fits = ({ toolName, ruleContent }: ExactRule) =>
    ruleContent !== "" &&
    ruleContent.length <= LONGEST_RULE &&
    !(toolName === "Read" || toolName === "Edit" ? /[*?[\]\\!#\n]|\s$/ : /[*\n]/).test(ruleContent);
  return rules.length <= MOST_RULES && rules.every(fits) ? [...rules] : [];
}
