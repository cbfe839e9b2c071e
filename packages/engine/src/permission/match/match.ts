// Whether a rule matches a tool, its parameters, or a kind of file access. Deny and ask rules are read broadly. The
// other `match-` files handle paths, commands, addresses and names.

import type { Rule } from "../rules/rule.ts";
import { wildcard } from "./wildcard.ts";

const READ_FAMILY = new Set(["Read", "Glob", "Grep"]);
const EDIT_FAMILY = new Set(["Edit", "Write", "NotebookEdit"]);
const SAME: Readonly<Record<string, string>> = { Agent: "Task", Task: "Agent" };

/** The names under which rules know a command of this tool. What Monitor runs is a command like any other. */
export function commandNames(tool: string): readonly string[] {
  return tool === "Monitor" ? [tool, "Bash"] : [tool];
}

/** Whether a rule names the tool, with or without parentheses. `mcp__server` stands for all its tools. */
export function namesTool(rule: Rule, tool: string): boolean {
  if (rule.tool === tool || SAME[rule.tool] === tool) return true;
  if (tool.startsWith("mcp__") && !rule.tool.includes("*")) {
    // `mcp__a__b` may be tool `b` of server `a`, or all of server `a__b`; only a refusal covers both.
    return tool.startsWith(`${rule.tool}__`) && (rule.behavior !== "allow" || rule.tool.split("__").length === 2);
  }
  if (!rule.tool.includes("*")) return false;
  // An allow pattern must name the server; `mcp__*` would allow servers that do not exist yet.
  if (rule.behavior === "allow" && !/^mcp__[^*]+?__/.test(rule.tool)) return false;
  return wildcard(rule.tool, tool);
}

/** A rule that covers the whole tool: one without parentheses. */
export function coversTool(rule: Rule, tool: string): boolean {
  return (rule.content === undefined || meansNothing(rule)) && namesTool(rule, tool);
}

/** Parentheses of an MCP rule hold `param:value`. A refusal with anything else in them is one of the whole tool. */
function meansNothing({ tool, content = "", behavior }: Rule): boolean {
  return behavior !== "allow" && tool.startsWith("mcp__") && !content.includes(":");
}

/**
 * Whether an allow rule covers a tool of this MCP server. The name alone does not tell: `mcp__a__b__t` is tool `b__t` of
 * server `a`, or tool `t` of server `a__b`, which rule `mcp__a` is not about. Without a server, the name must leave no doubt.
 */
export function allowsTool(rule: Rule, tool: string, server: string | undefined): boolean {
  if (rule.content === undefined && server !== undefined && rule.tool === `mcp__${server}`) return true;
  if (!coversTool(rule, tool)) return false;
  if (rule.tool === tool || !tool.startsWith("mcp__")) return true;
  if (server !== undefined) return `${rule.tool}__`.startsWith(`mcp__${server}__`);
  const [, ofServer] = /^(mcp__(?:(?!__|\*).)+)/.exec(rule.tool) ?? [];
  return ofServer !== undefined && /^__(?!_)(?:(?!__).)+$/s.test(tool.slice(ofServer.length));
}

/** Whether a path rule applies to this use of files. */
export function governs(rule: Rule, use: "read" | "edit", tool: string): boolean {
  if (rule.content === undefined) return false;
  if (use === "read" && rule.tool === "Read") return true;
  if (use === "edit" && rule.tool === "Edit") return true;
  if (rule.behavior === "allow") return false;
  // What may not be read may not be rewritten either. `Write(x)` and `Grep(x)` only apply as deny or ask rules.
  if (use === "edit") return rule.tool === "Read" || (EDIT_FAMILY.has(rule.tool) && rule.tool === tool);
  return READ_FAMILY.has(rule.tool) && rule.tool === tool;
}

/** `Tool(param:value)` on a top-level scalar of the input; only for deny and ask rules. */
export function matchesParameter(rule: Rule, tool: string, input: Readonly<Record<string, unknown>>): boolean {
  if (rule.behavior === "allow" || rule.content === undefined || !namesTool(rule, tool)) return false;
  const colon = rule.content.indexOf(":");
  const name = rule.content.slice(0, Math.max(0, colon)).trim();
  // In `Bash(timeout:*)`, the word is a command, not a parameter of the call.
  if (typeof input["command"] === "string" && (name === "command" || rule.content.endsWith(":*"))) return false;
  const value = Object.hasOwn(input, name) ? input[name] : undefined;
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return false;
  return wildcard(rule.content.slice(colon + 1).trim(), String(value));
}
