// Finds the deny or ask rule that matches a command, part by part: by its text, or by the files it touches.

import type { SimpleCommand } from "../analysis/command.ts";
import { everyCommand, type NamedFile } from "../files/command-files.ts";
import { allEndsIn, endsIn, lineCovers, realPattern, type CommandView } from "../command-view.ts";
import { followedBy, takenAway } from "../files/deep.ts";
import { filesInCode } from "../files/code-files.ts";
import { governs, matchesParameter, namesTool } from "../../match/match.ts";
import { knowsFolder, mayLieIn, mayMatchPattern } from "../../match/match-path.ts";
import { eitherMatches, type GateQuestion } from "../../question.ts";
import { looksOnlyButRedirects } from "../../read-only/read-only.ts";
import type { Rule } from "../../rules/rule.ts";
import { rangeOf } from "../files/wide-reader.ts";

/** maybe: an expansion, or a folder read as a whole, hides whether the rule matches. */
export interface RuleFinding {
  readonly rule: Rule;
  readonly reach: "yes" | "maybe";
}

/** The rule that matches the whole line or the call's other parameters, regardless of its parts. */
export function findingOnLine(rules: readonly Rule[], view: CommandView): RuleFinding | undefined {
  const { question, analysis, lost, adrift } = view;
  const about = commandRules(rules, question);
  if (analysis.problem !== undefined) return about[0] && { rule: about[0], reach: "maybe" };
  const parameter = rules.find((rule) => matchesParameter(rule, question.tool, question.input));
  if (parameter) return { rule: parameter, reach: "yes" };
  const line = about.find((rule) => lineCovers(rule.content!, view));
  if (line) return { rule: line, reach: "yes" };
  // A shell other than bash may read the line in a way that matches any of them.
  const isForeign = question.shell === "other";
  const path =
    lost || adrift || isForeign ? pathRules(rules).find((rule) => lost || !isMasked(rule, question)) : undefined;
  const unsure = isForeign ? (about[0] ?? path) : path;
  return unsure && { rule: unsure, reach: "maybe" };
}

/** The rule that matches each part, in order: one that certainly does, else one that may. */
export function findingsIn(view: CommandView, rules: readonly Rule[]): readonly RuleFinding[] {
  if (rules.length === 0) return [];
  const sorted = { text: commandRules(rules, view.question), path: pathRules(rules) };
  // Skips files that were already checked.
  const seen = new Set<string>();
  return view.analysis.commands.flatMap((part) => findingOn(part, sorted, view, seen) ?? []);
}

function findingOn(
  part: SimpleCommand,
  { text, path }: { readonly text: readonly Rule[]; readonly path: readonly Rule[] },
  view: CommandView,
  seen: Set<string>,
): RuleFinding | undefined {
  const byText = textFinding(part, text, view);
  if (byText?.reach === "yes") return byText;
  const byFile = fileFinding(part, path, view, seen);
  if (byFile?.reach === "yes") return byFile;
  return (
    byText ??
    byFile ??
    rangeFinding(part, path, view) ??
    folderFinding(part, path, view) ??
    codeFinding(part, path, view)
  );
}

/** `sed -n`, `sort x` and `tar t` name files they only read. */
export function isWritten({ command, redirected, use }: NamedFile): boolean {
  return use === "write" && (redirected || !looksOnlyButRedirects(command));
}

function textFinding(part: SimpleCommand, rules: readonly Rule[], view: CommandView): RuleFinding | undefined {
  if (rules.length === 0) return undefined;
  let maybe: RuleFinding | undefined;
  for (const reach of view.readersOf(part)) {
    if (isSpent(rules, view)) return { rule: rules[0]!, reach: "yes" };
    for (const rule of rules) {
      const found = reach(rule.content!);
      if (found === "yes") return { rule, reach: found };
      if (found === "maybe") maybe ??= { rule, reach: found };
    }
  }
  return maybe;
}

function fileFinding(
  part: SimpleCommand,
  rules: readonly Rule[],
  view: CommandView,
  seen: Set<string>,
): RuleFinding | undefined {
  // A lost command was already found by its line.
  if (rules.length === 0 || view.lost) return undefined;
  const { question } = view;
  let maybe: RuleFinding | undefined;
  for (const file of view.filesIn(part)) {
    const edits = isWritten(file);
    const key = `${edits} ${file.pattern} ${file.path}`;
    if (seen.has(key)) continue;
    seen.add(key);
    if (isSpent(rules, view)) return { rule: rules[0]!, reach: "yes" };
    for (const rule of rules) {
      // `Edit(x)` does not apply to reading x.
      if (rule.tool === "Edit" ? !edits : !governs(rule, edits ? "edit" : "read", "Read")) continue;
      if (eitherMatches(rule, endsIn(file, question), question)) return { rule, reach: "yes" };
      if (file.pattern && !isMasked(rule, question) && mayStandFor(rule, file, view))
        maybe ??= { rule, reach: "maybe" };
    }
  }
  return maybe;
}

/** By the names the pattern may match, and by what it matches on disk, with links resolved. */
function mayStandFor(rule: Rule, file: NamedFile, view: CommandView): boolean {
  const { question, budget } = view;
  const ends = allEndsIn(file, question);
  if (ends === undefined || (budget.left -= ends.length) < 0) return true;
  if (mayMatchPattern(rule, file.path, question) || mayMatchPattern(rule, realPattern(file.path, question), question))
    return true;
  return ends.some((each) => eitherMatches(rule, each, question));
}

/** If comparing with every rule would take too long, the rules match: a long command must not get past a rule. */
function isSpent(rules: readonly Rule[], { budget }: CommandView): boolean {
  return (budget.left -= rules.length) < 0;
}

/** A folder read as a whole may contain a file that a rule protects. */
function rangeFinding(part: SimpleCommand, rules: readonly Rule[], view: CommandView): RuleFinding | undefined {
  const { question, places, where } = view;
  const left = rules.filter((rule) => rule.tool === "Read" && !isMasked(rule, question));
  if (left.length === 0 || view.lost) return undefined;
  for (const command of everyCommand([part])) {
    const range = rangeOf(command, places, where.home);
    const followed = followedBy(command, places, where.home);
    const rule = left.find(
      (each) =>
        range === "anywhere" ||
        range.some((folder) => holds(each, folder, question)) ||
        followed.some(({ path, shallow }) => leadsTo(each, path, question, shallow === true)),
    );
    if (rule) return { rule, reach: "maybe" };
  }
  return undefined;
}

function holds(rule: Rule, folder: string, question: GateQuestion): boolean {
  const { real } = endsIn({ path: folder, pattern: false }, question);
  return mayLieIn(rule, folder, question) || (real !== folder && mayLieIn(rule, real, question));
}

/** A folder that is moved or removed as a whole, with a file in it that a rule knows by the folder's name. */
function folderFinding(part: SimpleCommand, rules: readonly Rule[], view: CommandView): RuleFinding | undefined {
  const { question, places, where } = view;
  if (rules.length === 0 || view.lost) return undefined;
  for (const command of everyCommand([part])) {
    const { paths, isMoved } = takenAway(command, places, where.home);
    const left = rules.filter((rule) => rule.tool === "Edit" || (isMoved && !isMasked(rule, question)));
    for (const path of left.length > 0 ? paths : []) {
      if (isSpent(left, view)) return { rule: left[0]!, reach: "maybe" };
      const { given, real } = endsIn({ path, pattern: false }, question);
      const names = given === real ? [given] : [given, real];
      const rule = left.find((each) => names.some((name) => knowsFolder(each, name, question)));
      if (rule) return { rule, reach: "maybe" };
    }
  }
  return undefined;
}

/** A file that code names in quotes: `python -c 'open(".env")'`. */
function codeFinding(part: SimpleCommand, rules: readonly Rule[], view: CommandView): RuleFinding | undefined {
  const { question, places, where } = view;
  const left = rules.filter((rule) => !isMasked(rule, question));
  if (left.length === 0 || view.lost) return undefined;
  for (const command of everyCommand([part])) {
    for (const { path, use } of filesInCode(command, places, where.home)) {
      if (isSpent(left, view)) return { rule: left[0]!, reach: "maybe" };
      const rule = left.find(
        (each) =>
          (each.tool === "Edit" ? use === "write" : governs(each, "read", "Read")) &&
          eitherMatches(each, endsIn({ path, pattern: false }, question), question),
      );
      if (rule) return { rule, reach: "maybe" };
    }
  }
  return undefined;
}

/** Whether a link in the folder leads to what the rule is about; with `opens`, whether any file in it does. */
function leadsTo(rule: Rule, folder: string, { onDisk, ...question }: GateQuestion, opens: boolean): boolean {
  const inside = onDisk?.contents.get(folder);
  return (
    inside === undefined ||
    inside.some((ends) => (opens || ends.given !== ends.real) && eitherMatches(rule, ends, question))
  );
}

/** The shield already makes the file unreadable, so avoiding its name gains nothing. */
function isMasked(rule: Rule, { shield }: GateQuestion): boolean {
  return shield === true && rule.behavior === "deny" && rule.tool === "Read";
}

function commandRules(rules: readonly Rule[], { tool }: GateQuestion): Rule[] {
  // Deny rules for commands apply to every tool that runs commands.
  return rules.filter((rule) => rule.content !== undefined && (namesTool(rule, tool) || rule.tool === "Bash"));
}

function pathRules(rules: readonly Rule[]): Rule[] {
  return rules.filter((rule) => rule.content !== undefined && (rule.tool === "Read" || rule.tool === "Edit"));
}
