// The gate: one tool call in; allow, deny or ask out. Pure: asking people and resolving links happen in the runtime.
// The order is fixed: hook deny, deny rules, ask rules, safety, hook ask or allow, mode, allow rules, reading, ask.

import type { Decider } from "../ports.ts";
import type { RuleFinding } from "./command/rules/command-rules.ts";
import type { CommandView } from "./command/command-view.ts";
import type { CommandChecks } from "./command/decide-command.ts";
import { protectedEnd, protectedEndIn } from "./match/governing.ts";
import { isDocumentation } from "./match/documentation-hosts.ts";
import { allowsTool, commandNames, matchesParameter } from "./match/match.ts";
import { hostOf, isLocalSocket, matchesName } from "./match/match-name.ts";
import { newMatchers } from "./match/match-path.ts";
import { absolute } from "./match/paths.ts";
import {
  allowedByPath,
  eitherMatches,
  isInWorkingDirs,
  isMemory,
  isPlan,
  isReadable,
  unaskedFolder,
  type Ends,
  type GateDecision,
  type GateQuestion,
} from "./question.ts";
import { rulesAbout, type RulesAboutTool } from "./rules/about-tool.ts";
import { isStarRule, type Rule } from "./rules/rule.ts";
import { CONFINED, OUTSIDE_SHIELD, protectedWish, refusal, unasked, wish } from "./sentences.ts";
import { suggestDirectory, suggestEdits, suggestHost, suggestSkill, suggestTool } from "./rules/suggest.ts";

export type { GateDecision, GateQuestion, SandboxState } from "./question.ts";

export function decide(given: GateQuestion): GateDecision {
  return trace(given).decision;
}

/** A question on its way through the checks. */
interface Case extends GateQuestion {
  /** Only for commands. */
  readonly command?: CommandCase;
  /** Of the path that is read or edited. */
  readonly ends: Ends;
}

interface CommandCase {
  readonly view: CommandView;
  readonly denials: readonly RuleFinding[];
  readonly checks: CommandChecks;
}

type Asking = Extract<GateDecision, { behavior: "ask" }>;

/** The checks of the gate, in their order. The first that answers decides. */
const CHECKS = [
  ["hook refusal", hookDeny],
  ["deny rules", denyRules],
  ["ask rules", askRules],
  ["safety", safety],
  ["hook answer", hookAnswer],
  ["mode", byMode],
  ["allow rules", allowRules],
  ["reading", reading],
  ["question", (question) => ask(question, question.mode === "plan" ? "mode" : "other")],
] as const satisfies readonly (readonly [string, (question: Case) => GateDecision | undefined])[];

export type Check = (typeof CHECKS)[number][0];
export const CHECK_ORDER: readonly Check[] = CHECKS.map(([name]) => name);

/** The decision, and the check that made it. If no one may be asked, `asked` is the decision before it became a no. */
export function trace(given: GateQuestion): { check: Check; decision: GateDecision; asked?: GateDecision } {
  const { access, matchers = newMatchers() } = given;
  const ready: Case = { ...given, matchers, ends: "path" in access ? endsOf(access.path, given) : NOWHERE };
  const question: Case = access.kind === "command" ? { ...ready, command: commandCase(ready) } : ready;
  for (const [check, answer] of CHECKS) {
    const decision = answer(question);
    if (decision === undefined) continue;
    const mayAsk = question.mode !== "dontAsk" && question.neverAsks !== true;
    if (decision.behavior !== "ask" || mayAsk) return { check, decision };
    const { message, forPeople } = unasked(question.tool, decision.suggestions);
    return { check, decision: { ...deny("mode", message, decision.rule), forPeople }, asked: decision };
  }
  throw new Error("unreachable: the last check always answers");
}

/** Without the checks nothing is decided: the error ends the call, and nothing runs. */
function commandCase(question: GateQuestion): CommandCase {
  const checks = question.commandChecks;
  if (checks === undefined) throw new Error("A command was put to the gate without the checks for commands");
  const view = checks.viewOf(question);
  return { view, checks, denials: checks.denials(view) };
}

function hookDeny({ hook, tool }: Case): GateDecision | undefined {
  if (hook.verdict !== "deny") return undefined;
  return deny("hook", hook.reasons.join("\n") || `A PreToolUse hook refused ${tool}`);
}

function denyRules(question: Case): GateDecision | undefined {
  const rules = rulesOf(question, "deny");
  const [whole] = rules.whole;
  if (whole) return deny("rule", refusal(question, whole), whole);
  if (question.command) {
    const { view, denials, checks } = question.command;
    const found = checks.deny(view, denials);
    return found ? deny("rule", found.message, found.rule) : confinement(view);
  }
  const rule = ruleAbout(rules, question);
  return rule && deny("rule", refusal(question, rule), rule);
}

/** What the settings say about the sandbox cannot be overridden, neither by a person nor by a mode. */
function confinement({ sandbox, question }: CommandView): GateDecision | undefined {
  if (sandbox !== "out" || question.sandbox!.allowUnsandboxed) return undefined;
  return deny("other", CONFINED);
}

function askRules(question: Case): GateDecision | undefined {
  const rules = rulesOf(question, "ask");
  const rule = rules.whole[0] ?? ruleAbout(rules, question);
  if (rule) return { ...ask(question, "rule"), rule };
  const found = question.command?.checks.ask(question.command.view, question.command.denials);
  if (!found) return undefined;
  const asked = { ...ask(question, "rule"), rule: found.rule };
  if (found.rule.behavior === "ask") return asked;
  return { ...asked, reason: `This command requires approval: it may reach what ${found.rule.text} denies` };
}

/** Neither a hook nor a rule overrides these. Bypass mode overrides protected paths only. */
function safety(question: Case): GateDecision | undefined {
  const { access, command } = question;
  if (access.makes !== undefined && question.mode === "plan") return deny("mode", MADE_IN_PLAN[access.makes]);
  if (access.kind === "person") return { ...asking("person", wish(question)), reasonType: "other" };
  if (question.linked === true) {
    const reason = "The file has hard links, and it could not be compared with every file that a rule denies";
    return { ...asking("other", reason), ...("path" in access && { blockedPath: access.path }) };
  }
  if (access.kind === "edit" && question.mode !== "bypassPermissions") {
    const { ends } = question;
    const folder = unaskedFolder(ends, question);
    const path = folder === undefined ? protectedEnd(ends, question) : protectedEndIn(folder, ends, question);
    if (path !== undefined) return { ...asking("protected", protectedWish(access.path)), blockedPath: path };
  }
  const danger = command?.checks.safety(command.view);
  if (danger) return { ...asking("protected", danger.reason), ...(danger.path && { blockedPath: danger.path }) };
  return leavesShield(question) ? { ...asking("protected", OUTSIDE_SHIELD), reasonType: "sandboxOverride" } : undefined;
}

/** Only a person can lift the shield. A rule about the command says nothing about that. */
function leavesShield({ command, sandbox, mode }: Case): boolean {
  return command?.view.sandbox === "out" && sandbox?.isShield === true && mode !== "bypassPermissions";
}

const MADE_IN_PLAN = {
  job: "Plan mode schedules nothing: a job would run after the plan is approved or dropped. Put it into the plan.",
  worktree: "Plan mode makes and enters no worktree, because it changes nothing. Put it into the plan.",
} as const;

function hookAnswer(question: Case): GateDecision | undefined {
  const { verdict, reasons } = question.hook;
  if (verdict === "allow") return allow("hook", reasons.join("\n") || "A PreToolUse hook allowed it");
  // Calls that can be deferred never get here; any other needs approval.
  if (verdict !== "ask" && verdict !== "defer") return undefined;
  const asked = asking("hook", reasons.join("\n") || wish(question));
  const { access, ends } = question;
  const isFile = access.kind === "read" || access.kind === "edit";
  return isFile && !isInWorkingDirs(ends, question) ? { ...asked, blockedPath: ends.real } : asked;
}

function byMode(question: Case): GateDecision | undefined {
  const { access, mode } = question;
  // Programs on this machine trust whoever reaches them from here: a mode is not enough.
  if (access.kind === "url" && isLocalSocket(access.url)) return undefined;
  if (mode === "bypassPermissions") return allow("mode", mode);
  if (access.kind !== "edit") return undefined;
  if (isPlan(question.ends, question)) return allow("mode", "It is the plan file");
  if (mode === "plan")
    return { ...ask(question, "mode"), reason: `Cannot write to ${access.path} while in plan mode.` };
  const edits = mode === "acceptEdits" || mode === "auto";
  return edits && isInWorkingDirs(question.ends, question) ? allow("mode", mode) : undefined;
}

function allowRules(question: Case): GateDecision | undefined {
  const { access } = question;
  const rules = rulesOf(question, "allow");
  const rule = allowsWhole(rules.whole, question) ?? rules.named.find((each) => named(each, question));
  if (rule) return allow("rule", rule.text, rule);
  if (access.kind !== "read" && access.kind !== "edit") return undefined;
  const path = allowedByPath(access.kind, question.ends, question);
  return path && allow("rule", path.text, path);
}

function allowsWhole(covering: readonly Rule[], question: Case): Rule | undefined {
  const { access, tool } = question;
  const server = access.kind === "external" ? access.server : undefined;
  const names = access.kind === "command" ? commandNames(tool) : [tool];
  // The rule of a server covers its tools whatever they are called.
  const rules = server === undefined ? covering : question.rules.filter((rule) => rule.behavior === "allow");
  return rules.find((rule) => names.some((name) => allowsTool(rule, name, server)) && !isStarFarAway(rule, question));
}

/** `Read(*)` is a pattern for files here; only a bare `Read` is about files everywhere. */
function isStarFarAway(rule: Rule, question: Case): boolean {
  const { access } = question;
  if ((access.kind !== "read" && access.kind !== "edit") || !isStarRule(rule)) return false;
  return !isInWorkingDirs(question.ends, question);
}

const rulesOf = ({ rules, tool, access }: Case, behavior: Rule["behavior"]) =>
  rulesAbout(rules, behavior, tool, access.kind);

/** Read-only calls, and calls that access nothing, run. A command runs if each of its parts may. */
function reading(question: Case): GateDecision | undefined {
  const { access, tool } = question;
  switch (access.kind) {
    case "none":
      return tool.startsWith("mcp__") ? undefined : allow("other", "It accesses nothing");
    case "read":
      return isReadable(question.ends, question) ? allow("workingDir", "It is in a working directory") : undefined;
    case "agent":
      return allow("other", "The agent's own calls are checked one by one");
    case "skill":
      return access.adds ? undefined : allow("other", "It only adds text");
    case "command":
      return runs(question.command!);
    case "edit":
      return isMemory(question.ends, question) ? allow("workingDir", "It is in the memory folder") : undefined;
    case "url":
      return tool === "WebFetch" && isDocumentation(access.url)
        ? allow("other", "It is a documentation site that needs no approval")
        : undefined;
    case "external":
    case "person":
      return undefined;
  }
}

function runs({ view, checks }: CommandCase): GateDecision | undefined {
  const leave = checks.allow(view);
  // Leaving the sandbox takes a rule about the command; being read-only is not enough.
  if (leave && (view.sandbox !== "out" || leave.by === "rule")) return allow(leave.by, leave.reason, leave.rule);
  const { sandbox, mode } = view.question;
  const confined = view.sandbox === "in" && sandbox!.autoAllow && mode !== "plan";
  return confined ? allow("other", "It runs in the sandbox") : undefined;
}

function ask(question: Case, by: Decider): Asking {
  const { access, tool } = question;
  const open = asking(by, wish(question));
  switch (access.kind) {
    case "none":
    case "agent":
    case "external":
    case "person":
      return { ...open, suggestions: suggestTool(tool) };
    case "url":
      return { ...open, suggestions: suggestHost(tool, hostOf(access.url)) };
    case "skill":
      return { ...open, suggestions: suggestSkill(tool, access.skill) };
    case "read":
    case "edit": {
      const { ends } = question;
      const inside = isInWorkingDirs(ends, question);
      const suggestions =
        access.kind === "read" ? suggestDirectory(ends.given, tool) : suggestEdits(ends.given, inside);
      if (inside) return { ...open, suggestions };
      return { ...asking(by === "other" ? "workingDir" : by, open.reason), suggestions, blockedPath: ends.real };
    }
    case "command":
      return askCommand(question.command!, by);
  }
}

function askCommand({ view, checks }: CommandCase, by: Decider): Asking {
  const asked: Asking = { behavior: "ask", by, ...checks.suggest(view) };
  if (view.sandbox !== "out" || by === "rule") return asked;
  return { ...asked, reason: "This command asks to run outside the sandbox", reasonType: "sandboxOverride" };
}

/** The first rule that matches the path, address, name or parameters of a call. Commands are matched elsewhere. */
function ruleAbout(rules: RulesAboutTool, question: Case): Rule | undefined {
  const { access, tool, input, ends } = question;
  if (access.kind === "command") return undefined;
  return (
    rules.paths.find((rule) => eitherMatches(rule, ends, question)) ??
    rules.named.find((rule) => named(rule, question) || matchesParameter(rule, tool, input))
  );
}

function named(rule: Rule, { tool, access, input }: Case): boolean {
  return matchesName(rule, tool, access, input);
}

const NOWHERE: Ends = { given: "", real: "" };

function endsOf(path: string, { cwd, realPath }: GateQuestion): Ends {
  const given = absolute(cwd, path);
  return { given, real: realPath === undefined ? given : absolute("/", realPath) };
}

function allow(by: Decider, reason: string, rule?: Rule): GateDecision {
  return { behavior: "allow", by, reason, ...(rule && { rule }) };
}

function deny(by: Decider, message: string, rule?: Rule): GateDecision & { behavior: "deny" } {
  return { behavior: "deny", by, message, ...(rule && { rule }) };
}

function asking(by: Decider, reason: string): Asking {
  return { behavior: "ask", by, reason, suggestions: [] };
}
