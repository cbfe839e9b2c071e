// The gate's sentences: requests for permission, and refusals. Programs match some of them, so those stay as they are.

import type { PermissionUpdate } from "@keelson/protocol";
import { cutMiddle } from "../tool/bound.ts";
import { governs } from "./match/match.ts";
import { hostOf } from "./match/match-name.ts";
import type { GateQuestion } from "./question.ts";
import type { Rule } from "./rules/rule.ts";

const LONGEST_SHOWN = 2_000;

/** The sentence for a call that no one has approved yet; also the denial if no one is available to approve. */
export function wish({ access, tool }: Pick<GateQuestion, "access" | "tool">): string {
  switch (access.kind) {
    case "read":
      return `Permission to read ${access.path} was not granted.`;
    case "edit":
      return `Permission to write to ${access.path} was not granted.`;
    case "command":
      return "This command requires approval";
    case "person":
      return `${tool} requires an answer from a person.`;
    case "skill":
      return `Execute skill: ${access.skill}`;
    default:
      return `Permission to use ${tool} was not granted.`;
  }
}

/** For a write that neither a mode nor a rule allows; only a person or bypassPermissions can. */
export function protectedWish(path: string): string {
  return `Permission to write to ${path} was not granted. It is protected: it configures this session or runs as code.`;
}

/** For a call that a deny rule matches. Names the rule, so that the model knows what else it covers. */
export function refusal(question: GateQuestion, rule: Rule): string {
  const from = rule.builtIn ? "a rule of Keelson itself" : `${shortRule(rule.text)}, from ${rule.source}`;
  return `${denial(question, rule)} The deny rule is ${from}.`;
}

const LONGEST_RULE = 200;

/** Rules of a project may have any text. */
const shortRule = (text: string) =>
  cutMiddle(text.replace(/[\p{Cc}\p{Cf}]+/gu, " "), LONGEST_RULE).replace(/\s+/g, " ");

function denial({ access, tool }: GateQuestion, rule: Rule): string {
  if (access.kind === "command")
    return `Permission to use ${tool} with command ${shortCommand(access.command)} has been denied.`;
  if (rule.content === undefined) return plain(tool);
  switch (access.kind) {
    case "read":
    case "edit":
      return governs(rule, access.kind, tool)
        ? "File is in a directory that is denied by your permission settings."
        : plain(tool);
    case "url":
      return `${tool} denied access to domain:${hostOf(access.url) ?? shortCommand(access.url)}.`;
    case "agent":
      return `Agent type '${access.agent}' has been denied.`;
    case "skill":
      return "Skill execution blocked by permission rules.";
    default:
      return plain(tool);
  }
}

/** For a call that needs approval in a mode that asks no one: what the model reads, and what people do. */
export function unasked(tool: string, suggestions: readonly PermissionUpdate[]) {
  const why = `Permission to use ${tool} has been denied because this session does not ask for approval (dontAsk mode).`;
  const goOn = "Do not retry it or work around it: go on with what is allowed, and say at the end what was left undone";
  const rules = allowingRules(suggestions);
  return {
    message: `${why} ${goOn}${andRule(suggestions)}.`,
    forPeople: rules === undefined ? why : `${why} To allow it, use ${rules}.`,
  };
}

/** The rules that would allow a call, as they are written in settings. Each suggestion is enough by itself. */
export function allowingRules(suggestions: readonly PermissionUpdate[]): string | undefined {
  const adding = suggestions.find((update) => update.type === "addRules" && update.behavior === "allow");
  if (adding?.type !== "addRules") return undefined;
  const rules = adding.rules.map(({ toolName, ruleContent }) =>
    ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`,
  );
  return `${rules.length === 1 ? "the rule" : "the rules"} ${rules.join(" and ")}`;
}

/** The end of a sentence about what the model should say. */
export function andRule(suggestions: readonly PermissionUpdate[]): string {
  const rules = allowingRules(suggestions);
  return rules === undefined ? "" : ` and that ${rules} would allow it`;
}

export const CONFINED =
  "Commands cannot run outside the sandbox in this session (sandbox.allowUnsandboxedCommands is off). " +
  "Run it without dangerouslyDisableSandbox.";

export const OUTSIDE_SHIELD =
  "This command asks to run without the protection of Keelson's own files, git hooks and other programs " +
  "(dangerouslyDisableSandbox), which takes approval, whatever the rules allow. Without that, it runs protected.";

/** Commands may be of any length, but people read sentences about them. */
export const shortCommand = (text: string) => cutMiddle(text, LONGEST_SHOWN);

const plain = (tool: string) => `Permission to use ${tool} has been denied.`;
