// The configuration of a session: read once, frozen, replaced only as a whole.

import type { Rule } from "@keelson/engine";
import type {
  ConfiguredLanguageServer,
  ConfiguredMcpServer,
  HookRegistration,
  JsonObject,
  PermissionMode,
  Plugin,
  Settings,
  UnusedLanguageServer,
  UnusedMcpServer,
  UnusedPlugin,
} from "@keelson/protocol";
import type { Held } from "../trust/belief.ts";
import type { TrustBasis } from "../trust/trust.ts";
import type { Source } from "./sources.ts";

/** The command line, parsed and checked, with the files it names already read. */
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
  /** Memory, environment and git state are in the first user message instead of the system prompt. */
  readonly excludeDynamicSections?: boolean;
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  /** The built-in tools to offer. Absent or ["default"]: all; []: none. */
  readonly tools?: readonly string[];
  readonly permissionMode?: PermissionMode;
  readonly skipPermissions?: boolean;
  /** Lets a client choose `bypassPermissions` later. */
  readonly allowSkipPermissions?: boolean;
  readonly permissionPromptTool?: string;
  readonly addDirs?: readonly string[];
  /** A path or inline JSON. */
  readonly settings?: string;
  /** Policy of the program that starts Keelson; it may only make permissions stricter. */
  readonly managedSettings?: JsonObject;
  /** The folder whose `.claude` is used instead of the working directory's; in a snapshot, with links resolved. */
  readonly projectConfigRoot?: string;
  readonly settingSources?: readonly ("user" | "project" | "local")[];
  /** An untrusted folder may only deny and ask. Except accepted: what the user accepted there applies. */
  readonly requireTrust?: boolean | "except accepted";
  /** MCP servers by name, as in a configuration file. In a snapshot, only those inside the client (type `sdk`). */
  readonly mcpServers?: JsonObject;
  /** The agent that the session runs as. */
  readonly agent?: string;
  /** Agents by name, as `--agents` and the SDK spell them. */
  readonly agents?: JsonObject;
  /** The files that define those servers. */
  readonly mcpConfigFiles?: readonly string[];
  /** Use only the servers above. */
  readonly strictMcpConfig?: boolean;
  /** At a terminal: servers of `.mcp.json` are not used before the user approved them. */
  readonly approvedServersOnly?: boolean;
  /** Folders and archives of plugins for this session. */
  readonly pluginDirs?: readonly { readonly path: string; readonly withoutMcp?: true }[];
  /** No slash commands and no skills. */
  readonly disableSlashCommands?: boolean;
  readonly bare?: boolean;
  /** No customization except managed hooks and instructions. */
  readonly safe?: boolean;
  /** No tools that run programs. */
  readonly restricted?: boolean;
  /** The number of tokens the model is asked to stay within. */
  readonly taskBudget?: number;
}

export interface Snapshot {
  /** Where the session starts, with links resolved. */
  readonly cwd: string;
  readonly home: string;
  /** `$CLAUDE_CONFIG_DIR` or `~/.claude`. */
  readonly configDir: string;
  /** The environment of the process plus the `env` of the settings, as far as each file may set it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Variables that the files inside the folder set, with the values that they have without those files. */
  readonly beneath?: Readonly<Record<string, string | undefined>>;
  /** The environment of shell commands and other child processes: no credentials, no switches of Bun. */
  readonly childEnv: Readonly<Record<string, string>>;
  readonly settings: Settings;
  readonly flags: Flags;
  readonly rules: readonly Rule[];
  readonly hooks: ConfiguredHooks;
  readonly mcp: ConfiguredMcp;
  readonly lsp: ConfiguredLanguageServers;
  readonly plugins: ConfiguredPlugins;
  readonly mode: PermissionMode;
  /** Additional working directories, absolute. */
  readonly directories: readonly string[];
  readonly trusted: boolean;
  /** Of the folder whose `.claude` is used. */
  readonly trustBasis?: TrustBasis & {
    /** When its files were read first. */
    readonly since: number;
  };
  /** What its files may not grant before the user is asked. */
  readonly held?: readonly Held[];
  /** Only the deny and ask rules of an untrusted folder apply. */
  readonly requireTrust: boolean;
  /** The files that were read or are missing; `changed` compares them. */
  readonly sources: readonly Source[];
  /** What it was made from besides files, for `reload`. */
  readonly origin: RuleOrigin;
  /** What was ignored and why, one sentence each, with file, key and fix. */
  readonly warnings: readonly string[];
}

/** The hooks of all settings files: those that run, lowest precedence first, and those that do not. */
export interface ConfiguredHooks {
  readonly active: readonly HookRegistration[];
  /** `why` is one sentence for the user. */
  readonly off: readonly { readonly registration: HookRegistration; readonly why: string }[];
  readonly policy: HookPolicy;
}

/** What decides which hooks may be registered. */
export interface HookPolicy {
  readonly disabledByPolicy: boolean;
  /** The file that sets disableAllHooks, if it is not a managed one. */
  readonly disabledBy?: string;
  readonly managedOnly: boolean;
  readonly pluginsOnly: boolean;
  readonly bare: boolean;
  readonly safe: boolean;
  /** How to trust this folder, if it is not trusted and has to be. */
  readonly toTrust?: string;
}

/**
 * The MCP servers of all files and flags, in the order their tools are offered. Servers inside the client are not in it.
 * A name in `unused` may also be in `servers`, defined elsewhere.
 */
export interface ConfiguredMcp {
  readonly servers: readonly ConfiguredMcpServer[];
  readonly unused: readonly UnusedMcpServer[];
}

/** The language servers of settings and plugins, highest precedence first. */
export interface ConfiguredLanguageServers {
  readonly servers: readonly ConfiguredLanguageServer[];
  readonly unused: readonly UnusedLanguageServer[];
}

/** Plugins in the order they are loaded. Their hooks and servers are in `hooks` and `mcp`. */
export interface ConfiguredPlugins {
  readonly active: readonly Plugin[];
  readonly unused: readonly UnusedPlugin[];
}

export interface RuleOrigin {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly uid?: number;
  readonly managedDir?: string;
  readonly trustFromAbove?: boolean;
  readonly flags: Flags;
}
