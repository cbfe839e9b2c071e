// Looks at rules one at a time: which of them match a call, and which can never have an effect. Both are found by
// asking the gate, with one rule in force and a call made up to fit it.

import { NOTHING_SAID } from "@keelson/protocol";
import type { CommandAnalysis } from "../command/analysis/command.ts";
import { commandChecks } from "../command/decide-command.ts";
import { decide, type GateQuestion } from "../decide.ts";
import { analysePowerShell, powershellChecks } from "../powershell/decide-powershell.ts";
import { absolute } from "../match/paths.ts";
import { isStarRule, type Rule } from "../rules/rule.ts";

/** More rules than anyone reads; each costs one decision. */
const MOST_RULES = 2_000;

/** Rules that would decide this call on their own. */
export function matchingRules(question: GateQuestion): Rule[] {
  return question.rules.slice(0, MOST_RULES).filter((rule) => alone(rule, question).by === "rule");
}

export interface RuleNote {
  /**
   * repeated: another rule says the same. shadowed: another rule is stricter. needless: allowed anyway. never: matches
   * nothing.
   */
  readonly kind: "unknown tool" | "repeated" | "shadowed" | "always asked" | "needless" | "never";
  readonly text: string;
  /** The other rule, if there is one. */
  readonly rule?: Rule;
}

export interface RuleContext {
  readonly rules: readonly Rule[];
  /** Names of all tools. */
  readonly tools: readonly string[];
  readonly cwd: string;
  readonly home: string;
  readonly directories: readonly string[];
  analyse(command: string): CommandAnalysis;
}

/** What is odd about a rule; undefined if nothing is. */
export function noteOn(rule: Rule, ground: RuleContext): RuleNote | undefined {
  return unknownTool(rule, ground) ?? repeated(rule, ground) ?? useless(rule, ground);
}

function unknownTool({ tool }: Rule, { tools }: RuleContext): RuleNote | undefined {
  if (tool.startsWith("mcp__") || tool.includes("*") || tools.includes(tool)) return undefined;
  return { kind: "unknown tool", text: `no tool is called ${tool}` };
}

function repeated(rule: Rule, { rules }: RuleContext): RuleNote | undefined {
  const same = rules
    .slice(0, rules.indexOf(rule))
    .find(
      (other) =>
        other.behavior === rule.behavior &&
        other.tool === rule.tool &&
        other.content === rule.content &&
        other.base === rule.base &&
        isStarRule(other) === isStarRule(rule),
    );
  return same && { kind: "repeated", text: "says the same as", rule: same };
}

function useless(rule: Rule, ground: RuleContext): RuleNote | undefined {
  const call = callFor(rule, ground);
  if (call === undefined) return undefined;
  const answer = alone(rule, call);
  if (answer.by === "protected" && call.analysis?.problem === undefined) {
    return { kind: "always asked", text: "this always requires approval, whatever the rules allow" };
  }
  if (answer.by !== "rule") {
    const exact = rule.content !== undefined && !rule.content.includes("*");
    if (rule.tool === "Bash" && rule.behavior === "allow" && answer.behavior === "allow") {
      return exact ? { kind: "needless", text: "not needed: the command is read-only" } : undefined;
    }
    return { kind: "never", text: `never matches: ${whyNever(rule, call)}` };
  }
  const above = ground.rules.filter(({ behavior }) => STRICTER[rule.behavior].includes(behavior));
  const stricter = above.find((other) => {
    const { by, behavior } = alone(other, call);
    return by === "rule" && behavior === other.behavior;
  });
  return (
    stricter && { kind: "shadowed", text: `has no effect because of the ${stricter.behavior} rule`, rule: stricter }
  );
}

const STRICTER: Readonly<Record<Rule["behavior"], readonly Rule["behavior"][]>> = {
  deny: [],
  ask: ["deny"],
  allow: ["deny", "ask"],
};

function alone(rule: Rule, { matchers: _, ...question }: GateQuestion) {
  return decide({ ...question, rules: [rule], hook: NOTHING_SAID, mode: "default" });
}

/** A name that no rule is likely to mention. */
const SOME = "some-name-or-other";

/** A call that the rule was probably written for. */
function callFor(rule: Rule, ground: RuleContext): GateQuestion | undefined {
  const { cwd, home, directories } = ground;
  const { tool, content } = rule;
  const facts = {
    tool: tool.replaceAll("*", SOME),
    input: {},
    rules: [],
    hook: NOTHING_SAID,
    mode: "default",
  } as const;
  const question = { ...facts, directories, cwd, home, readable: [] };
  const filled = (content ?? SOME)
    .trim()
    .replace(/(:| )\*$/, ` ${SOME}`)
    .replaceAll(/\*+/g, SOME);

  if (tool === "Bash") {
    const access = { kind: "command", command: filled, cwd } as const;
    return { ...question, access, analysis: ground.analyse(filled), commandChecks };
  }
  if (tool === "PowerShell") {
    const access = { kind: "command", command: filled, cwd, language: "powershell" } as const;
    return { ...question, access, analysis: analysePowerShell(filled), commandChecks: powershellChecks };
  }
  if (Object.hasOwn(FILE_TOOLS, tool)) {
    // Brackets and question marks would need the matcher's own reading.
    if (/[[?\\]/.test(filled)) return undefined;
    return { ...question, access: { kind: FILE_TOOLS[tool]!, path: pathFor(filled, rule, ground) } };
  }
  switch (tool) {
    case "WebFetch":
      return { ...question, access: { kind: "url", url: `https://${filled.replace(/^domain:/, "")}/` } };
    case "Agent":
    case "Task":
      return { ...question, access: { kind: "agent", agent: filled } };
    case "Skill": {
      const [skill = filled, args = ""] = filled.split(" ");
      return { ...question, input: { args }, access: { kind: "skill", skill, adds: true } };
    }
  }
  const colon = filled.indexOf(":");
  const input = colon > 0 ? { [filled.slice(0, colon)]: filled.slice(colon + 1).trim() } : {};
  return { ...question, input, access: { kind: "external" } };
}

const FILE_TOOLS: Readonly<Record<string, "read" | "edit">> = {
  Read: "read",
  Glob: "read",
  Grep: "read",
  Edit: "edit",
  Write: "edit",
  NotebookEdit: "edit",
};

function pathFor(pattern: string, { base }: Rule, { home, directories, cwd }: RuleContext): string {
  const path = pattern.endsWith("/") ? `${pattern}${SOME}` : pattern;
  if (path.startsWith("//")) return path.slice(1);
  if (path.startsWith("~")) return home + path.slice(1);
  return path.startsWith("/") ? absolute("/", base + path) : absolute(directories[0] ?? cwd, path);
}

function whyNever({ tool, behavior, content = "" }: Rule, { analysis }: GateQuestion): string {
  if (/^[!#]/.test(content.trim())) return "exceptions and comments are not part of a rule";
  if (behavior !== "allow") return "no call matches it";
  if (tool.includes("*")) return "an allow rule must name the server, as in mcp__server__*";
  if (tool === "PowerShell") return "a rule with a star covers one plain command only";
  if (analysis !== undefined) return whyNoCommand(analysis);
  if (!Object.hasOwn(FILE_TOOLS, tool)) return "only deny and ask rules check the fields of a call";
  return `files are allowed with ${FILE_TOOLS[tool] === "read" ? "Read" : "Edit"}(${content})`;
}

function whyNoCommand({ problem, commands }: CommandAnalysis): string {
  if (problem !== undefined) return `it cannot be read as a command (${problem})`;
  if (commands.length > 1) return "an allow rule covers one part of a command; write one for each part";
  const [only] = commands;
  if (only === undefined) return "it contains no command";
  if (only.assignments.length + only.redirections.length > 0) {
    return "an allow rule is compared with a command without its assignments and redirections";
  }
  const unknown = only.words.find(({ kind }) => kind === "unknown");
  return unknown
    ? `no allow rule covers \`${unknown.text}\`, which could be anything`
    : "it makes a program run another";
}
