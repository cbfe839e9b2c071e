// For tests only: short ways to ask the gate about one call. Nothing here runs anything.

import { NOTHING_SAID, type RuleBehavior } from "@keelson/protocol";
import type { Access } from "../tool.ts";
import { analyseCommand } from "./command/command.ts";
import { decide, type GateDecision, type GateQuestion } from "./decide.ts";
import { lookedUp } from "./disk.test-support.ts";
import { parseRule, type Rule } from "./rule.ts";

export type Rules = Partial<Record<RuleBehavior, readonly string[]>>;
export type Verdict = GateDecision["behavior"];

export interface World extends Partial<Omit<GateQuestion, "rules">> {
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

export function question(access: Access, tool: string, world: World = {}): GateQuestion {
  const { with: rules = {}, unsandboxed: _, ...more } = world;
  return {
    tool,
    input: {},
    access,
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

export function bash(command: string, world: World = {}): GateDecision {
  const access = {
    kind: "command" as const,
    command,
    cwd: world.cwd ?? "/repo",
    ...(world.unsandboxed ? { unsandboxed: true } : {}),
  };
  const analysis = analyseCommand(command);
  const found = lookedUp(
    analysis,
    { cwd: access.cwd, home: "/home/me" },
    { links: Object.fromEntries(world.realPaths ?? []), files: [] },
  );
  return decide(question(access, "Bash", { analysis, ...found, input: { command }, ...world }));
}

export function read(path: string, world: World = {}, tool = "Read"): GateDecision {
  return decide(question({ kind: "read", path }, tool, world));
}

export function edit(path: string, world: World = {}, tool = "Edit"): GateDecision {
  return decide(question({ kind: "edit", path }, tool, world));
}

export function fetchUrl(url: string, world: World = {}): GateDecision {
  return decide(question({ kind: "url", url }, "WebFetch", { input: { url }, ...world }));
}

export function agent(name: string, world: World = {}): GateDecision {
  return decide(question({ kind: "agent", agent: name }, "Agent", world));
}

export function skill(name: string, world: World = {}, { adds = true, args = "" } = {}): GateDecision {
  const input = { skill: name, ...(args === "" ? {} : { args }) };
  return decide(question({ kind: "skill", skill: name, adds }, "Skill", { input, ...world }));
}

export function person(world: World = {}): GateDecision {
  return decide(question({ kind: "person" }, "AskUserQuestion", world));
}

export function external(tool: string, world: World = {}): GateDecision {
  return decide(question({ kind: "external" }, tool, world));
}
