// Every control request that a client may send, one row each: which handler answers it, and when.

import {
  acknowledge,
  cancelAsyncMessage,
  endSession,
  interrupt,
  keepTyped,
  mcpMessage,
  runShellCommand,
  setPermissionMode,
} from "./handlers/flow.ts";
import type { ControlSubtype, UncheckedRequest } from "@keelson/protocol";
import type { ControlHandler } from "./reply.ts";

/** `now`: answered before anything else happens. `later`: the handler's file is loaded first, on its first use. */
export type ControlRow<Subtype extends ControlSubtype = any> = (
  | { readonly now: ControlHandler<Subtype> }
  | {
      readonly later: () => Promise<ControlHandler<Subtype>>;
      /** It changes the session: changes run one after another in the order they came, and a new run waits for them. */
      readonly change?: true;
    }
) & {
  /**
   * It only reads what belongs to the session, so clients that only watch may send it: no other files, no keys in settings.
   * A function leaves of their request what does no more than that.
   */
  readonly forWatchers?: true | ((request: UncheckedRequest) => UncheckedRequest);
};

const now = <Subtype extends ControlSubtype>(handler: ControlHandler<Subtype>): ControlRow<Subtype> => ({
  now: handler,
});
const later = <Subtype extends ControlSubtype>(load: () => Promise<ControlHandler<Subtype>>): ControlRow<Subtype> => ({
  later: load,
});
const read = <Subtype extends ControlSubtype>(load: () => Promise<ControlHandler<Subtype>>): ControlRow<Subtype> => ({
  later: load,
  forWatchers: true,
});
const change = <Subtype extends ControlSubtype>(load: () => Promise<ControlHandler<Subtype>>): ControlRow<Subtype> => ({
  later: load,
  change: true,
});

const asides = () => import("./handlers/asides.ts");
const contextUsage = () => import("./context/context-usage.ts");
const conversation = () => import("./handlers/conversation.ts");
const files = () => import("./handlers/files.ts");
const initialization = () => import("./handlers/initialize.ts");
const listings = () => import("./handlers/listings.ts");
const mcp = () => import("./handlers/mcp.ts");
const models = () => import("./handlers/models.ts");
const permissions = () => import("./handlers/permissions.ts");
const promptHistory = () => import("./handlers/prompt-history.ts");
const sessions = () => import("./handlers/sessions.ts");
const settings = () => import("./handlers/settings.ts");
const tasks = () => import("./handlers/tasks.ts");
const usage = () => import("./handlers/usage.ts");

const ROWS: { readonly [Subtype in ControlSubtype]: ControlRow<Subtype> } = {
  add_memory: change(async () => (await files()).addMemoryControl),
  add_prompt_history: now(keepTyped),
  apply_flag_settings: change(async () => (await settings()).applyFlagSettings),
  background_tasks: later(async () => (await tasks()).backgroundTasks),
  cancel_async_message: now(cancelAsyncMessage),
  compact_conversation: change(async () => (await conversation()).compactConversationControl),
  end_session: now(endSession),
  file_suggestions: later(async () => (await files()).fileSuggestions),
  generate_session_title: later(async () => (await asides()).generateSessionTitle),
  get_binary_version: read(async () => (await listings()).getBinaryVersion),
  get_context_usage: read(async () => (await contextUsage()).getContextUsage),
  get_hooks_listing: read(async () => (await listings()).getHooksListing),
  get_messages: read(async () => (await conversation()).getMessages),
  get_prompt_history: later(async () => (await promptHistory()).getPromptHistory),
  get_session_cost: read(async () => (await usage()).getSessionCost),
  get_session_info: read(async () => (await import("./handlers/session-info.ts")).getLiveSessionInfo),
  get_settings: later(async () => (await settings()).getSettings),
  get_task_output: read(async () => (await tasks()).getTaskOutput),
  get_usage: read(async () => (await usage()).getUsage),
  get_working_diff: read(async () => (await files()).getWorkingDiff),
  initialize: { ...change(async () => (await initialization()).initialize), forWatchers: true },
  interrupt: now(interrupt),
  list_agents: read(async () => (await listings()).listAgentsControl),
  // No requests to providers, and no programs that print keys.
  list_models: {
    ...read(async () => (await models()).listModels),
    forWatchers: () => ({ subtype: "list_models" }),
  },
  list_permission_rules: read(async () => (await permissions()).listPermissionRules),
  list_sessions: later(async () => (await sessions()).listSessionsControl),
  mcp_authenticate: later(async () => (await mcp()).mcpAuthenticate),
  mcp_call: later(async () => (await mcp()).mcpCall),
  mcp_list_resources: read(async () => (await mcp()).mcpListResources),
  mcp_message: now(mcpMessage),
  mcp_read_resource: later(async () => (await mcp()).mcpReadResource),
  mcp_reconnect: later(async () => (await mcp()).mcpReconnect),
  mcp_set_servers: change(async () => (await mcp()).mcpSetServers),
  mcp_status: {
    ...read(async () => (await mcp()).mcpStatus),
    forWatchers: () => ({ subtype: "mcp_status", stderr: false }),
  },
  mcp_submit_code: later(async () => (await mcp()).mcpSubmitCode),
  mcp_toggle: change(async () => (await mcp()).mcpToggle),
  preview_session: later(async () => (await sessions()).previewSessionControl),
  read_file: later(async () => (await files()).readFile),
  register_repo_root: change(async () => (await files()).registerRepoRoot),
  reload_output_styles: later(async () => (await listings()).reloadOutputStyles),
  reload_plugins: later(async () => (await listings()).reloadPlugins),
  reload_skills: later(async () => (await listings()).reloadSkills),
  rename_session: change(async () => (await sessions()).renameSessionControl),
  rewind_conversation: change(async () => (await conversation()).rewindConversationControl),
  rewind_files: change(async () => (await files()).rewindFiles),
  run_shell_command: now(runShellCommand),
  search_sessions: later(async () => (await sessions()).searchSessionsControl),
  seed_read_state: change(async () => (await files()).seedReadState),
  set_has_subscribers: read(async () => acknowledge),
  set_max_thinking_tokens: change(async () => (await models()).setMaxThinkingTokens),
  set_mcp_permission_mode_override: later(async () => (await mcp()).setMcpPermissionModeOverride),
  set_model: change(async () => (await models()).setModel),
  set_permission_mode: now(setPermissionMode),
  side_question: later(async () => (await asides()).sideQuestion),
  stop_task: later(async () => (await tasks()).stopTask),
  update_permissions: change(async () => (await permissions()).updatePermissions),
  update_settings: change(async () => (await settings()).updateSettings),
};

/** Undefined for a request that is not supported. */
export function controlRow(subtype: string): ControlRow | undefined {
  return Object.hasOwn(ROWS, subtype) ? ROWS[subtype as ControlSubtype] : undefined;
}
