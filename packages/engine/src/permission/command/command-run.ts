// What lets one part of a command run without approval: it is read-only where it may read, a rule allows its text, or
// the mode covers it.

import { basename } from "node:path/posix";
import type { SimpleCommand } from "./analysis/command.ts";
import { isNullDevice, resolved } from "./files/command-files.ts";
import { ownProgram } from "./files/own-programs.ts";
import { endsIn, type CommandView } from "./command-view.ts";
import { allowsText } from "./rules/match-command.ts";
import { fedOut, inputFromOutside, obstacleIn, optionLike } from "./obstacle.ts";
import { isBound, namesScript } from "./rules/rule-limits.ts";
import { surroundingsOf } from "./rules/surroundings.ts";
import { mayAddAnyFile, mayAddOption } from "./inner/xargs.ts";
import { commandNames } from "../match/match.ts";
import { climbsBack } from "../match/paths.ts";
import { allowedByPath, isInWorkingDirs } from "../question.ts";
import { isSafeAssignment, isSafeSedScript, looksOnlyButRedirects } from "../read-only/read-only.ts";
import { openCode } from "../options/code-words.ts";
import { mayOpenFiles } from "../options/sed-script.ts";
import type { Rule } from "../rules/rule.ts";

/** Why a part may run. */
export interface Leave {
  readonly by: "other" | "rule" | "mode";
  readonly reason: string;
  readonly rule?: Rule;
}

const LOOKS: Leave = { by: "other", reason: "It is read-only" };

/** Undefined if approval is needed. */
export function leaveFor(part: SimpleCommand, view: CommandView, rules = textRules(view)): Leave | undefined {
  const writes = part.redirections.filter((each) => each.kind === "write" && !isNullDevice(each));
  if (
    !part.redirections.every((each) => each.kind === "write" || each.target.kind !== "unknown" || each.kind === "text")
  )
    return undefined;
  const targets = writes.map((each) => leaveToWrite(each, view));
  if (targets.includes(undefined)) return undefined;
  const own = leaveToRun(part, view, rules, { look: true, redirects: writes.length > 0 });
  // For a read-only command, where its output goes matters more.
  return own === LOOKS ? (targets[0] ?? own) : own;
}

function leaveToRun(
  part: SimpleCommand,
  view: CommandView,
  rules: readonly Rule[],
  { look, redirects, fed = false }: { look: boolean; redirects: boolean; fed?: boolean },
): Leave | undefined {
  const empty = part.words.length + part.assignments.length === 0;
  const git = view.gitDanger(part);
  const isOwn = ownProgram(part, view.question) !== undefined;
  if (look && !isOwn && git.looking === undefined && looksOnlyButRedirects(part) && !(empty && redirects)) {
    return obstacleIn(part, view) === undefined ? LOOKS : undefined;
  }
  if (part.within.some((enclosure) => enclosure !== "time") || !part.assignments.every(isSafeAssignment))
    return undefined;
  if (git.acting !== undefined) return undefined;
  if (openCode(part, "rule")) return undefined;
  const surroundings = surroundingsOf(part, view, { fed });
  const rule = rules.find(
    (each) => allowsText(each.content!, part, surroundings) && reaches(each.content!, part, view),
  );
  if (rule) return { by: "rule", reason: rule.text, rule };
  if (isOwn) return undefined;
  if (view.question.mode === "acceptEdits" && isFileCommand(part) && obstacleIn(part, view) === undefined)
    return { by: "mode", reason: "acceptEdits" };
  if (!part.transparent || part.runs.length === 0 || mayAddAnyFile(part, view.analysis.commands)) return undefined;
  if (fedOut(part, view) ?? inputFromOutside(part, view)) return undefined;
  // What xargs adds decides which files a read-only command opens, and so does a file that the wrapper is fed with.
  const isFed = part.redirections.some(({ kind }) => kind === "read");
  const passesOn = !isFed && !/^(nohup|xargs)$/.test(basename(part.words[0]!.value));
  const how = { look: look && passesOn, redirects: false, fed: fed || mayAddOption(part, view.analysis.commands) };
  const inner = part.runs.map((each) => leaveToRun(each, view, rules, how));
  return inner.includes(undefined) ? undefined : inner[0];
}

/** A rule without a star covers exactly this command; one with a star stops at the working directories. */
function reaches(content: string, part: SimpleCommand, view: CommandView): boolean {
  if (!content.includes("*")) return true;
  if (
    !namesScript(content, part) ||
    (isBound(part, view.analysis.commands)
      ? obstacleIn(part, view)
      : (optionLike(part, view) ?? inputFromOutside(part, view)))
  )
    return false;
  // A command behind a transparent wrapper has the same limits as on its own.
  return !part.transparent || part.runs.every((each) => reaches(content, each, view));
}

function leaveToWrite({ target }: SimpleCommand["redirections"][number], view: CommandView): Leave | undefined {
  const { question, places } = view;
  if (question.mode === "plan" || (target.kind !== "literal" && target.kind !== "home")) return undefined;
  if (climbsBack(target.value)) return undefined;
  const leaves = resolved(target, places, question.home).map((file): Leave | undefined => {
    const ends = endsIn(file, question);
    const rule = allowedByPath("edit", ends, question);
    if (rule) return { by: "rule", reason: rule.text, rule };
    const covered = question.mode === "acceptEdits" && isInWorkingDirs(ends, question);
    return covered ? { by: "mode", reason: "acceptEdits" } : undefined;
  });
  return leaves.includes(undefined) ? undefined : leaves[0];
}

/** What acceptEdits runs without approval, with options that cannot name another file. */
const FILE_COMMANDS: Readonly<Record<string, RegExp>> = {
  cp: /^(-[aRrfinpvudHPx]+|--recursive|--force|--verbose|--no-clobber|--preserve)$/,
  mkdir: /^(-[pv]+|--parents|--verbose)$/,
  mv: /^(-[finvu]+|--force|--verbose|--no-clobber)$/,
  rm: /^(-[rRfivdI]+|--recursive|--force|--verbose)$/,
  rmdir: /^(-[pv]+|--parents|--verbose)$/,
  touch: /^(-[acm]+|--no-create)$/,
};

export function isFileCommand({ words }: SimpleCommand): boolean {
  const [program, ...rest] = words;
  if (program?.kind !== "literal" || rest.length === 0) return false;
  if (rest.some((word) => word.kind === "unknown" || (word.kind === "glob" && !/^[\w./~]/.test(word.value))))
    return false;
  if (program.value === "sed") return editsInPlace(rest.map((word) => word.value));
  const options = Object.hasOwn(FILE_COMMANDS, program.value) ? FILE_COMMANDS[program.value]! : undefined;
  return options !== undefined && rest.every((word) => !word.value.startsWith("-") || options.test(word.value));
}

function editsInPlace(words: readonly string[]): boolean {
  const operands = words.filter((word) => !/^-([Er]*i|i[Er]?|[Er])$/.test(word));
  const [script = "", next = "", ...more] = operands;
  if (operands.length < 2 || operands.some((word) => word.startsWith("-")) || !isSafeSedScript(script)) return false;
  // On macOS, the word after `-i` is a suffix, usually empty, and the script comes next.
  return script === "" ? more.length > 0 && isSafeSedScript(next) : !mayOpenFiles(next);
}

/** A rule covers this part's text; if it still needs approval, something else is in the way. */
export function isRuled(part: SimpleCommand, view: CommandView): boolean {
  const surroundings = surroundingsOf(part, view, { fed: false });
  return textRules(view).some((rule) => allowsText(rule.content!, part, surroundings));
}

export function textRules({ question }: CommandView): Rule[] {
  const names = commandNames(question.tool);
  return question.rules.filter(
    (rule) => rule.behavior === "allow" && rule.content !== undefined && names.includes(rule.tool),
  );
}
