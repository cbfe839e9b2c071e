// A rule such as `Bash(git *)` under allow, ask or deny: its parts and where it comes from.

import type { RuleBehavior, RuleSource } from "@keelson/protocol";

export interface Rule {
  readonly behavior: RuleBehavior;
  readonly tool: string;
  /** The text in the parentheses; absent for a bare tool name. */
  readonly content?: string;
  readonly source: RuleSource;
  /** What a leading `/` in a path pattern is relative to. */
  readonly base: string;
  /** The settings file and line it comes from. */
  readonly file?: string;
  readonly line?: number;
  /** As written. */
  readonly text: string;
  /** Of a skill that an administrator gave. Rules of managed files have their own source. */
  readonly managed?: true;
  /** Of Keelson itself. It denies what a command names; a command that only might reach the file needs no approval for that. */
  readonly builtIn?: true;
}

/** Splits `Tool(content)`. Undefined if the text is neither that nor a bare name. */
export function parseRule(text: string): { tool: string; content?: string } | undefined {
  const trimmed = text.trim();
  const open = trimmed.indexOf("(");
  const tool = nameIn(open < 0 ? trimmed : trimmed.slice(0, open).trim());
  if (tool === undefined || (open >= 0 && !trimmed.endsWith(")"))) return undefined;
  const content = open < 0 ? "" : trimmed.slice(open + 1, -1);
  return content === "" || content === "*" ? { tool } : { tool, content };
}

/** Written `Tool(*)`. Rules have no content then; under `allow`, it means less for files than the bare name. */
export const isStarRule = ({ text }: Pick<Rule, "text">): boolean => /\(\s*\*\s*\)\s*$/.test(text);

const NAME = /^[A-Za-z_][\w*.-]*$/;
const MCP_NAME = /^mcp__[^\p{C})]+$/u;

/** A server and its tools may be named as they name themselves: `mcp__my srv.x` is `mcp__my_srv_x`. */
function nameIn(text: string): string | undefined {
  if (MCP_NAME.test(text)) return text.replace(/[^\w*-]/g, "_");
  return NAME.test(text) ? text : undefined;
}
