// Configuration, read once, frozen, replaced only as a whole. Everybody else receives a slice of this.

import type { Rule } from "@keelson/engine";
import type { HookRegistration, JsonObject, PermissionMode, Settings } from "@keelson/protocol";
import type { Source } from "./sources.ts";

/** What the command line said, parsed and checked, with files already read. */
export interface Flags {
  readonly model?: string;
  readonly fallbackModels?: readonly string[];
  readonly effort?: string;
  readonly maxThinkingTokens?: number;
  readonly betas?: readonly string[];
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  readonly jsonSchema?: JsonObject;
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  /** The built-in tools to offer; absent or ["default"]: all of them; []: none. */
  readonly tools?: readonly string[];
  readonly permissionMode?: PermissionMode;
  readonly skipPermissions?: boolean;
  /** A client may choose `bypassPermissions` later. */
  readonly allowSkipPermissions?: boolean;
  readonly permissionPromptTool?: string;
  readonly addDirs?: readonly string[];
  /** A path or inline JSON. */
  readonly settings?: string;
  /** Policy of the program that starts us: it counts where it makes things stricter. */
  readonly managedSettings?: JsonObject;
  /** A folder whose `.claude` counts in place of the working directory's; in a snapshot with links resolved. */
  readonly projectConfigRoot?: string;
  readonly settingSources?: readonly ("user" | "project" | "local")[];
  /** A folder that is not trusted may only deny and ask. */
  readonly requireTrust?: boolean;
  /** MCP servers by name, as a configuration spells them. */
  readonly mcpServers?: JsonObject;
  /** The files those came from. */
  readonly mcpConfigFiles?: readonly string[];
  readonly bare?: boolean;
  /** Nothing customised: hooks and instructions of an administrator only. */
  readonly safe?: boolean;
  /** No tools that run programs. */
  readonly restricted?: boolean;
  /** Tokens the model is told to make do with. */
  readonly taskBudget?: number;
}

export interface Snapshot {
  /** Where the session starts, with links resolved. */
  readonly cwd: string;
  readonly home: string;
  /** `$CLAUDE_CONFIG_DIR` or `~/.claude`. */
  readonly configDir: string;
  /** Our own environment with the settings' `env` blocks applied, as far as each scope may. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The environment of shell commands and other children: no credentials, no loader variables of ours. */
  readonly childEnv: Readonly<Record<string, string>>;
  readonly settings: Settings;
  readonly flags: Flags;
  readonly rules: readonly Rule[];
  readonly hooks: ConfiguredHooks;
  readonly mode: PermissionMode;
  /** Additional working directories, absolute. */
  readonly directories: readonly string[];
  readonly trusted: boolean;
  /** Nothing of a folder that is not trusted counts but its deny and ask rules. */
  readonly requireTrust: boolean;
  /** The files that were read or looked for; `changed` compares them. */
  readonly sources: readonly Source[];
  /** What it was made from besides files; `reload` makes it again. */
  readonly origin: RuleOrigin;
  /** What was ignored and why, one sentence each, naming file, key and fix. */
  readonly warnings: readonly string[];
}

/** The hooks of all settings files: those that run, lowest scope first, and those that do not. */
export interface ConfiguredHooks {
  readonly active: readonly HookRegistration[];
  /** `why` is one sentence, for people. */
  readonly off: readonly { readonly registration: HookRegistration; readonly why: string }[];
}

export interface RuleOrigin {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly uid?: number;
  readonly managedDir?: string;
  readonly flags: Flags;
}
