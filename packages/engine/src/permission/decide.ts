// The gate: one tool call in, allow, deny or ask out. Pure; whoever asks people and resolves links is elsewhere.
// The order is fixed: hook deny, deny rules, ask rules, safety, hook ask or allow, mode, allow rules, reading, ask.

import type { Decider, PermissionDecision } from "../ports.ts";
import {
  commandAllow,
  commandAsk,
  commandDeny,
  commandSafety,
  commandSuggestions,
  refusalOf,
} from "./decide-command.ts";
import { coversTool, governs, matchesParameter } from "./match.ts";
import { absolute } from "./paths.ts";
import { isProtected } from "./protected.ts";
import { allowedByPath, eitherMatches, isHome, isReadable, type Ends, type GateQuestion } from "./question.ts";
import type { Rule } from "./rule.ts";
import { suggestDirectory, suggestEdits, suggestTool } from "./suggest.ts";

export type { GateQuestion } from "./question.ts";

export function decide(given: GateQuestion): PermissionDecision {
  const question = { ...given, matchers: new Map() };
  const decision =
    hookDeny(question) ??
    denyRules(question) ??
    askRules(question) ??
    safety(question) ??
    hookAnswer(question) ??
    byMode(question) ??
    allowRules(question) ??
    reading(question) ??
    ask(question, question.mode === "plan" ? "mode" : "other");
  return decision.behavior === "ask" && question.mode === "dontAsk" ? refuseToAsk(question) : decision;
}

function hookDeny({ hook, tool }: GateQuestion): PermissionDecision | undefined {
  if (hook.verdict !== "deny") return undefined;
  return deny("hook", hook.reasons.join("\n") || `A PreToolUse hook refused ${tool}`);
}

function denyRules(question: GateQuestion): PermissionDecision | undefined {
  const { access, tool } = question;
  const rules = question.rules.filter((rule) => rule.behavior === "deny");
  if (rules.some((rule) => coversTool(rule, tool))) return deny("rule", refusal(question));
  if (access.kind === "command") {
    const message = commandDeny(question, rules);
    if (message !== undefined) return deny("rule", message);
  }
  if (pathRule(rules, question))
    return deny("rule", "File is in a directory that is denied by your permission settings.");
  return parameterRule(rules, question) ? deny("rule", refusal(question)) : undefined;
}

function askRules(question: GateQuestion): PermissionDecision | undefined {
  const rules = question.rules.filter((rule) => rule.behavior === "ask");
  if (rules.some((rule) => coversTool(rule, question.tool)) || pathRule(rules, question)) return ask(question, "rule");
  if (parameterRule(rules, question)) return ask(question, "rule");
  return question.access.kind === "command" && commandAsk(question, rules) ? ask(question, "rule") : undefined;
}

/** Neither a hook nor a rule lifts these. Bypass lifts the protected paths, never the circuit breakers. */
function safety(question: GateQuestion): PermissionDecision | undefined {
  const { access } = question;
  if (access.kind === "edit" && question.mode !== "bypassPermissions") {
    const { given, real } = endsOf(access.path, question);
    const path = [given, real].find(isProtected);
    if (path !== undefined) return { ...asking("protected", wish(question)), blockedPath: path };
  }
  if (access.kind !== "command") return undefined;
  const danger = commandSafety(question);
  return danger && { ...asking("protected", danger.reason), ...(danger.path && { blockedPath: danger.path }) };
}

function hookAnswer(question: GateQuestion): PermissionDecision | undefined {
  const { verdict, reasons } = question.hook;
  if (verdict === "allow") return allow("hook", reasons.join("\n") || "A PreToolUse hook allowed it");
  // A deferred call is asked about here; whoever defers has taken it out before.
  if (verdict === "ask" || verdict === "defer") return asking("hook", reasons.join("\n") || wish(question));
  return undefined;
}

function byMode(question: GateQuestion): PermissionDecision | undefined {
  const { access, mode } = question;
  if (mode === "bypassPermissions") return allow("mode", "bypassPermissions");
  if (access.kind !== "edit") return undefined;
  if (mode === "plan")
    return { ...ask(question, "mode"), reason: `Cannot write to ${access.path} while in plan mode.` };
  return mode === "acceptEdits" && isHome(endsOf(access.path, question), question) ? allow("mode", mode) : undefined;
}

function allowRules(question: GateQuestion): PermissionDecision | undefined {
  const { access, tool } = question;
  const whole = question.rules.find((rule) => rule.behavior === "allow" && coversTool(rule, tool));
  if (whole) return allow("rule", whole.text);
  if (access.kind === "command") return undefined;
  if (access.kind !== "read" && access.kind !== "edit") return undefined;
  const path = allowedByPath(access.kind, endsOf(access.path, question), question);
  return path && allow("rule", path.text);
}

/** What only looks, or touches nothing, runs; a command runs when each of its parts may. */
function reading(question: GateQuestion): PermissionDecision | undefined {
  const { access, tool } = question;
  switch (access.kind) {
    case "none":
      return tool.startsWith("mcp__") ? undefined : allow("other", "It touches nothing");
    case "read":
      return isReadable(endsOf(access.path, question), question)
        ? allow("workingDir", "It is in a working directory")
        : undefined;
    case "agent":
      return allow("other", "An agent's own calls are judged one by one");
    case "skill":
      return access.adds ? undefined : allow("other", "It only adds text");
    case "command":
      return commandAllow(question);
    case "edit":
    case "url":
    case "external":
    case "person":
      return undefined;
  }
}

function ask(question: GateQuestion, by: Decider): Extract<PermissionDecision, { behavior: "ask" }> {
  const { access, tool } = question;
  switch (access.kind) {
    case "none":
    case "url":
    case "agent":
    case "skill":
    case "external":
    case "person":
      return { ...asking(by, wish(question)), suggestions: suggestTool(tool) };
    case "read":
    case "edit": {
      const ends = endsOf(access.path, question);
      const inside = isHome(ends, question);
      const suggestions =
        access.kind === "read" ? suggestDirectory(ends.given, tool) : suggestEdits(ends.given, inside);
      if (inside) return { ...asking(by, wish(question)), suggestions };
      return { ...asking(by === "other" ? "workingDir" : by, wish(question)), suggestions, blockedPath: ends.real };
    }
    case "command":
      return { behavior: "ask", by, ...commandSuggestions(question) };
  }
}

/** The sentence for a call nobody has agreed to yet; the denial, when nobody can be asked. */
function wish({ access, tool }: GateQuestion): string {
  switch (access.kind) {
    case "read":
      return `Permission to read ${access.path} was not given.`;
    case "edit":
      return `Permission to write to ${access.path} was not given.`;
    case "command":
      return "This command requires approval";
    default:
      return `Permission to use ${tool} was not given.`;
  }
}

function refusal(question: GateQuestion): string {
  if (question.access.kind === "command") return refusalOf(question);
  return `Permission to use ${question.tool} has been denied.`;
}

function refuseToAsk({ tool }: GateQuestion): PermissionDecision {
  return deny(
    "mode",
    `Permission to use ${tool} has been denied because the session asks nobody (dontAsk mode). IMPORTANT: ` +
      "nobody can approve this call, so do not try it again and do not work around it by other means. " +
      "Go on with what is allowed, or tell the user which permission is missing.",
  );
}

function pathRule(rules: readonly Rule[], question: GateQuestion): boolean {
  const { access } = question;
  if (access.kind !== "read" && access.kind !== "edit") return false;
  const ends = endsOf(access.path, question);
  return rules.some((rule) => governs(rule, access.kind, question.tool) && eitherMatches(rule, ends, question));
}

function parameterRule(rules: readonly Rule[], { tool, input, access }: GateQuestion): boolean {
  return access.kind !== "command" && rules.some((rule) => matchesParameter(rule, tool, input));
}

function endsOf(path: string, { cwd, realPath }: GateQuestion): Ends {
  const given = absolute(cwd, path);
  return { given, real: realPath === undefined ? given : absolute("/", realPath) };
}

function allow(by: Decider, reason: string): PermissionDecision {
  return { behavior: "allow", by, reason };
}

function deny(by: Decider, message: string): PermissionDecision {
  return { behavior: "deny", by, message };
}

function asking(by: Decider, reason: string): Extract<PermissionDecision, { behavior: "ask" }> {
  return { behavior: "ask", by, reason, suggestions: [] };
}
