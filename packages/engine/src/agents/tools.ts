// Which tools of a session an agent gets: those it names, without those it refuses, without those no agent of its kind
// has. The order of the pool stays, so that equal agents send equal requests.

import type { AgentDefinition } from "@keelson/protocol";
import { allowsTool, namesTool } from "../permission/match/match.ts";
import { parseRule, type Rule } from "../permission/rules/rule.ts";
import type { Tool } from "../tool/tool.ts";

/** `main`: the session itself runs as the agent. */
export type AgentKind = "foreground" | "background" | "main";

export interface AgentToolsOptions {
  readonly kind: AgentKind;
  /** Whether it may start agents of its own. */
  readonly maySpawn: boolean;
  /** The server of an MCP tool, as it is in the tool's name; the name alone leaves doubts. */
  serverOf?(tool: string): string | undefined;
}

export interface AgentTools<T> {
  readonly tools: readonly T[];
  /** The only agents it may start: `Agent(name)`. Absent: any. */
  readonly agents?: readonly string[];
  /** Parts of tools that it may not use, as deny rules: `Bash(rm *)` of `disallowedTools`. */
  readonly denied: readonly string[];
}

type Named = Pick<Tool, "name" | "aliases">;

/** Words that name no tool of the pool have no effect. */
export function agentTools<T extends Named>(
  pool: readonly T[],
  { tools, disallowedTools }: Pick<AgentDefinition, "tools" | "disallowedTools">,
  { kind, maySpawn, serverOf = () => undefined }: AgentToolsOptions,
): AgentTools<T> {
  const wanted = tools?.flatMap(readWord);
  const refused = disallowedTools.flatMap(readRefusal);
  const left = pool.filter((tool) => {
    if (wanted && !wanted.some((word) => names(word, tool, "allow", serverOf))) return false;
    if (refused.some((word) => word.content === undefined && names(word, tool, "deny", serverOf))) return false;
    return isFor(kind, tool.name) && (maySpawn || tool.name !== "Agent");
  });
  const agents = spawnable(wanted);
  return {
    tools: left,
    ...(agents && left.some(({ name }) => name === "Agent") && { agents }),
    denied: refused.flatMap(({ text, content }) => (content === undefined ? [] : [text])),
  };
}

interface Word {
  readonly text: string;
  readonly tool: string;
  readonly content?: string;
}

function readWord(text: string): readonly Word[] {
  if (text === "*") return [{ text, tool: "*" }];
  const parsed = parseRule(text);
  return parsed ? [{ text, ...parsed }] : [];
}

/** A part of a tool that cannot be read is the whole tool. */
function readRefusal(text: string): readonly Word[] {
  const words = readWord(text);
  const [tool = ""] = text.split("(", 1);
  return words.length > 0 || tool === "" ? words : [{ text: tool, tool }];
}

function names({ tool: word, text }: Word, tool: Named, behavior: Rule["behavior"], serverOf: ServerOf): boolean {
  if (word === "*") return true;
  if (word === "mcp__*") return isMcp(tool.name);
  // Only tools of servers are named by patterns.
  if (word.includes("*") && !word.startsWith("mcp__")) return false;
  const rule: Rule = { behavior, tool: word, source: "session", base: "", text };
  return [tool.name, ...(tool.aliases ?? [])].some((name) =>
    behavior === "allow" ? allowsTool(rule, name, serverOf(tool.name)) : namesTool(rule, name),
  );
}

type ServerOf = NonNullable<AgentToolsOptions["serverOf"]>;

const isMcp = (name: string) => name.startsWith("mcp__");

/** Undefined if any agent may be started: a bare `Agent`, `*`, or no list at all. */
function spawnable(wanted: readonly Word[] | undefined): readonly string[] | undefined {
  const words = wanted?.filter(({ tool }) => tool === "Agent" || tool === "Task" || tool === "*") ?? [];
  if (words.length === 0 || words.some(({ content }) => content === undefined)) return undefined;
  return words.flatMap(({ content }) => content!.split(",").flatMap((name) => name.trim() || []));
}

/** For the session alone: they wait for its user, its tasks or its next turn. */
const SESSION_ONLY = new Set([
  "AskUserQuestion",
  "EnterPlanMode",
  "ExitPlanMode",
  "ScheduleWakeup",
  "StructuredOutput",
  "TaskOutput",
  "WaitForMcpServers",
  "Workflow",
]);

/** The tools that an agent in the background keeps: those of 2.1.197, and those of features that it lacks. */
const IN_BACKGROUND = new Set([
  "Agent",
  "Bash",
  "Edit",
  "EnterWorktree",
  "ExitWorktree",
  "Glob",
  "Grep",
  "ListMcpResourcesTool",
  "NotebookEdit",
  "PowerShell",
  "PushNotification",
  "Read",
  "ReadMcpResourceDirTool",
  "ReadMcpResourceTool",
  "SendMessage",
  "Skill",
  "TaskStop",
  "ToolSearch",
  "WebFetch",
  "WebSearch",
  "Write",
]);

function isFor(kind: AgentKind, tool: string): boolean {
  if (kind === "main") return true;
  return !SESSION_ONLY.has(tool) && (kind === "foreground" || isMcp(tool) || IN_BACKGROUND.has(tool));
}
