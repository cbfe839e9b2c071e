// Agents as their files describe them, without the text of the file.

import type { HookRegistration } from "./hook.ts";
import type { PluginIdentity } from "./skill.ts";
import type { PermissionMode } from "./permission.ts";

/** In order of precedence: of two agents with one name, the first counts. */
export type AgentSource = "managed" | "flag" | "project" | "user" | "plugin" | "built-in";

export interface AgentDefinition {
  /** What `subagent_type` names. `plugin:name` for an agent of a plugin. */
  readonly name: string;
  /** When to use it, for the model. One line, safe to list: no control characters. */
  readonly description: string;
  readonly source: AgentSource;
  /** The Markdown file, with links resolved. Absent if the text is in `prompt`. */
  readonly file?: string;
  /** The text, if it does not come from a file. */
  readonly prompt?: string;
  /** The only tools it may use, as written: names and patterns. Absent: all. Empty: none. */
  readonly tools?: readonly string[];
  readonly disallowedTools: readonly string[];
  /** An alias, an id or `inherit`. */
  readonly model?: string;
  readonly effort?: string;
  readonly permissionMode?: PermissionMode;
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  readonly color?: string;
  /** Always runs in the background. */
  readonly background?: boolean;
  readonly isolation?: "worktree";
  /** Skills it begins with. */
  readonly skills: readonly string[];
  /** Names of servers of the session, or servers of its own. */
  readonly mcpServers: readonly (string | { readonly name: string; readonly config: object })[];
  readonly hooks: readonly HookRegistration[];
  /** Where its memory is kept. */
  readonly memory?: "user" | "project" | "local";
  /** The first prompt when a session runs as this agent. */
  readonly initialPrompt?: string;
  /** Repeated to the model with every prompt. */
  readonly criticalReminder?: string;
  /** Does not read CLAUDE.md, nor the state of the repository. */
  readonly omitsInstructions?: boolean;
  /** Its conversation is compacted as if the context window had this many tokens. */
  readonly autoCompactWindow?: number;
  /** Its result cannot be continued, and does not say how to. */
  readonly oneShot?: boolean;
  readonly plugin?: PluginIdentity;
  /** Of a folder that the user does not trust: hooks, servers and a wider mode have no effect. */
  readonly untrusted?: true;
}

/** A file that looks like an agent and is not used, or only in part. */
export interface AgentProblem {
  readonly file: string;
  readonly line?: number;
  readonly kind: "unused" | "off" | "shadowed" | "odd";
  /** One sentence with the fix. */
  readonly why: string;
}
