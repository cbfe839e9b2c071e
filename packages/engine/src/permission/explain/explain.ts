// Explains the gate's decision. Everything here is found by calling `trace` and `decide` again, with part of the
// question or with one thing changed. Rules are not read a second way, so an explanation cannot differ from a decision.

import type { PermissionMode, PermissionUpdate } from "@keelson/protocol";
import type { Decider, PermissionDecision } from "../../ports.ts";
import { needsClassifier } from "../auto/classify.ts";
import { CHECK_ORDER, trace, type Check, type GateQuestion } from "../decide.ts";
import { explainCommand, type CommandExplanation } from "./explain-command.ts";
import { remediesFor, type Remedy } from "./explain-remedy.ts";
import { matchingRules } from "./explain-rule.ts";
import { protectedEnd } from "../match/governing.ts";
import { absolute, isInside } from "../match/paths.ts";
import type { Rule } from "../rules/rule.ts";

export { noteOn, type RuleNote } from "./explain-rule.ts";
export type { CommandExplanation, PartExplanation, RedirectionExplanation } from "./explain-command.ts";
export type { Remedy } from "./explain-remedy.ts";

export type Verdict = PermissionDecision["behavior"];

export interface Explanation {
  readonly tool: string;
  readonly mode: PermissionMode;
  readonly verdict: Verdict;
  readonly by: Decider;
  /** The gate's own reason. */
  readonly reason: string;
  /** The rule that decided, if one did. */
  readonly rule?: Rule;
  /** The gate's checks in order. The first one with an answer decided. */
  readonly checks: readonly { readonly name: Check; readonly outcome: "passed" | "decided" | "not reached" }[];
  /** It would need approval, but the mode asks no one. */
  readonly unasked: boolean;
  /** In auto mode, the classifier is asked before a person. */
  readonly classified: boolean;
  /** Rules that would decide this call on their own. */
  readonly speaking: readonly Rule[];
  readonly path?: PathExplanation;
  readonly command?: CommandExplanation;
  /** Ways to allow it, narrowest first; each was tried on the gate. */
  readonly remedies: readonly Remedy[];
  /** What the gate suggests when it asks a person. */
  readonly suggestions: readonly PermissionUpdate[];
}

export interface PathExplanation {
  readonly use: "read" | "edit";
  readonly given: string;
  /** With every link resolved. */
  readonly real: string;
  /** The working directory that contains it; absent if outside. */
  readonly inside?: string;
  /** It runs as code later or configures this session, so writing it needs approval. */
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
