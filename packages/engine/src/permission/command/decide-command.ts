// The gate's questions about shell commands: what forbids one, what makes it dangerous, what lets it run.
// A command that could not be read whole is never allowed by its parts.

import { dirname } from "node:path/posix";
import type { PermissionUpdate } from "@keelson/protocol";
import type { SimpleCommand } from "./command.ts";
import { findingOnLine, findingsIn, isWritten, type Finding } from "./command-rules.ts";
import { firstOutside, isFileCommand, leaveFor, type Leave } from "./command-run.ts";
import { endsIn, type CommandView } from "./command-view.ts";
import { writesProtected } from "../match/governing.ts";
import { looksOnlyButRedirects } from "../read-only/read-only.ts";
import { criticalRemoval } from "./removal.ts";
import type { Rule } from "../rule.ts";
import { protectedWish, refusal, shortened } from "../sentences.ts";
import { ruleFor, suggestCommands, suggestDirectory } from "../suggest.ts";

/** Commands longer than this run only when all of Bash is allowed. */
const LONGEST = 10_000;

/** What the deny rules find in the command; the surest finding decides whether it is refused or asked about. */
export function denials(view: CommandView): readonly Finding[] {
  const rules = view.question.rules.filter((rule) => rule.behavior === "deny");
  const line = findingOnLine(rules, view);
  if (view.analysis.problem !== undefined) return line ? [line] : [];
  return [...(line ? [line] : []), ...findingsIn(view, rules)];
}

/** The refusal, when a deny rule speaks about the command or a file in it. */
export function commandDeny(view: CommandView, found: readonly Finding[]): { message: string; rule: Rule } | undefined {
  const { problem } = view.analysis;
  const finding = problem === undefined ? found.find(({ reach }) => reach === "yes") : found[0];
  if (finding === undefined) return undefined;
  const why = problem === undefined ? "" : ` It could not be checked against the deny rules: ${problem}.`;
  return { message: refusal(view.question, finding.rule) + why, rule: finding.rule };
}

/** The rule for which a person must be asked: an ask rule that speaks, or a deny rule that might. */
export function commandAsk(view: CommandView, denied: readonly Finding[]): Finding | undefined {
  const rules = view.question.rules.filter((rule) => rule.behavior === "ask");
  const line = findingOnLine(rules, view);
  if (line || view.analysis.problem !== undefined) return line;
  return findingsIn(view, rules)[0] ?? denied[0];
}

/** Unreadable commands and critical removals in every mode; writes to protected paths unless bypassed. */
export function commandSafety(view: CommandView): { reason: string; path?: string } | undefined {
  const { analysis, question, lost } = view;
  if (analysis.problem !== undefined) return { reason: `This command requires approval: ${analysis.problem}` };
  for (const part of analysis.commands) {
    const target = criticalRemoval(part, view);
    if (target === undefined) continue;
    const path = shortened(target);
    return { reason: `This command requires approval: it would remove '${path}'`, path };
  }
  if (question.mode === "bypassPermissions") return undefined;
  for (const part of analysis.commands) {
    const file = view.filesIn(part).find((each) => {
      if (!isWritten(each)) return false;
      return lost || writesProtected(each, endsIn(each, question), question);
    });
    if (file) return { reason: protectedWish(file.path), path: file.path };
  }
  return undefined;
}

/** Every part looks only, and only where it may; or a rule or the mode allows it. */
export function commandAllow(view: CommandView): Leave | undefined {
  const { analysis } = view;
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

/** The reason told for several parts is that of the one that needed most. */
const WEIGHT: readonly Leave["by"][] = ["rule", "mode", "other"];

/** Why it has to be asked about, and what would settle it for good. */
export function commandSuggestions(view: CommandView): {
  reason: string;
  suggestions: readonly PermissionUpdate[];
  blockedPath?: string;
} {
  const { analysis, question } = view;
  const reason = "This command requires approval";
  if (analysis.problem !== undefined || analysis.command.length > LONGEST) return { reason, suggestions: [] };
  const left = analysis.commands.filter((part) => !leaveFor(part, view));
  const roots = question.directories.map((directory) => `'${directory}'`).join(", ");
  for (const part of left) {
    const path = firstOutside(part, view);
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
  return { reason, suggestions: suggestCommands(left.map((part) => settling(part, view))) };
}

/** The narrowest rule for a part; undefined when even with it the part would be asked about. */
function settling(part: SimpleCommand, view: CommandView): string | undefined {
  const content = ruleFor(part);
  if (content === undefined) return undefined;
  const text = `Bash(${content})`;
  const rule: Rule = { behavior: "allow", tool: "Bash", content, source: "session", base: view.where.cwd, text };
  return leaveFor(part, view, [rule]) ? content : undefined;
}
