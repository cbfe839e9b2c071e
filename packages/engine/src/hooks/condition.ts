// Whether an `if` rule speaks about a tool call. Read the way a rule that forbids is read, the widest: a hook is a guard,
// and what it might be about it should see. What cannot be judged counts as met. Loading it loads the shell parser.

import type { JsonObject } from "@keelson/protocol";
import { everyCommand } from "../permission/command/command-files.ts";
import { analyseCommand } from "../permission/command/command.ts";
import { coversLine, reachOf } from "../permission/command/match-command.ts";
import { coversTool, governs, matchesParameter, namesTool } from "../permission/match/match.ts";
import { matchesName } from "../permission/match/match-name.ts";
import { matchesPath, newMatchers } from "../permission/match/match-path.ts";
import { parseRule, type Rule } from "../permission/rule.ts";
import type { Access } from "../tool.ts";

/** The tool call a condition is about. */
export interface ConditionCall {
  readonly tool: string;
  readonly input: JsonObject;
  /** What the call would touch; undefined when nobody can tell. */
  readonly access: Access | undefined;
  readonly cwd: string;
  /** Where `~` leads; without it a rule that begins with it counts as met. */
  readonly home?: string;
  /** The working directories; absent: `cwd` alone. */
  readonly directories?: readonly string[];
  /** `access.path` with every link resolved, where it is known. */
  readonly realPath?: string;
}

export function ifMatcher(call: ConditionCall): (text: string) => boolean {
  const { tool, input, access, cwd } = call;
  const mentions = access?.kind === "command" ? commandReader(access.command) : undefined;
  const covers = pathReader(call);
  return (text) => {
    const parsed = parseRule(text);
    if (parsed === undefined) return true;
    const rule: Rule = { behavior: "deny", ...parsed, source: "session", base: call.directories?.[0] ?? cwd, text };
    if (coversTool(rule, tool) || matchesParameter(rule, tool, input)) return true;
    if (rule.content === undefined) return false;
    if (access === undefined) return namesTool(rule, tool);
    if (mentions) return (namesTool(rule, tool) || rule.tool === "Bash") && mentions(rule.content);
    return covers(rule) || matchesName(rule, tool, access, input);
  };
}

/** Every simple command anywhere in the line, without its assignments, and what it would start in turn. */
function commandReader(command: string): (content: string) => boolean {
  const analysis = analyseCommand(command);
  if (analysis.problem !== undefined) return () => true;
  const reaches = everyCommand(analysis.commands).map(reachOf);
  return (content) => coversLine(content, command) || reaches.some((reach) => reach(content) !== "no");
}

function pathReader({ tool, access, cwd, home, directories, realPath }: ConditionCall): (rule: Rule) => boolean {
  if (access?.kind !== "read" && access?.kind !== "edit") return () => false;
  const anchors = { cwd, home: home ?? "/", directories: directories ?? [cwd], matchers: newMatchers() };
  return (rule) => {
    // To forbid reading is to forbid editing; to wait for reading is not to wait for edits.
    if (!governs(rule, access.kind, tool) || (access.kind === "edit" && rule.tool === "Read")) return false;
    if (home === undefined && rule.content!.trim().startsWith("~")) return true;
    return [access.path, realPath ?? access.path].some((path) => matchesPath(rule, path, anchors));
  };
}
