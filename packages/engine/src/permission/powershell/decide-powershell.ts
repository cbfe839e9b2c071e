// The gate's checks for PowerShell. Nothing in it counts as harmless: a command runs if a rule names it exactly, or if a
// rule with a star covers it and bash would read it the same way. Everything else needs approval.

import type { RuleFinding } from "../command/rules/command-rules.ts";
import { leaveFor, type Leave } from "../command/command-run.ts";
import { viewOf, type CommandView } from "../command/command-view.ts";
import type { CommandChecks } from "../command/decide-command.ts";
import { analyseOnce } from "../command/analysis/recent-analyses.ts";
import { beyondRules } from "../command/rules/surroundings.ts";
import { matchesParameter, namesTool } from "../match/match.ts";
import { absolute, fold } from "../match/paths.ts";
import { isProtected } from "../match/protected.ts";
import { eitherMatches, type GateQuestion } from "../question.ts";
import type { Rule } from "../rules/rule.ts";
import { protectedWish, refusal, shortCommand } from "../sentences.ts";
import { addRules } from "../rules/suggest.ts";
import { powershellReach } from "./match-powershell.ts";
import { isPlain } from "./plain.ts";
import { criticalRemovalIn } from "./removal.ts";
import { statementsIn } from "./words.ts";

export const powershellChecks: CommandChecks = { viewOf: powershellView, denials, deny, ask, safety, allow, suggest };

const APPROVAL = "This command requires approval";
const LONGEST_RULE = 200;
/** Longer commands are not compared word by word: any rule may be about them, and they may name any file. */
const LONGEST = 10_000;

/** What bash makes of the text, if both read it the same way; otherwise nothing. */
export function analysePowerShell(command: string): NonNullable<GateQuestion["analysis"]> {
  return isPlain(command) ? analyseOnce(command.trim()) : { command: command.trim(), commands: [] };
}

/** Being in the sandbox allows Bash commands, not these. */
function powershellView(question: GateQuestion): CommandView {
  const { access, sandbox } = question;
  if (access.kind !== "command") throw new Error("unreachable: only commands are put to these checks");
  const plain = { ...access, command: access.command.trim() };
  const view = viewOf({ ...question, access: plain, ...(sandbox && { sandbox: { ...sandbox, autoAllow: false } }) });
  if (!sandbox?.active) return view;
  return { ...view, sandbox: access.unsandboxed ? "out" : "in" };
}

function denials(view: CommandView): readonly RuleFinding[] {
  const rules = view.question.rules.filter(({ behavior }) => behavior === "deny");
  return findings(view, rules).filter(({ rule, reach }) => reach === "yes" || !rule.builtIn);
}

/** By the text, by another parameter of the call, or by a file that the text names. */
function findings(view: CommandView, rules: readonly Rule[]): readonly RuleFinding[] {
  const { question } = view;
  const ruled = rules.filter((rule) => rule.content !== undefined && isAbout(rule, question.tool));
  if (ruled.length === 0) return [];
  if (isLong(view)) return ruled.map((rule) => ({ rule, reach: "maybe" }));
  const reach = powershellReach(view.analysis.command);
  const files = namedFiles(view);
  return ruled.flatMap((rule): RuleFinding[] => {
    if (matchesParameter(rule, question.tool, question.input)) return [{ rule, reach: "yes" }];
    if (rule.tool === "Read" || rule.tool === "Edit") {
      const ends = files.map((path) => ({ given: path, real: path }));
      if (ends.some((each) => eitherMatches(rule, each, question))) return [{ rule, reach: "yes" }];
      // A name can be put together at run time; the shield hides files that must not be read.
      const isHidden = question.shield === true && rule.behavior === "deny" && rule.tool === "Read";
      return isHidden ? [] : [{ rule, reach: "maybe" }];
    }
    const found = reach(rule.content!);
    return found === "no" ? [] : [{ rule, reach: found }];
  });
}

/** Rules for Bash apply to every tool that runs commands. */
const isAbout = (rule: Rule, tool: string) => /^(?:Bash|Read|Edit)$/.test(rule.tool) || namesTool(rule, tool);

const isLong = ({ analysis }: CommandView) => analysis.command.length > LONGEST;

/** Every word that may be a path, as an absolute one. */
function namedFiles({ analysis, where, question }: CommandView): string[] {
  const words = statementsIn(analysis.command).flatMap((statement) => statement.words);
  // Statements are in lower case; the words as written are needed where file names differ by case.
  const written = analysis.command.split(/[\s;|&(){},=<>"'`]+/);
  return [...new Set([...words, ...written].flatMap((word) => [word, ...word.split(/[,:=>]/)]))].flatMap((word) => {
    if (word === "" || word.length > 4_096) return [];
    const path = word.replaceAll("\\", "/").replace(/^~(?=\/|$)/, where.home);
    return [absolute(where.cwd, path), ...(where.cwd === question.cwd ? [] : [absolute(question.cwd, path)])];
  });
}

function deny({ question }: CommandView, found: readonly RuleFinding[]): { message: string; rule: Rule } | undefined {
  const certain = found.find(({ reach }) => reach === "yes");
  return certain && { message: refusal(question, certain.rule), rule: certain.rule };
}

function ask(view: CommandView, denied: readonly RuleFinding[]): RuleFinding | undefined {
  const rules = view.question.rules.filter(({ behavior }) => behavior === "ask");
  return findings(view, rules)[0] ?? denied[0];
}

/** Removing what must stay, in every mode; naming protected files, unless bypassed. */
function safety(view: CommandView): { reason: string; path?: string } | undefined {
  const { analysis, question, where } = view;
  const target = criticalRemovalIn(analysis.command, { cwd: where.cwd, kept: view.kept(), home: where.home });
  if (target !== undefined) {
    const path = shortCommand(target);
    return { reason: `${APPROVAL}: it may remove '${path}'`, path };
  }
  if (question.mode === "bypassPermissions") return undefined;
  if (isLong(view)) return { reason: `${APPROVAL}: it is too long to check` };
  const governing = new Set((question.governing ?? []).map(fold));
  const path = namedFiles(view).find((each) => isProtected(each) || governing.has(fold(each)));
  return path === undefined ? undefined : { reason: protectedWish(path), path };
}

function allow(view: CommandView): Leave | undefined {
  const rules = ownRules(view.question);
  const { command, commands } = view.analysis;
  const exact = rules.find(({ content }) => !content!.includes("*") && content!.trim() === command);
  if (exact) return { by: "rule", reason: exact.text, rule: exact };
  const [part, ...more] = commands;
  if (!isPlain(command) || part === undefined || more.length > 0) return undefined;
  const leave = leaveFor(part, view, rules);
  return leave?.by === "rule" ? leave : byRuleAlone(view, rules);
}

/** A program that is read-only in bash is allowed there without a rule; here the rule must cover it. */
function byRuleAlone(view: CommandView, rules: readonly Rule[]): Leave | undefined {
  const { command } = view.analysis;
  const rule = rules.find(({ content }) => {
    const stem = /^(.*?)(?::\*| \*)$/.exec(content!.trim())?.[1];
    return stem !== undefined && !stem.includes("*") && (command === stem || command.startsWith(`${stem} `));
  });
  const isReadOnly = rule && leaveFor(view.analysis.commands[0]!, view, [])?.by === "other";
  return isReadOnly ? { by: "rule", reason: rule.text, rule } : undefined;
}

const ownRules = ({ rules, tool }: GateQuestion) =>
  rules.filter((rule) => rule.behavior === "allow" && rule.content !== undefined && rule.tool === tool);

function suggest(view: CommandView): ReturnType<CommandChecks["suggest"]> {
  const { analysis, question } = view;
  const { command } = analysis;
  const beyond = analysis.commands
    .map((part) => beyondRules(part, ownRules(question), view))
    .find((each) => each !== undefined);
  const isRule = !/[*\n\r]/.test(command) && command !== "" && command.length <= LONGEST_RULE;
  return {
    reason: beyond === undefined ? APPROVAL : `${APPROVAL}: ${beyond}`,
    suggestions: isRule ? [addRules([{ toolName: question.tool, ruleContent: command }])] : [],
  };
}
