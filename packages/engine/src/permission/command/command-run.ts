// What lets one part of a command run unasked: it only looks where it may, a rule allows its text, or the mode covers it.

import type { SimpleCommand } from "./command.ts";
import { filesOf, isNullDevice, resolved, type NamedFile } from "./command-files.ts";
import { endsIn, type CommandView } from "./command-view.ts";
import { allowsText } from "./match-command.ts";
import { climbsBack } from "../match/paths.ts";
import { allowedByPath, isHome, isReadable } from "../question.ts";
import { isSafeAssignment, isSafeSedScript, looksOnlyButRedirects } from "../read-only/read-only.ts";
import type { Rule } from "../rule.ts";

/** Why a part may run. */
export interface Leave {
  readonly by: "other" | "rule" | "mode";
  readonly reason: string;
  readonly rule?: Rule;
}

const LOOKS: Leave = { by: "other", reason: "It only looks" };

/** Undefined when somebody has to be asked. */
export function leaveFor(part: SimpleCommand, view: CommandView, rules = textRules(view)): Leave | undefined {
  const writes = part.redirections.filter((each) => each.kind === "write" && !isNullDevice(each));
  if (
    !part.redirections.every((each) => each.kind === "write" || each.target.kind !== "unknown" || each.kind === "text")
  )
    return undefined;
  const targets = writes.map((each) => leaveToWrite(each, view));
  if (targets.includes(undefined)) return undefined;
  const own = leaveToRun(part, view, rules, { look: true, redirects: writes.length > 0 });
  // Where its output goes is the weightier part of a command that only looks.
  return own === LOOKS ? (targets[0] ?? own) : own;
}

function leaveToRun(
  part: SimpleCommand,
  view: CommandView,
  rules: readonly Rule[],
  { look, redirects }: { look: boolean; redirects: boolean },
): Leave | undefined {
  const empty = part.words.length + part.assignments.length === 0;
  const git = view.gitDanger(part);
  if (look && git.looking === undefined && looksOnlyButRedirects(part) && !(empty && redirects)) {
    return firstOutside(part, view) === undefined ? LOOKS : undefined;
  }
  if (part.within.some((enclosure) => enclosure !== "time") || !part.assignments.every(isSafeAssignment))
    return undefined;
  if (git.acting !== undefined) return undefined;
  const rule = rules.find((each) => allowsText(each.content!, part));
  if (rule) return { by: "rule", reason: rule.text, rule };
  if (view.question.mode === "acceptEdits" && isFileCommand(part) && firstOutside(part, view) === undefined)
    return { by: "mode", reason: "acceptEdits" };
  if (!part.transparent || part.runs.length === 0) return undefined;
  // Looking through a wrapper is not on the list of things that only look.
  const inner = part.runs.map((each) => leaveToRun(each, view, rules, { look: false, redirects: false }));
  return inner.includes(undefined) ? undefined : inner[0];
}

function leaveToWrite({ target }: SimpleCommand["redirections"][number], view: CommandView): Leave | undefined {
  const { question, places } = view;
  if (question.mode === "plan" || (target.kind !== "literal" && target.kind !== "home")) return undefined;
  if (climbsBack(target.value)) return undefined;
  const leaves = resolved(target, places, question.home).map((file): Leave | undefined => {
    const ends = endsIn(file, question);
    const rule = allowedByPath("edit", ends, question);
    if (rule) return { by: "rule", reason: rule.text, rule };
    const covered = question.mode === "acceptEdits" && isHome(ends, question);
    return covered ? { by: "mode", reason: "acceptEdits" } : undefined;
  });
  return leaves.includes(undefined) ? undefined : leaves[0];
}

/** The first file of a part that lies outside the working directories and is not allowed by a path rule. */
export function firstOutside(part: SimpleCommand, view: CommandView): string | undefined {
  const { places, question, lost } = view;
  if (lost) return places.at(-1);
  const files = filesOf(part, places, question.home, "lenient");
  const climbing = files.length > 0 ? climbingWord(part) : undefined;
  if (climbing !== undefined) return climbing;
  const use = looksOnlyButRedirects(part) ? "read" : "edit";
  return files.find((file) => isOutside(file, use, view))?.path;
}

/** These go by the text, as the shell's own `cd` does, or open nothing. */
const OPENS_NOTHING = new Set(["[", "[[", "cd", "readlink", "realpath", "test"]);

function climbingWord({ words, redirections }: SimpleCommand): string | undefined {
  const targets = redirections.filter(({ kind }) => kind === "read").map(({ target }) => target);
  const named = OPENS_NOTHING.has(words[0]?.value ?? "") ? targets : [...words, ...targets];
  return named.find((word) => climbsBack(word.value))?.value;
}

function isOutside(file: NamedFile, use: "read" | "edit", { question }: CommandView): boolean {
  // Where output goes has been judged on its own.
  if (file.path === "/dev/null" || (file.redirected && file.use === "write")) return false;
  if (file.pattern && file.path.split("/").includes("..")) return true;
  const ends = endsIn(file, question);
  const inside = use === "read" ? isReadable(ends, question) : isHome(ends, question);
  return !inside && !allowedByPath(use, ends, question);
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

export function isFileCommand({ words }: SimpleCommand): boolean {
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

function textRules({ question }: CommandView): Rule[] {
  return question.rules.filter(
    (rule) => rule.behavior === "allow" && rule.content !== undefined && rule.tool === question.tool,
  );
}
