// For tests only: short ways to ask the gate about one call. Nothing here runs anything.

import { NOTHING_SAID, type RuleBehavior } from "@keelson/protocol";
import type { Access } from "../tool/tool.ts";
import { analyseCommand } from "./command/analysis/command.ts";
import { commandChecks } from "./command/decide-command.ts";
import { decide, type GateDecision, type GateQuestion } from "./decide.ts";
import { lookedUp } from "./disk.test-support.ts";
import { parseRule, type Rule } from "./rules/rule.ts";

export type Rules = Partial<Record<RuleBehavior, readonly string[]>>;
export type Verdict = GateDecision["behavior"];

export interface GateSetup extends Partial<Omit<GateQuestion, "rules">> {
  readonly with?: Rules;
  readonly unsandboxed?: boolean;
}

export function rulesOf(rules: Rules): Rule[] {
  return (["allow", "ask", "deny"] as const).flatMap((behavior) =>
    (rules[behavior] ?? []).map((text) => ruleOf(behavior, text)),
  );
}

export function ruleOf(behavior: RuleBehavior, text: string): Rule {
  return { behavior, ...parseRule(text)!, source: "userSettings", base: "/repo", text };
}

export function question(access: Access, tool: string, setup: GateSetup = {}): GateQuestion {
  const { with: rules = {}, unsandboxed: _, ...more } = setup;
  return {
    tool,
    input: {},
    access,
    commandChecks,
    hook: NOTHING_SAID,
    rules: rulesOf(rules),
    mode: "default",
    directories: ["/repo"],
    cwd: "/repo",
    home: "/home/me",
    readable: ["/home/me/.claude/projects/p/tool-results"],
    ...more,
  };
}

export function bash(command: string, setup: GateSetup = {}): GateDecision {
  const access = {
    kind: "command" as const,
    command,
    cwd: setup.cwd ?? "/repo",
    ...(setup.unsandboxed ? { unsandboxed: true } : {}),
  };
  const analysis = analyseCommand(command);
  const found = lookedUp(
    analysis,
    { cwd: access.cwd, home: "/home/me" },
    { links: Object.fromEntries(setup.realPaths ?? []), files: [] },
  );
  return decide(question(access, "Bash", { analysis, ...found, input: { command }, ...setup }));
}

export function read(path: string, setup: GateSetup = {}, tool = "Read"): GateDecision {
  return decide(question({ kind: "read", path }, tool, setup));
}

export function edit(path: string, setup: GateSetup = {}, tool = "Edit"): GateDecision {
  return decide(question({ kind: "edit", path }, tool, setup));
}

export function fetchUrl(url: string, setup: GateSetup = {}): GateDecision {
  return decide(question({ kind: "url", url }, "WebFetch", { input: { url }, ...setup }));
}

export function agent(name: string, setup: GateSetup = {}): GateDecision {
  return decide(question({ kind: "agent", agent: name }, "Agent", setup));
}

export function skill(name: string, setup: GateSetup = {}, { adds = true, args = "" } = {}): GateDecision {
  const input = { skill: name, ...(args === "" ? {} : { args }) };
  return decide(question({ kind: "skill", skill: name, adds }, "Skill", { input, ...setup }));
}

export function person(setup: GateSetup = {}): GateDecision {
  return decide(question({ kind: "person" }, "AskUserQuestion", setup));
}

export function external(tool: string, setup: GateSetup = {}): GateDecision {
  return decide(question({ kind: "external" }, tool, setup));
}
