// Every control request with its fields and its reply: those that a client sends, and those that the session sends to a
// client. Optional fields that Keelson never sends are of the reference, whose clients may read them.

import type { AgentSource } from "../configuration/agent.ts";
import type { HookEvent } from "../configuration/hook.ts";
import type {
  PermissionMode,
  PermissionUpdate,
  RuleBehavior,
  RuleSource,
  RuleValue,
} from "../configuration/permission.ts";
import type { Json, JsonObject } from "../json.ts";
import type { ModelMessage } from "../transcript/content.ts";
import type { ControlRequest } from "./control.ts";
import type { Message, ModelUsage } from "./message.ts";
import type { FilePatch, ToolKind } from "./tool-use.ts";

/** What a client may ask for. A reply that is `void` has no payload. */
export interface ControlRequests {
  /** Keelson only: a note of the user for an instruction file. */
  add_memory(fields: { readonly text: string; readonly scope?: "project" | "local" | "user" }): {
    readonly path: string;
  };
  /** Keelson only: what the user typed at the prompt, whatever became of it. */
  add_prompt_history(fields: Pick<TypedPrompt, "display"> & Partial<Pick<TypedPrompt, "pastedContents">>): void;
  apply_flag_settings(fields: { readonly settings: object }): void;
  background_tasks(fields: { readonly tool_use_id?: string }): { readonly backgrounded?: boolean };
  cancel_async_message(fields: { readonly message_uuid: string }): { readonly cancelled: boolean };
  /** Keelson only. The tokens are those of the conversation before and now. */
  compact_conversation(fields: {
    readonly user_message_id: string;
    readonly direction?: "up_to" | "from";
    readonly instructions?: string;
  }): RewoundConversation & { readonly preTokens: number; readonly postTokens: number };
  end_session(): void;
  file_suggestions(fields: { readonly query: string }): {
    readonly suggestions: readonly {
      readonly path: string;
      readonly displayText: string;
      readonly type: "file" | "directory";
    }[];
    readonly cwd: string;
  };
  generate_session_title(fields: { readonly description: string; readonly persist?: boolean }): {
    readonly title: string | null;
  };
  get_binary_version(): { readonly version: string; readonly buildTime: string; readonly keelsonVersion: string };
  get_context_usage(fields: { readonly detail?: "summary" | "full" }): ContextUsage;
  get_hooks_listing(): {
    readonly events: readonly HookEvent[];
    readonly hooks: readonly {
      readonly event: HookEvent;
      readonly matcher?: string;
      readonly type: string;
      readonly label: string;
      readonly source: string;
      readonly file?: string;
      readonly timeout?: number;
    }[];
    readonly eventCatalog: readonly {
      readonly name: HookEvent;
      readonly summary: string;
      readonly supportsMatcher: boolean;
    }[];
    readonly policy: {
      readonly disabledByPolicy: boolean;
      readonly managedOnly: boolean;
      readonly pluginOnly: boolean;
      readonly allDisabled: boolean;
      readonly policyHookCount: number;
    };
  };
  /**
   * Keelson only. The messages of the conversation, as its transcript has them: the newest, or those before the message with
   * this id (`before` of an earlier reply, of `hello` or of `reset`). Oldest first; `before` is null if none are older.
   */
  get_messages(fields: { readonly before?: string; readonly limit?: number }): {
    readonly messages: readonly Message[];
    readonly before: string | null;
  };
  /** Keelson only. Newest first: those of this folder, or of all. */
  get_prompt_history(fields: { readonly all_projects?: boolean; readonly limit?: number }): {
    readonly prompts: readonly TypedPrompt[];
  };
  get_session_cost(): { readonly text: string };
  /** `provider` is Keelson only: who is asked, and with the key from where. */
  get_session_info(fields: { readonly provider?: boolean }): SessionInfo;
  get_settings(): {
    readonly effective: Readonly<Record<string, unknown>>;
    /** Each file as it is written; null if it can no longer be read. */
    readonly sources: readonly { readonly source: string; readonly path: string; readonly settings: unknown }[];
    readonly applied: { readonly model: string; readonly effort: string | null };
  };
  get_task_output(fields: { readonly task_id: string }): {
    readonly output: string;
    readonly total_bytes: number;
    readonly truncated: boolean;
  };
  get_usage(fields: { readonly skip_behaviors?: boolean }): {
    readonly session: {
      /** Null if the price of a model is unknown. */
      readonly total_cost_usd: number | null;
      readonly total_api_duration_ms: number;
      readonly total_duration_ms: number;
      readonly total_lines_added: number;
      readonly total_lines_removed: number;
      readonly model_usage: UsageByModel;
      /** What subagents used of it: by their type, then by model. */
      readonly agent_usage?: Readonly<Record<string, UsageByModel>>;
    };
    readonly subscription_type: string | null;
    readonly rate_limits_available: boolean;
    readonly rate_limits: unknown;
    readonly behaviors: unknown;
  };
  /** `since`: the last commit, the default, or the start of the session. */
  get_working_diff(fields: { readonly since?: "commit" | "start" }): WorkingDiff;
  initialize(fields: InitializeFields): InitializeReply;
  interrupt(fields: { readonly cancel_queued?: boolean }): {
    readonly still_queued: readonly string[];
    readonly cancelled?: readonly string[];
  };
  list_agents(): {
    readonly agents: readonly (ListedAgent & {
      readonly source: AgentSource;
      readonly tools?: readonly string[];
      readonly disallowed_tools?: readonly string[];
      readonly file?: string;
      readonly untrusted?: boolean;
    })[];
  };
  /** `providers` is Keelson only: the models of every provider. It asks them, each for a few seconds at most. */
  list_models(fields: { readonly providers?: boolean }): {
    readonly models: readonly ListedModel[];
    readonly providers?: readonly ListedProvider[];
  };
  list_permission_rules(): { readonly state: PermissionState };
  /** Keelson only. Newest first: those of this folder and its worktrees, or of all folders. `total` is without the limit. */
  list_sessions(fields: { readonly all_projects?: boolean; readonly limit?: number; readonly offset?: number }): {
    readonly sessions: readonly ListedSession[];
    readonly total: number;
  };
  /** Keelson only. `redirectUrl` is where the browser goes at the end. */
  mcp_authenticate(fields: { readonly serverName: string; readonly openBrowser?: boolean }): {
    readonly authUrl: string;
    readonly redirectUrl: string;
    readonly requiresUserAction: boolean;
    readonly opened: boolean;
  };
  mcp_call(fields: { readonly tool: string; readonly arguments?: JsonObject }): {
    readonly content: unknown;
    readonly isError?: boolean;
  };
  /** Keelson only. */
  mcp_list_resources(): {
    readonly resources: readonly {
      readonly server: string;
      readonly uri: string;
      readonly name: string;
      readonly description?: string;
    }[];
  };
  mcp_message(fields: { readonly server_name: string; readonly message: object }): void;
  mcp_read_resource(fields: { readonly serverName: string; readonly uri: string }): {
    readonly contents: readonly {
      readonly uri: string;
      readonly mimeType?: string;
      readonly text?: string;
      readonly blob?: string;
      readonly _meta?: Readonly<Record<string, unknown>>;
    }[];
  };
  mcp_reconnect(fields: { readonly serverName: string }): void;
  mcp_set_servers(fields: { readonly servers: object }): {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly errors: Readonly<Record<string, string>>;
  };
  /** Keelson only: with `stderr: false`, without what the programs of failed servers wrote to standard error. */
  mcp_status(fields: { readonly stderr?: boolean }): { readonly mcpServers: readonly ListedMcpServer[] };
  /** Keelson only. */
  mcp_submit_code(fields: { readonly serverName: string; readonly code: string }): void;
  mcp_toggle(fields: { readonly serverName: string; readonly enabled: boolean }): void;
  /** Keelson only: the last prompts and answers of a listed session. */
  preview_session(fields: { readonly session_id: string }): { readonly markdown: string };
  read_file(fields: {
    readonly path: string;
    readonly max_bytes?: number;
    readonly encoding?: "utf-8" | "utf8" | "base64";
  }): {
    readonly contents: string;
    readonly absPath: string;
    /** Only of base64. */
    readonly encoding?: "base64";
    /** Only of text: whether bytes that are not valid UTF-8 were replaced. */
    readonly lossy?: boolean;
    readonly requested_path?: string;
    readonly truncated?: boolean;
    readonly size?: number;
  };
  register_repo_root(fields: { readonly directory: string }): void;
  reload_output_styles(): { readonly available_output_styles: readonly string[] };
  reload_plugins(): {
    readonly commands: readonly ListedCommand[];
    readonly agents: readonly ListedAgent[];
    readonly plugins: readonly ListedPlugin[];
    readonly mcpServers: readonly ListedMcpServer[];
    readonly error_count: number;
  };
  reload_skills(): { readonly skills: readonly ListedCommand[] };
  /** Another session than this one must have been listed. */
  rename_session(fields: { readonly title: string; readonly session_id?: string }): void;
  /** Keelson only. */
  rewind_conversation(fields: { readonly user_message_id: string }): RewoundConversation;
  rewind_files(fields: { readonly user_message_id: string; readonly dry_run?: boolean }): {
    readonly canRewind: boolean;
    readonly error?: string;
    readonly filesChanged?: readonly string[];
    readonly insertions?: number;
    readonly deletions?: number;
    readonly skippedLinks?: number;
    /** Files that others changed in the meantime; `copy` has their earlier content. A dry run makes no copies. */
    readonly externallyChanged?: readonly { readonly path: string; readonly copy?: string }[];
    /** Only in Keelson: files that may not be restored, and why. */
    readonly refused?: readonly { readonly path: string; readonly reason: string }[];
    /** Changed files of which no copy could be kept: they stay as they are. */
    readonly notKept?: readonly string[];
  };
  /** Keelson only. */
  run_shell_command(fields: { readonly command: string; readonly uuid?: string }): {
    readonly user_message_uuid: string;
    readonly tool_use_id: string;
  };
  /** Keelson only: the listed sessions in which someone said all of these words, among those with these ids if there are any. */
  search_sessions(fields: { readonly query: string; readonly session_ids?: readonly string[] }): {
    readonly session_ids: readonly string[];
  };
  seed_read_state(fields: { readonly path: string; readonly mtime: number }): void;
  set_has_subscribers(fields: { readonly has_subscribers: boolean }): void;
  set_max_thinking_tokens(fields: {
    readonly max_thinking_tokens: number | null;
    readonly thinking_display?: "summarized" | "omitted";
  }): void;
  set_mcp_permission_mode_override(fields: {
    readonly serverName: string;
    readonly mode: "default" | "auto" | null;
  }): { readonly warning?: string } | void;
  set_model(fields: { readonly model?: string | null }): { readonly model: string };
  set_permission_mode(fields: { readonly mode: PermissionMode }): { readonly mode: PermissionMode };
  side_question(fields: { readonly question: string }): { readonly response: string; readonly synthetic: boolean };
  stop_task(fields: { readonly task_id: string }): object;
  /** Keelson only. `problems` are files that could not be written. */
  update_permissions(fields: { readonly updates: readonly PermissionUpdate[] }): {
    readonly state: PermissionState;
    readonly problems?: readonly string[];
  };
  update_settings(fields: {
    readonly source: "userSettings" | "projectSettings" | "localSettings";
    readonly settings: object;
  }): object;
}

/** What the session asks its client. */
export interface ClientQuestions {
  can_use_tool(fields: {
    readonly tool_name: string;
    readonly display_name?: string;
    readonly input: JsonObject;
    readonly tool_use_id: string;
    /** Keelson only, for clients that ask for it: what kind of work the call is. */
    readonly kind?: ToolKind;
    /** The same: how the call would change a file, unless that is too long. */
    readonly patch?: FilePatch;
    readonly title?: string;
    readonly description?: string;
    readonly permission_suggestions?: readonly PermissionUpdate[];
    readonly blocked_path?: string;
    readonly decision_reason?: string;
    /** Keelson only: the reason says no more than that approval is needed. */
    readonly decision_reason_is_default?: boolean;
    readonly decision_reason_type?: string;
    readonly matched_ask_rule?: {
      readonly source: string;
      readonly tool_name: string;
      readonly rule_content?: string;
    };
    readonly mcp_server?: { readonly name: string; readonly source: string };
    readonly requires_user_interaction?: boolean;
    readonly default_to_no?: boolean;
    readonly suppress_always_allow_rule?: boolean;
    readonly agent_id?: string;
    readonly agent_type?: string;
  }):
    | {
        readonly behavior: "allow";
        readonly updatedInput?: JsonObject;
        readonly updatedPermissions?: readonly PermissionUpdate[];
        readonly toolUseID?: string;
        readonly decisionClassification?: string;
      }
    | {
        readonly behavior: "deny";
        readonly message: string;
        readonly interrupt?: boolean;
        readonly toolUseID?: string;
      };
  elicitation(fields: {
    readonly mcp_server_name: string;
    readonly message: string;
    readonly mode?: "form" | "url";
    readonly url?: string;
    readonly elicitation_id?: string;
    readonly requested_schema?: JsonObject;
    readonly property_order?: readonly string[];
    readonly title?: string;
    readonly display_name?: string;
    readonly description?: string;
  }): { readonly action: "accept" | "decline" | "cancel"; readonly content?: JsonObject };
  /** The answer is the output of the hook. */
  hook_callback(fields: {
    readonly callback_id: string;
    readonly input: JsonObject;
    readonly tool_use_id?: string;
  }): object;
  mcp_message(fields: { readonly server_name: string; readonly message: object }): { readonly mcp_response: object };
  /** Keelson only, for a client that offered it. Null: it does not have the file open. */
  read_open_file(fields: { readonly path: string }): { readonly content: string | null };
  /** Keelson only, for a client that offered it: the whole text of a file that it has open. */
  write_open_file(fields: { readonly path: string; readonly content: string }): object;
  /** Only of kinds that the client listed in `initialize`. */
  request_user_dialog(fields: {
    readonly dialog_kind: string;
    readonly payload: JsonObject;
    readonly tool_use_id?: string;
  }): { readonly behavior: "completed"; readonly result: Json } | { readonly behavior: "cancelled" };
}

export type ControlSubtype = keyof ControlRequests;

/** The fields of a request, as its sender fills them in. */
export type FieldsOf<Subtype extends ControlSubtype> =
  Parameters<ControlRequests[Subtype]> extends [infer Fields] ? Fields : object;

/** What a request is answered with. */
export type ReplyTo<Subtype extends ControlSubtype> = ReturnType<ControlRequests[Subtype]>;

/** A question, as the session sends it. */
export type ClientQuestion<Subtype extends keyof ClientQuestions = keyof ClientQuestions> = {
  [Each in Subtype]: { readonly subtype: Each } & Parameters<ClientQuestions[Each]>[0];
}[Subtype];

type AnySubtype = ControlSubtype | keyof ClientQuestions;

type AnyFields<Subtype extends AnySubtype> = Subtype extends keyof ClientQuestions
  ? Parameters<ClientQuestions[Subtype]>[0]
  : Subtype extends ControlSubtype
    ? FieldsOf<Subtype>
    : never;

/** A request as it arrives: each of its fields may be absent, or anything. */
export type Unchecked<Subtype extends AnySubtype> = { readonly subtype: Subtype } & {
  readonly [Field in keyof AnyFields<Subtype>]?: unknown;
};

/**
 * Any request that arrives. The other side may be newer, so it can have a subtype that is not listed here: it is passed on
 * untouched, and whoever answers requests refuses it.
 */
export type UncheckedRequest = { [Subtype in AnySubtype]: Unchecked<Subtype> }[AnySubtype];

/** Next to the payload of a reply to `initialize`: questions that are still open. */
export interface PendingQuestions {
  readonly pending_permission_requests: readonly ControlRequest[];
  readonly pending_user_dialog_requests: readonly ControlRequest[];
}

/** A slash command or a skill. */
export interface ListedCommand {
  readonly name: string;
  readonly description: string;
  readonly argumentHint: string;
  readonly aliases?: readonly string[];
  /** Not a skill or a prompt of a server. */
  readonly builtin?: boolean;
}

interface ListedAgent {
  readonly name: string;
  readonly description: string;
  readonly model?: string;
}

interface ListedModel {
  readonly value: string;
  readonly resolvedModel?: string;
  readonly displayName: string;
  readonly description: string;
  readonly supportsEffort?: boolean;
  readonly supportedEffortLevels?: readonly ("low" | "medium" | "high" | "xhigh" | "max")[];
  readonly supportsAdaptiveThinking?: boolean;
  readonly supportsFastMode?: boolean;
  readonly supportsAutoMode?: boolean;
}

/** A provider that `keelson models` knows. */
export interface ListedProvider {
  readonly provider: string;
  readonly title: string;
  /** Where its key is from: a variable, a setting or `keychain`; null if there is none. */
  readonly credentials: string | null;
  /** What has to be done before it can be asked. */
  readonly missing?: string;
  /** Why it did not list its models. */
  readonly problem?: string;
  /** What is not known is null. Prices are in dollars per million tokens. */
  readonly models: readonly {
    readonly id: string;
    readonly contextWindow: number | null;
    readonly maxTokens: number | null;
    readonly images: boolean | null;
    readonly thinking: string | null;
    readonly price: { readonly input: number; readonly output: number } | null;
  }[];
}

export interface ListedPlugin {
  readonly name: string;
  readonly path: string;
  readonly source?: string;
  readonly version?: string;
}

interface ListedMcpServer {
  readonly name: string;
  readonly status: "connected" | "failed" | "needs-auth" | "pending" | "disabled";
  readonly serverInfo?: { readonly name: string; readonly version: string };
  readonly error?: string;
  /** Keelson only: the end of what the program of a failed server wrote to standard error. */
  readonly stderr?: string;
  /** As it is written in its file. */
  readonly config?: JsonObject;
  readonly transport?: string;
  readonly scope?: string;
  readonly source?: string;
  readonly tools?: readonly { readonly name: string; readonly description?: string; readonly annotations?: object }[];
}

/** A session on this machine. The names are those of the reference's SDK. */
export interface WorkingDiff {
  /** As git prints it. Null outside a repository, or if its settings could start a program. */
  readonly diff: string | null;
  readonly since: "commit" | "start";
  /** What is compared with, as far as git is asked. */
  readonly commit: string | null;
  /** All that differ, also those that the diff has no room for, or no text of. */
  readonly files: readonly ChangedSessionFile[];
  /** So many more may not be read. */
  readonly hidden: number;
  /** There may be more, or what a file was is not known. */
  readonly incomplete: boolean;
}

export interface ChangedSessionFile {
  /** Relative to the folder of the session, if it is in there. */
  readonly path: string;
  readonly status: "added" | "modified" | "deleted";
  /** Lines. Null if it is no text, too long, or if it is not known what it was. */
  readonly added: number | null;
  readonly removed: number | null;
}

export interface ListedSession {
  readonly sessionId: string;
  /** Its title: a chosen one, a generated one, or a prompt. */
  readonly summary: string;
  /** Milliseconds. */
  readonly lastModified: number;
  readonly fileSize: number;
  /** Keelson only: prompts and answers. Absent if they were not counted. */
  readonly messageCount?: number;
  readonly firstPrompt?: string;
  readonly gitBranch?: string;
  readonly cwd?: string;
  /** Keelson only: the name of the worktree it ran in. */
  readonly worktree?: string;
  /** Keelson only: it is open in the process that was asked. */
  readonly live?: boolean;
}

/** What someone typed at a prompt, as history.jsonl has it. */
export interface TypedPrompt {
  /** As shown: long pastes are placeholders. `!` and `/` are part of it. */
  readonly display: string;
  readonly pastedContents: Readonly<Record<string, PastedText>>;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  /** The folder it was typed in. */
  readonly project: string;
  readonly sessionId?: string;
}

export interface PastedText {
  readonly id: number;
  readonly type: "text";
  readonly content: string;
}

interface RewoundConversation {
  /** What the prompt said. */
  readonly prompt: ModelMessage["content"];
  readonly sessionId: string;
}

interface PermissionState {
  readonly rules: readonly {
    readonly source: RuleSource;
    readonly ruleBehavior: RuleBehavior;
    readonly ruleValue: RuleValue;
  }[];
  readonly workspaceDirectories: readonly string[];
  readonly originalCwd: string;
  readonly managedOnly: boolean;
}

type UsageByModel = Readonly<Record<string, ModelUsage>>;

/** What the session is and where it works. Keelson only. */
interface SessionInfo {
  readonly session_id: string;
  readonly title: string | null;
  readonly transcript_path: string | null;
  readonly cwd: string;
  readonly project_dir: string;
  readonly git_branch: string | null;
  /** The name of a linked work tree. */
  readonly git_worktree: string | null;
  readonly repo: JsonObject | null;
  /** The worktree that the session entered. */
  readonly worktree: JsonObject | null;
  readonly added_dirs: readonly string[];
  readonly model: { readonly id: string; readonly display_name: string };
  /** If it was asked for. */
  readonly provider?: {
    readonly model: string;
    readonly title: string;
    /** Without what is secret in it. */
    readonly address: string | null;
    /** A variable, a setting or `keychain`; null if there are none. */
    readonly credentials: string | null;
    /** Whether a key that is stored now counts. */
    readonly takesKey: boolean;
  };
  readonly effort: string | null;
  readonly thinking: boolean;
  readonly context_window: number;
  readonly output_style: string;
  readonly permission_mode: PermissionMode;
  /** Those that the session may switch to. */
  readonly permission_modes: readonly PermissionMode[];
  readonly agent: string | null;
  readonly memory_directory: string | null;
}

interface InitializeFields {
  readonly hooks?: object;
  /** Servers inside the client, reached by `mcp_message`. */
  readonly sdkMcpServers?: readonly string[];
  readonly sdkMcpServerConfigs?: object;
  readonly sdkMcpServerManifests?: object;
  readonly mcpServers?: object;
  readonly jsonSchema?: object;
  readonly systemPrompt?: string | readonly string[];
  readonly appendSystemPrompt?: string;
  readonly excludeDynamicSections?: boolean;
  readonly systemPromptSnapshot?: unknown;
  readonly planModeInstructions?: string;
  readonly toolAliases?: Readonly<Record<string, string>>;
  readonly agents?: object;
  readonly title?: string;
  readonly skills?: readonly string[];
  readonly plugins?: readonly object[];
  readonly promptSuggestions?: boolean;
  readonly agentProgressSummaries?: boolean;
  readonly forwardSubagentText?: boolean;
  /** Keelson only: prompts that come during a run join it. */
  readonly joinQueuedPrompts?: boolean;
  readonly supportedDialogKinds?: readonly string[];
  readonly perTaskStopAffordance?: boolean;
}

interface InitializeReply {
  readonly commands: readonly ListedCommand[];
  readonly agents: readonly ListedAgent[];
  readonly output_style: string;
  readonly available_output_styles: readonly string[];
  readonly user_output_styles_dir?: string;
  readonly models: readonly ListedModel[];
  readonly account: {
    readonly email?: string;
    readonly organization?: string;
    readonly subscriptionType?: string;
    readonly tokenSource?: string;
    readonly apiKeySource?: string;
    readonly apiProvider?:
      "firstParty" | "bedrock" | "vertex" | "foundry" | "anthropicAws" | "anthropicGoogleCloud" | "mantle" | "gateway";
  };
  readonly pid?: number;
  readonly claude_code_version?: string;
  readonly keelson_version?: string;
  readonly current_permission_mode?: string;
  readonly hook_on_failure_supported?: boolean;
  readonly hooks_applied?: boolean;
  readonly plugins_applied?: boolean;
  readonly mcp_servers_applied?: boolean;
  /** Keelson only: of `sdkMcpServers`, those whose name a server of another client, or another server, has. */
  readonly sdk_mcp_servers_not_added?: readonly string[];
  readonly session_state?: string;
  readonly capabilities?: readonly string[];
  readonly fast_mode_state?: "off" | "cooldown" | "on";
}

interface ContextUsage {
  readonly categories: readonly {
    readonly id?: ContextCategory;
    readonly name: string;
    readonly tokens: number;
    readonly color: string;
    readonly isDeferred?: boolean;
    readonly kind: "used" | "free" | "buffer" | "deferred";
  }[];
  readonly totalTokens: number;
  readonly maxTokens: number;
  readonly rawMaxTokens: number;
  readonly percentage: number;
  readonly gridRows: readonly (readonly {
    readonly color: string;
    readonly isFilled: boolean;
    readonly categoryName: string;
    readonly tokens: number;
    readonly percentage: number;
    readonly squareFullness: number;
  }[])[];
  readonly model: string;
  readonly memoryFiles: readonly { readonly path: string; readonly type: string; readonly tokens: number }[];
  readonly mcpTools: readonly {
    readonly name: string;
    readonly serverName: string;
    readonly tokens: number;
    readonly isLoaded?: boolean;
  }[];
  readonly mcpInstructions?: readonly { readonly serverName: string; readonly tokens: number }[];
  readonly deferredBuiltinTools?: readonly {
    readonly name: string;
    readonly tokens: number;
    readonly isLoaded: boolean;
  }[];
  readonly systemTools?: readonly { readonly name: string; readonly tokens: number }[];
  readonly systemPromptSections?: readonly { readonly name: string; readonly tokens: number }[];
  readonly agents: readonly {
    readonly agentType: string;
    readonly source: string;
    readonly path?: string;
    readonly tokens: number;
  }[];
  readonly slashCommands?: {
    readonly totalCommands: number;
    readonly includedCommands: number;
    readonly tokens: number;
  };
  readonly skills?: {
    readonly totalSkills: number;
    readonly includedSkills: number;
    readonly tokens: number;
    readonly skillFrontmatter: readonly {
      readonly name: string;
      readonly source: string;
      readonly path?: string;
      readonly tokens: number;
    }[];
  };
  readonly autoCompactThreshold?: number;
  readonly isAutoCompactEnabled: boolean;
  readonly messageBreakdown?: unknown;
  /** Of the latest reply; null before the first. */
  readonly apiUsage: {
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cache_creation_input_tokens: number;
    readonly cache_read_input_tokens: number;
  } | null;
}

type ContextCategory =
  | "system_prompt"
  | "system_tools"
  | "mcp_tools"
  | "mcp_instructions"
  | "mcp_tools_deferred"
  | "system_tools_deferred"
  | "custom_agents"
  | "memory_files"
  | "skills"
  | "messages"
  | "autocompact_buffer"
  | "compact_buffer"
  | "free_space";
