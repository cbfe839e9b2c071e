// Whether an `if` rule matches a tool call. Rules are read as broadly as deny rules, because a hook is a guard and
// should see every call it might be about. A condition that cannot be judged matches. Loading this loads the shell
// parser.

import type { JsonObject } from "@keelson/protocol";
import { everyCommand } from "../../permission/command/files/command-files.ts";
import { analyseCommand } from "../../permission/command/analysis/command.ts";
import { coversLine, reachOf } from "../../permission/command/rules/match-command.ts";
import { governs, matchesParameter, namesTool } from "../../permission/match/match.ts";
import { matchesName } from "../../permission/match/match-name.ts";
import { matchesPath, newMatchers } from "../../permission/match/match-path.ts";
import { isInsideAny } from "../../permission/match/paths.ts";
import { powershellReach } from "../../permission/powershell/match-powershell.ts";
import { parseRule, type Rule } from "../../permission/rules/rule.ts";
import type { Access } from "../../tool/tool.ts";

export interface ConditionCall {
  readonly tool: string;
  readonly input: JsonObject;
  /** What the call would touch; undefined when unknown. */
  readonly access: Access | undefined;
  readonly cwd: string;
  /** Where `~` leads; without it, a rule that starts with `~` matches. */
  readonly home?: string;
  /** The working directories; `cwd` alone when absent. */
  readonly directories?: readonly string[];
  /** Where the agent, or the one that started it, worked before: a condition holds there too. */
  readonly former?: readonly string[];
  /** `access.path` with every link resolved, if known. */
  readonly realPath?: string;
}

export function ifMatcher(call: ConditionCall): (text: string) => boolean {
  const { tool, input, access, cwd } = call;
  const mentions = access?.kind === "command" ? commandReader(access) : undefined;
  const covers = pathReader(call);
  return (text) => {
    const parsed = parseRule(text);
    if (parsed === undefined) return true;
    const rule: Rule = { behavior: "deny", ...parsed, source: "session", base: call.directories?.[0] ?? cwd, text };
    if (rule.content === undefined) return namesTool(rule, tool);
    if (matchesParameter(rule, tool, input)) return true;
    if (access === undefined) return namesTool(rule, tool);
    if (mentions) return (namesTool(rule, tool) || rule.tool === "Bash") && mentions(rule.content);
    return covers(rule) || matchesName(rule, tool, access, input);
  };
}

/** Every simple command in the line, without its assignments, and what each would start. */
function commandReader({ command, language }: Access & { kind: "command" }): (content: string) => boolean {
  if (language === "powershell") {
    const reach = powershellReach(command);
    return (content) => reach(content) !== "no";
  }
  const analysis = analyseCommand(command);
  if (analysis.problem !== undefined) return () => true;
  const reaches = everyCommand(analysis.commands).map(reachOf);
  return (content) => coversLine(content, command) || reaches.some((reach) => reach(content) !== "no");
}

function pathReader(call: ConditionCall): (rule: Rule) => boolean {
  const { tool, access, cwd, home, directories = [cwd], former = [], realPath } = call;
  if (access?.kind !== "read" && access?.kind !== "edit") return () => false;
  const anchors = { cwd, home: home ?? "/", directories: [...directories, ...former], matchers: newMatchers() };
  const bases = former.filter((folder) => !isInsideAny(directories, folder));
  return (rule) => {
    // A rule that denies reading also denies editing, but a hook that waits for reads does not wait for edits.
    if (!governs(rule, access.kind, tool) || (access.kind === "edit" && rule.tool === "Read")) return false;
    if (home === undefined && rule.content!.trim().startsWith("~")) return true;
    const rules = [rule, ...bases.map((base) => ({ ...rule, base }))];
    return [access.path, realPath ?? access.path].some((path) =>
      rules.some((each) => matchesPath(each, path, anchors)),
    );
  };
}
