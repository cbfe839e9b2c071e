// Explains a shell command part by part: what each simple command is, its context, the gate's verdict on it alone, and
// what keeps it from being allowed. Every verdict comes from the gate.

import { NOTHING_SAID } from "@keelson/protocol";
import type { Decider, PermissionDecision } from "../../ports.ts";
import type { SimpleCommand } from "../command/analysis/command.ts";
import { resolved } from "../command/files/command-files.ts";
import { viewOf, type CommandView } from "../command/command-view.ts";
import { trace, type GateQuestion } from "../decide.ts";
import { obstaclesOf } from "./explain-obstacle.ts";
import type { Rule } from "../rules/rule.ts";
import { literal, type Word } from "../command/analysis/word.ts";

type Verdict = PermissionDecision["behavior"];

export interface CommandExplanation {
  /** Why it could not be read; there are no parts then. */
  readonly problem?: string;
  readonly parts: readonly PartExplanation[];
  /** The number of parts beyond the limit, which are not shown. */
  readonly left: number;
  /** It changes folders too often to tell where its paths lead. */
  readonly lost?: true;
  /** Each part may run, but not together: the two that conflict. */
  readonly together?: readonly [string, string];
}

export interface CommandVerdict {
  readonly verdict: Verdict;
  readonly by: Decider;
  readonly reason: string;
  readonly rule?: Rule;
  readonly blockedPath?: string;
}

export interface PartExplanation extends CommandVerdict {
  /** As written, without assignments and redirections. */
  readonly text: string;
  /** Unquoted. */
  readonly words: readonly Word[];
  readonly assignments: readonly string[];
  /** From the outside in: `subshell`, `substitution`, `background` … */
  readonly within: SimpleCommand["within"];
  /** Part of a pipeline. */
  readonly piped: boolean;
  readonly redirections: readonly RedirectionExplanation[];
  /** What it would start, behind a wrapper or in shell text. */
  readonly starts: readonly PartExplanation[];
  /** Rules for what it starts may allow it. */
  readonly transparent: boolean;
  /** It starts something the text does not show. */
  readonly opaque: boolean;
  /** Words that only the shell knows. */
  readonly unknown: readonly string[];
  /** What keeps it from being allowed, if the gate's reason does not say. */
  readonly obstacles: readonly string[];
}

export interface RedirectionExplanation extends CommandVerdict {
  readonly kind: "read" | "write";
  readonly target: string;
  /** Where it may lead; several if the command changes folders, none if only the shell knows. */
  readonly paths: readonly string[];
}

const MOST_PARTS = 100;
const MOST_PAIRS = 400;
/** Past this limit, only the essentials are worked out. */
const MOST_DECISIONS = 5_000;

export function explainCommand(question: GateQuestion, decision: PermissionDecision): CommandExplanation | undefined {
  // The parts are those that bash reads.
  if (question.access.kind !== "command" || question.access.language !== undefined) return undefined;
  const view = viewOf(question);
  const { analysis } = view;
  if (analysis.problem !== undefined) return { problem: analysis.problem, parts: [], left: 0 };
  const judge = judgeFor(view);
  const shown = analysis.commands.slice(0, MOST_PARTS);
  const parts = shown.map((part) => explainPart(part, judge, question, 0));
  const together = decision.behavior !== "allow" ? misfit(shown, parts, judge) : undefined;
  const left = analysis.commands.length - shown.length;
  return { parts, left, ...(view.lost && { lost: true }), ...(together && { together }) };
}

/** The gate's verdict on these parts as if they were the whole command, in every folder the command may be in. */
export interface Judge {
  (parts: readonly SimpleCommand[]): CommandVerdict;
  readonly places: readonly string[];
  isTired(): boolean;
}

function judgeFor({ question, places, sandbox: held }: CommandView): Judge {
  const { access, sandbox, ...facts } = question;
  let decisions = 0;
  const judge = (commands: readonly SimpleCommand[]) => {
    decisions += places.length;
    const command = commands.map(({ text }) => text).join("; ");
    const answers = places.map((cwd) => {
      const { decision, asked } = trace({
        ...facts,
        // One part that runs outside the sandbox takes the others with it.
        ...(held !== "none" && sandbox && { sandbox }),
        hook: NOTHING_SAID,
        access: { ...access, kind: "command", command, cwd },
        analysis: { command, commands },
      });
      return asked ?? decision;
    });
    return judged(STRICTEST.map((verdict) => answers.find(({ behavior }) => behavior === verdict)).find(Boolean)!);
  };
  return Object.assign(judge, { places, isTired: () => decisions > MOST_DECISIONS });
}

const STRICTEST: readonly Verdict[] = ["deny", "ask", "allow"];

function judged(decision: PermissionDecision): CommandVerdict {
  return {
    verdict: decision.behavior,
    by: decision.by,
    reason: decision.behavior === "deny" ? decision.message : decision.reason,
    ...(decision.rule && { rule: decision.rule }),
    ...(decision.behavior === "ask" && decision.blockedPath !== undefined && { blockedPath: decision.blockedPath }),
  };
}

function explainPart(part: SimpleCommand, judge: Judge, question: GateQuestion, depth: number): PartExplanation {
  const answer = judge([part]);
  return {
    ...answer,
    text: part.text,
    words: part.words,
    assignments: part.assignments.map(({ name, value }) => `${name}=${value?.text ?? "…"}`),
    within: part.within.map((each) => (each === "printed" ? "substitution" : each)),
    piped: part.piped === true,
    redirections: part.redirections.flatMap((each) =>
      judge.isTired() ? [] : explainRedirection(each, judge, question),
    ),
    starts: part.runs.flatMap((inner) => (judge.isTired() ? [] : [explainPart(inner, judge, question, depth + 1)])),
    transparent: part.transparent,
    opaque: part.opaque,
    unknown: part.words.filter(({ kind }) => kind === "unknown").map(({ text }) => text),
    // For a command behind a wrapper, the wrapper decides.
    obstacles: depth === 0 && isUnexplained(answer) && !judge.isTired() ? obstaclesOf(part, judge) : [],
  };
}

/** A question that neither a rule nor a path explains. */
function isUnexplained({ verdict, by, blockedPath }: CommandVerdict): boolean {
  return verdict === "ask" && by !== "rule" && by !== "protected" && blockedPath === undefined;
}

/** Judged as if it belonged to a program that does nothing, so that only the redirection matters. */
function explainRedirection(
  redirection: SimpleCommand["redirections"][number],
  judge: Judge,
  { home }: GateQuestion,
): RedirectionExplanation[] {
  const { kind, target } = redirection;
  if (kind !== "read" && kind !== "write") return [];
  const paths = target.kind === "unknown" ? [] : resolved(target, judge.places, home).map(({ path }) => path);
  return [{ ...judge([{ ...NOTHING, redirections: [redirection] }]), kind, target: target.text, paths }];
}

const NOTHING: SimpleCommand = {
  words: [literal("true")],
  text: "true",
  assignments: [],
  redirections: [],
  within: [],
  runs: [],
  transparent: false,
  opaque: false,
};

/** Two parts that may each run, but not one after the other, such as `cd` and `git`. */
function misfit(
  parts: readonly SimpleCommand[],
  explained: readonly PartExplanation[],
  judge: Judge,
): readonly [string, string] | undefined {
  if (explained.some(({ verdict }) => verdict !== "allow")) return undefined;
  let left = MOST_PAIRS;
  for (const [at, second] of parts.entries()) {
    for (const first of parts.slice(0, at)) {
      if (left-- === 0) return undefined;
      if (judge([first, second]).verdict !== "allow") return [first.text, second.text];
    }
  }
  return undefined;
}
