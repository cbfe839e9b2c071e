// Why the gate says what it says. Everything here is found by asking `trace` and `decide` again, with a part of the
// question or with one thing changed: there is no second reading of rules, so an explanation cannot differ from a decision.

import type { PermissionMode, PermissionUpdate } from "@keelson/protocol";
import type { Decider, PermissionDecision } from "../../ports.ts";
import { needsClassifier } from "../auto/classify.ts";
import { CHECK_ORDER, trace, type Check, type GateQuestion } from "../decide.ts";
import { explainCommand, type CommandExplanation } from "./explain-command.ts";
import { remediesFor, type Remedy } from "./explain-remedy.ts";
import { matchingRules } from "./explain-rule.ts";
import { protectedEnd } from "../match/governing.ts";
import { absolute, isInside } from "../match/paths.ts";
import type { Rule } from "../rule.ts";

export { noteOn, type RuleNote } from "./explain-rule.ts";
export type { CommandExplanation, PartExplanation, RedirectionExplanation } from "./explain-command.ts";
export type { Remedy } from "./explain-remedy.ts";

export type Verdict = PermissionDecision["behavior"];

export interface Explanation {
  readonly tool: string;
  readonly mode: PermissionMode;
  readonly verdict: Verdict;
  readonly by: Decider;
  /** The gate's own sentence. */
  readonly reason: string;
  /** The rule that decided, where one did. */
  readonly rule?: Rule;
  /** The checks of the gate in their order. The first that had an answer decided. */
  readonly checks: readonly { readonly name: Check; readonly outcome: "passed" | "decided" | "not reached" }[];
  /** It would have been a question, but the mode asks nobody. */
  readonly unasked: boolean;
  /** In auto mode: the model is asked before a person is. */
  readonly classified: boolean;
  /** Rules that would decide this call if they stood alone. */
  readonly speaking: readonly Rule[];
  readonly path?: PathExplanation;
  readonly command?: CommandExplanation;
  /** Ways to have it allowed, narrowest first; each was tried on the gate. */
  readonly remedies: readonly Remedy[];
  /** What the gate suggests to a person it asks. */
  readonly suggestions: readonly PermissionUpdate[];
}

export interface PathExplanation {
  readonly use: "read" | "edit";
  readonly given: string;
  /** With every link resolved. */
  readonly real: string;
  /** The working directory that holds it; absent outside. */
  readonly inside?: string;
  /** Runs as code later, or steers us: written only on somebody's word. */
  readonly protected: boolean;
}

export function explain(question: GateQuestion): Explanation {
  const { check, decision, asked } = trace(question);
  const open = asked ?? decision;
  const at = CHECK_ORDER.indexOf(check);
  const path = explainPath(question);
  const command = explainCommand(question, decision);
  return {
    tool: question.tool,
    mode: question.mode,
    verdict: decision.behavior,
    by: decision.by,
    reason: open.behavior === "deny" ? open.message : open.reason,
    ...(open.rule && { rule: open.rule }),
    checks: CHECK_ORDER.map((name, index) => ({
      name,
      outcome: index < at ? "passed" : index === at ? "decided" : "not reached",
    })),
    unasked: asked !== undefined,
    classified: needsClassifier(decision, question.mode, { access: question.access }),
    speaking: matchingRules(question),
    ...(path && { path }),
    ...(command && { command }),
    remedies: remediesFor(question, open, command),
    suggestions: open.behavior === "ask" ? open.suggestions : [],
  };
}

function explainPath({ access, cwd, realPath, directories, governing }: GateQuestion): PathExplanation | undefined {
  if (access.kind !== "read" && access.kind !== "edit") return undefined;
  const given = absolute(cwd, access.path);
  const real = realPath === undefined ? given : absolute("/", realPath);
  const inside = directories.find((directory) => isInside(directory, real));
  return {
    use: access.kind,
    given,
    real,
    ...(inside !== undefined && { inside }),
    protected: protectedEnd({ given, real }, { governing }) !== undefined,
  };
}
