// The gate's checks for shell commands: what denies one, what makes it dangerous, what allows it. A command that could
// not be read completely is never allowed by its parts.

import { dirname } from "node:path/posix";
import type { PermissionUpdate } from "@keelson/protocol";
import type { SimpleCommand } from "./analysis/command.ts";
import { findingOnLine, findingsIn, isWritten, type RuleFinding } from "./rules/command-rules.ts";
import { protectedTarget, uncheckedCopy } from "./files/protected-writes.ts";
import { ownProgram } from "./files/own-programs.ts";
import { isFileCommand, isRuled, leaveFor, textRules, type Leave } from "./command-run.ts";
import { endsIn, viewOf, type CommandView } from "./command-view.ts";
import { fedOut, inputFromOutside, obstacleIn, optionLike } from "./obstacle.ts";
import { openCode, type OpenCode } from "../options/code-words.ts";
import { completedOption } from "../options/options.ts";
import { looksOnlyButRedirects } from "../read-only/read-only.ts";
import { criticalRemoval } from "./removal.ts";
import { isBound } from "./rules/rule-limits.ts";
import { isInWorkingDirs } from "../question.ts";
import type { Rule } from "../rules/rule.ts";
import { protectedWish, refusal, shortCommand } from "../sentences.ts";
import { beyondRules } from "./rules/surroundings.ts";
import { suggestDirectory, suggestFolder } from "../rules/suggest.ts";
import { rulesFor, suggestCommands } from "./rules/suggest-command.ts";

/**
 * The checks that `decide` uses for commands. It gets them with the question instead of importing them, because other
 * calls would load some sixty modules for nothing.
 */
export interface CommandChecks {
  viewOf: typeof viewOf;
  denials: typeof denials;
  deny: typeof commandDeny;
  ask: typeof commandAsk;
  safety: typeof commandSafety;
  allow: typeof commandAllow;
  suggest: typeof commandSuggestions;
}

export const commandChecks: CommandChecks = {
  viewOf,
  denials,
  deny: commandDeny,
  ask: commandAsk,
  safety: commandSafety,
  allow: commandAllow,
  suggest: commandSuggestions,
};

/** Longer commands run only if a rule allows all of Bash. */
const LONGEST = 10_000;

/** What the deny rules match in the command. A certain match denies it; a possible one needs approval. */
function denials(view: CommandView): readonly RuleFinding[] {
  const rules = view.question.rules.filter((rule) => rule.behavior === "deny");
  const line = findingOnLine(rules, view);
  if (view.analysis.problem !== undefined) return line ? [line] : [];
  return [...(line ? [line] : []), ...findingsIn(view, rules)].filter(isCertainOrUsers);
}

/** Nobody wrote Keelson's own rules, so they do not make everyday commands ask where there is no shield to hide the file. */
const isCertainOrUsers = ({ rule, reach }: RuleFinding) => reach === "yes" || !rule.builtIn;

/** The denial, if a deny rule matches the command or a file in it. */
function commandDeny(view: CommandView, found: readonly RuleFinding[]): { message: string; rule: Rule } | undefined {
  const { problem } = view.analysis;
  const finding = problem === undefined ? found.find(({ reach }) => reach === "yes") : found[0];
  if (finding === undefined) return undefined;
  const why = problem === undefined ? "" : ` It could not be checked against the deny rules: ${problem}.`;
  return { message: refusal(view.question, finding.rule) + why, rule: finding.rule };
}

/** The rule that requires approval: an ask rule that matches, or a deny rule that may. */
function commandAsk(view: CommandView, denied: readonly RuleFinding[]): RuleFinding | undefined {
  const rules = view.question.rules.filter((rule) => rule.behavior === "ask");
  const line = findingOnLine(rules, view);
  if (line || view.analysis.problem !== undefined) return line;
  return findingsIn(view, rules)[0] ?? denied[0];
}

/** Unreadable commands and critical removals in every mode; writes to protected paths unless bypassed. */
function commandSafety(view: CommandView): { reason: string; path?: string } | undefined {
  const { analysis, question, lost } = view;
  if (analysis.problem !== undefined) return { reason: `This command requires approval: ${analysis.problem}` };
  for (const part of analysis.commands) {
    const target = criticalRemoval(part, view);
    if (target === undefined) continue;
    const path = shortCommand(target);
    return { reason: `This command requires approval: it would remove '${path}'`, path };
  }
  if (question.mode === "bypassPermissions") return undefined;
  for (const part of analysis.commands) {
    const path = lost ? view.filesIn(part).find(isWritten)?.path : protectedTarget(part, view);
    if (path !== undefined) return { reason: protectedWish(path), path };
    const open = openCode(part, "trust");
    if (open?.by === "names") return { reason: `${APPROVAL}: ${openSentence(open)}` };
    const option = completedOption(part);
    if (option) return { reason: `${APPROVAL}: ${openSentence({ word: option, by: "names" })}` };
    const copy = uncheckedCopy(part, view);
    if (copy !== undefined)
      return {
        reason: `This command requires approval: what it copies to '${copy}' could not be checked`,
        path: copy,
      };
  }
  return undefined;
}

/** Whether each part is read-only and reads only where it may, or a rule or the mode allows it. */
function commandAllow(view: CommandView): Leave | undefined {
  const { analysis, question } = view;
  if (question.shell === "other") return undefined;
  if (analysis.problem !== undefined || analysis.command.length > LONGEST || analysis.commands.length === 0)
    return undefined;
  const leaves: Leave[] = [];
  for (const part of analysis.commands) {
    const leave = leaveFor(part, view);
    if (leave === undefined) return undefined;
    leaves.push(leave);
  }
  return WEIGHT.map((by) => leaves.find((leave) => leave.by === by)).find(Boolean);
}

/** The reason for several parts is that of the part that needed the most. */
const WEIGHT: readonly Leave["by"][] = ["rule", "mode", "other"];

interface Asked {
  readonly reason: string;
  readonly suggestions: readonly PermissionUpdate[];
  readonly blockedPath?: string;
}

const APPROVAL = "This command requires approval";
const NO_BASH = "no bash was found, so commands cannot be checked; install bash";

/** Why the command needs approval, and the rules that would make that unnecessary. */
function commandSuggestions(view: CommandView): Asked {
  const { analysis, question } = view;
  if (question.shell === "other") return { reason: `${APPROVAL}: ${NO_BASH}`, suggestions: [] };
  if (analysis.problem !== undefined || analysis.command.length > LONGEST) return { reason: APPROVAL, suggestions: [] };
  const left = analysis.commands.filter((part) => !leaveFor(part, view));
  for (const part of left) {
    const stopped = stoppedByFile(part, view);
    if (stopped) return stopped;
  }
  const script = left.find((part) => isRuled(part, view) && /^(source|\.)$/.test(part.words[0]?.value ?? ""));
  const rules = textRules(view);
  const git = left.map((part) => view.gitDanger(part)).find(({ looking, acting }) => looking ?? acting);
  const own = left.map((part) => ownProgram(part, question)).find(Boolean);
  const open = left.map((part) => openCode(part, "rule")).find(Boolean);
  const why = script
    ? `no rule names the script '${script.words[1]?.text ?? ""}'`
    : open !== undefined
      ? openSentence(open)
      : own !== undefined
        ? `it would run '${own}', which is in a working directory`
        : (git?.acting ?? git?.looking ?? left.map((part) => beyondRules(part, rules, view)).find(Boolean));
  const offered = suggestCommands(left.map((part) => settling(part, view)));
  return {
    reason: why === undefined ? APPROVAL : `${APPROVAL}: ${why}`,
    suggestions: [...offered, ...editsOnly(left, view)],
    ...blocked(left, view),
  };
}

function openSentence({ word, by }: OpenCode): string {
  const text = shortCommand(word.kind === "literal" ? word.value : word.text);
  return by === "names"
    ? `'${text}' is code, and the shell would complete it; quote it`
    : `'${text}' is code, and names that are found or read would become a part of it; pass them as arguments`;
}

/** The first file outside the working directories that a file command would change. */
function blocked(left: readonly SimpleCommand[], view: CommandView): Pick<Asked, "blockedPath"> {
  const files = left.filter(isFileCommand).flatMap((part) => view.filesIn(part).filter(isWritten));
  const outside = files.find((file) => !isInWorkingDirs(endsIn(file, view.question), view.question));
  return outside === undefined ? {} : { blockedPath: outside.path };
}

/** The mode that would let the command run, if all it does is to change files in the working directories. */
function editsOnly(left: readonly SimpleCommand[], view: CommandView): PermissionUpdate[] {
  const { question } = view;
  if (question.mode !== "default" || left.length === 0) return [];
  const edits: CommandView = { ...view, question: { ...question, mode: "acceptEdits" } };
  return left.every((part) => leaveFor(part, edits))
    ? [{ type: "setMode", mode: "acceptEdits", destination: "session" }]
    : [];
}

/** For a part that would run if it did not use this file. */
function stoppedByFile(part: SimpleCommand, view: CommandView): Asked | undefined {
  const { mode, directories } = view.question;
  const looks = looksOnlyButRedirects(part);
  const ruled = isRuled(part, view);
  const bound =
    looks || (ruled && isBound(part, view.analysis.commands)) || (mode === "acceptEdits" && isFileCommand(part));
  const input = ruled && !bound ? inputFromOutside(part, view) : undefined;
  const obstacle = bound ? obstacleIn(part, view) : ruled ? (optionLike(part, view) ?? input) : fedOut(part, view);
  if (obstacle === undefined) return undefined;
  const { why, path } = obstacle;
  if (why === "option")
    return {
      reason: `${APPROVAL}: '${path}' is named like an option or a command`,
      suggestions: [],
      blockedPath: path,
    };
  if (why === "unseen")
    return { reason: `${APPROVAL}: it is not known what '${path}' leads to`, suggestions: [], blockedPath: path };
  const roots = directories.map((directory) => `'${directory}'`).join(", ");
  const reads = looks || obstacle === input;
  const what = reads ? "read files" : "create or modify files";
  const reason = `${part.words[0]?.value ?? "A redirection"} in '${path}' was blocked. This session may only ${what} in the allowed working directories for this session: ${roots}.`;
  const added = { type: "addDirectories", directories: [dirname(path)], destination: "session" } as const;
  const named = LISTERS.has(part.words[0]?.value ?? "") ? suggestFolder(path) : suggestDirectory(path, "Bash");
  return { reason, suggestions: reads ? named : [added], blockedPath: path };
}

/** Programs that are given a folder. */
const LISTERS: ReadonlySet<string> = new Set(["cd", "du", "find", "ls", "tree"]);

/** The first suggested rule that would allow the part; undefined if none would. */
function settling(part: SimpleCommand, view: CommandView): string | undefined {
  return rulesFor(part).find((content) => {
    const text = `Bash(${content})`;
    const rule: Rule = { behavior: "allow", tool: "Bash", content, source: "session", base: view.where.cwd, text };
    return leaveFor(part, view, [rule]);
  });
}
