// The gate's questions about shell commands: what forbids one, what makes it dangerous, what lets it run.
// A command that could not be read whole is never allowed by its parts.

import { dirname } from "node:path/posix";
import type { PermissionUpdate } from "@keelson/protocol";
import { cutMiddle } from "../bound.ts";
import type { PermissionDecision } from "../ports.ts";
import type { CommandAnalysis, SimpleCommand } from "./command.ts";
import {
  everyCommand,
  filesInCommand,
  filesOf,
  isLost,
  isNullDevice,
  placesIn,
  resolved,
  type NamedFile,
  type Where,
} from "./command-files.ts";
import { governs, matchesPath, mayMatchPattern, namesTool, patternFolder } from "./match.ts";
import { allowsText, reaches } from "./match-command.ts";
import { isProtected } from "./protected.ts";
import { allowedByPath, eitherMatches, isHome, isReadable, type Ends, type GateQuestion } from "./question.ts";
import { isReadOnly, isSafeAssignment, isSafeSedScript, looksOnlyButRedirects } from "./read-only.ts";
import { criticalRemoval } from "./removal.ts";
import type { Rule } from "./rule.ts";
import { suggestCommands, suggestDirectory } from "./suggest.ts";

/** Commands longer than this run only when all of Bash is allowed. */
const LONGEST = 10_000;
const LONGEST_SHOWN = 2_000;

/** The refusal, when a deny rule speaks about the command or a file in it. */
export function commandDeny(question: GateQuestion, rules: readonly Rule[]): string | undefined {
  const analysis = analysisOf(question);
  const refusal = refusalOf(question);
  const about = contentRules(rules, question);
  if (analysis.problem !== undefined) {
    return about.length > 0
      ? `${refusal} It could not be checked against the deny rules: ${analysis.problem}.`
      : undefined;
  }
  if (about.some((rule) => reaches(rule.content!, analysis) === "yes")) return refusal;
  return touches(question, analysis, rules) === "yes" ? refusal : undefined;
}

export function refusalOf(question: GateQuestion): string {
  const text = cutMiddle(commandOf(question), LONGEST_SHOWN);
  return `Permission to use ${question.tool} with command ${text} has been denied.`;
}

/** Whether a person must be asked: an ask rule speaks, or a deny rule might. */
export function commandAsk(question: GateQuestion, rules: readonly Rule[]): boolean {
  const analysis = analysisOf(question);
  if (analysis.problem !== undefined) return contentRules(rules, question).length > 0;
  const denying = question.rules.filter((rule) => rule.behavior === "deny");
  return (
    contentRules([...rules, ...denying], question).some((rule) => reaches(rule.content!, analysis) !== "no") ||
    touches(question, analysis, [...rules, ...denying]) !== "no"
  );
}

/** Unreadable commands and critical removals in every mode; writes to protected paths unless bypassed. */
export function commandSafety(question: GateQuestion): { reason: string; path?: string } | undefined {
  const analysis = analysisOf(question);
  if (analysis.problem !== undefined) return { reason: `This command requires approval: ${analysis.problem}` };
  const target = criticalRemoval(analysis, { ...question, ...whereOf(question) });
  if (target !== undefined) {
    const path = cutMiddle(target, LONGEST_SHOWN);
    return { reason: `This command requires approval: it would remove '${path}'`, path };
  }
  if (question.mode === "bypassPermissions") return undefined;
  const lost = isLost(placesIn(everyCommand(analysis.commands), whereOf(question)));
  const file = filesInCommand(analysis, whereOf(question), "strict").find(
    (each) => each.use === "write" && writes(each) && (lost || endsWhichAre(each, question).some(isProtected)),
  );
  return (
    file && {
      reason: `Permission to write to ${file.path} was not given.`,
      path: file.path,
    }
  );
}

/** Every part looks only, and only where it may; or a rule or the mode allows it. */
export function commandAllow(question: GateQuestion): PermissionDecision | undefined {
  const analysis = analysisOf(question);
  if (analysis.problem !== undefined || commandOf(question).length > LONGEST) return undefined;
  if (analysis.commands.length === 0) return undefined;
  const places = placesIn(everyCommand(analysis.commands), whereOf(question));
  if (isReadOnly(analysis) && !analysis.commands.some((part) => outside(part, places, question))) {
    return { behavior: "allow", by: "other", reason: "It only looks" };
  }
  const moves = analysis.commands.some((part) => part.words[0]?.value === "cd");
  const allowed = analysis.commands.every((part) => {
    const risky = moves && part.words[0]?.value === "git";
    return mayRun(part, places, question, { look: !risky });
  });
  return allowed ? { behavior: "allow", by: "rule", reason: "Each part of it is allowed" } : undefined;
}

/** Why it has to be asked about, and what would settle it for good. */
export function commandSuggestions(question: GateQuestion): {
  reason: string;
  suggestions: readonly PermissionUpdate[];
  blockedPath?: string;
} {
  const reason = "This command requires approval";
  const analysis = analysisOf(question);
  if (analysis.problem !== undefined) return { reason, suggestions: [] };
  const places = placesIn(everyCommand(analysis.commands), whereOf(question));
  const left = analysis.commands.filter((part) => !mayRun(part, places, question, { look: true }));
  const roots = question.directories.map((directory) => `'${directory}'`).join(", ");
  for (const part of left) {
    const path = outside(part, places, question);
    if (path === undefined) continue;
    const name = part.words[0]?.value ?? "";
    const blocked = (what: string) =>
      `${name} in '${path}' was blocked. This session may only ${what} in the allowed working directories for this session: ${roots}.`;
    if (looksOnlyButRedirects(part)) {
      return { reason: blocked("read files"), suggestions: suggestDirectory(path, "Bash"), blockedPath: path };
    }
    if (question.mode === "acceptEdits" && isFileCommand(part)) {
      const suggestions = [{ type: "addDirectories", directories: [dirname(path)], destination: "session" }] as const;
      return { reason: blocked("create or modify files"), suggestions, blockedPath: path };
    }
  }
  return { reason, suggestions: suggestCommands(left) };
}

function mayRun(
  part: SimpleCommand,
  places: readonly string[],
  question: GateQuestion,
  { look }: { look: boolean },
): boolean {
  if (!part.redirections.every((redirection) => mayRedirect(redirection, places, question))) return false;
  if (look && looksOnlyButRedirects(part) && part.words.length + part.assignments.length > 0) {
    return !outside(part, places, question);
  }
  if (part.within.some((enclosure) => enclosure !== "time") || !part.assignments.every(isSafeAssignment)) return false;
  const rules = question.rules.filter(
    (rule) => rule.behavior === "allow" && rule.content !== undefined && rule.tool === question.tool,
  );
  if (rules.some((rule) => allowsText(rule.content!, part))) return true;
  if (question.mode === "acceptEdits" && isFileCommand(part) && !outside(part, places, question)) return true;
  // Looking through a wrapper is not on the list of things that only look.
  return (
    part.transparent &&
    part.runs.length > 0 &&
    part.runs.every((inner) => mayRun(inner, places, question, { look: false }))
  );
}

function mayRedirect(
  redirection: SimpleCommand["redirections"][number],
  places: readonly string[],
  question: GateQuestion,
): boolean {
  if (redirection.kind !== "write") return redirection.target.kind !== "unknown" || redirection.kind === "text";
  if (isNullDevice(redirection)) return true;
  const { target } = redirection;
  if (question.mode === "plan" || (target.kind !== "literal" && target.kind !== "home")) return false;
  return resolved(target, places, question.home).every((file) => {
    const ends = endsOf(file, question);
    return allowedByPath("edit", ends, question) || (question.mode === "acceptEdits" && isHome(ends, question));
  });
}

/** The first file of a part that lies outside the working directories and is not allowed by a path rule. */
function outside(part: SimpleCommand, places: readonly string[], question: GateQuestion): string | undefined {
  if (isLost(places)) return places.at(-1);
  const use = looksOnlyButRedirects(part) ? "read" : "edit";
  return filesOf(part, places, question.home, "lenient").find((file) => {
    // Where output goes has been judged on its own.
    if (file.path === "/dev/null" || (file.redirected && file.use === "write")) return false;
    if (file.pattern && file.path.split("/").includes("..")) return true;
    const ends = endsOf(file, question);
    const inside = use === "read" ? isReadable(ends, question) : isHome(ends, question);
    return !inside && !allowedByPath(use, ends, question);
  })?.path;
}

/** What acceptEdits runs unasked, with options that cannot name another file. */
const FILE_COMMANDS: Readonly<Record<string, RegExp>> = {
  cp: /^(-[aRrfinpvudHPx]+|--recursive|--force|--verbose|--no-clobber|--preserve)$/,
  mkdir: /^(-[pv]+|--parents|--verbose)$/,
  mv: /^(-[finvu]+|--force|--verbose|--no-clobber)$/,
  rm: /^(-[rRfivdI]+|--recursive|--force|--verbose)$/,
  rmdir: /^(-[pv]+|--parents|--verbose)$/,
  touch: /^(-[acm]+|--no-create)$/,
};

function isFileCommand({ words }: SimpleCommand): boolean {
  const [program, ...rest] = words;
  if (program?.kind !== "literal" || rest.length === 0) return false;
  if (rest.some((word) => word.kind === "unknown" || (word.kind === "glob" && !/^[\w./~]/.test(word.value))))
    return false;
  if (program.value === "sed") {
    const operands = rest.filter((word) => !/^-([Er]*i|i[Er]?|[Er])$/.test(word.value)).map((word) => word.value);
    return operands.length > 1 && operands.every((word) => !word.startsWith("-")) && isSafeSedScript(operands[0]!);
  }
  const options = Object.hasOwn(FILE_COMMANDS, program.value) ? FILE_COMMANDS[program.value]! : undefined;
  return options !== undefined && rest.every((word) => !word.value.startsWith("-") || options.test(word.value));
}

/** Whether a path rule speaks about a file the command names. */
function touches(question: GateQuestion, analysis: CommandAnalysis, rules: readonly Rule[]): "yes" | "maybe" | "no" {
  const paths = rules.filter((rule) => rule.content !== undefined && (rule.tool === "Read" || rule.tool === "Edit"));
  if (paths.length === 0) return "no";
  if (isLost(placesIn(everyCommand(analysis.commands), whereOf(question)))) return "maybe";
  let answer: "maybe" | "no" = "no";
  const seen = new Set<string>();
  for (const file of filesInCommand(analysis, whereOf(question), "strict")) {
    const edits = file.use === "write" && writes(file);
    const key = `${edits} ${file.pattern} ${file.path}`;
    if (seen.has(key)) continue;
    seen.add(key);
    for (const rule of paths) {
      // `Edit(x)` says nothing about reading x.
      if (rule.tool === "Edit" ? !edits : !governs(rule, edits ? "edit" : "read", "Read")) continue;
      if (!file.pattern && eitherMatches(rule, endsOf(file, question), question)) return "yes";
      if (file.pattern && matchesPath(rule, patternFolder(file.path), question)) return "yes";
      if (file.pattern && mayMatchPattern(rule, file.path, question)) answer = "maybe";
    }
  }
  return answer;
}

/** `sed -n`, `sort x` and `tar t` name files they only read. */
function writes({ command, redirected }: NamedFile): boolean {
  return redirected || !looksOnlyButRedirects(command);
}

function contentRules(rules: readonly Rule[], { tool }: GateQuestion): Rule[] {
  // Whatever runs commands is bound by what forbids commands.
  return rules.filter((rule) => rule.content !== undefined && (namesTool(rule, tool) || rule.tool === "Bash"));
}

function endsWhichAre(file: NamedFile, question: GateQuestion): string[] {
  const { given, real } = endsOf(file, question);
  return [given, real];
}

function endsOf(file: Pick<NamedFile, "path" | "pattern">, { realPaths }: GateQuestion): Ends {
  if (file.pattern) {
    const folder = patternFolder(file.path);
    return { given: folder, real: realPaths?.get(folder) ?? folder };
  }
  return { given: file.path, real: realPaths?.get(file.path) ?? file.path };
}

/** The command runs where it says, which may not be where the session stands. */
function whereOf({ access, cwd, home }: GateQuestion): Where {
  return { cwd: access.kind === "command" ? access.cwd : cwd, home };
}

function commandOf({ access }: GateQuestion): string {
  return access.kind === "command" ? access.command : "";
}

/** An analysis that is missing, or of another text, counts as unreadable. */
function analysisOf(question: GateQuestion): CommandAnalysis {
  const command = commandOf(question);
  const { analysis } = question;
  if (analysis?.command === command) return analysis;
  return { command, commands: [], problem: "it was not analysed" };
}
