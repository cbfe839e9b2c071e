// Every request that is not answered at once, and where its handler is: each family is loaded when it is first asked.

import type { Handler } from "./reply.ts";

const asides = () => import("./handlers/asides.ts");
const contextUsage = () => import("./handlers/context-usage.ts");
const files = () => import("./handlers/files.ts");
const flow = () => import("./handlers/flow.ts");
const initialization = () => import("./handlers/initialize.ts");
const listings = () => import("./handlers/listings.ts");
const mcp = () => import("./handlers/mcp.ts");
const models = () => import("./handlers/models.ts");
const settings = () => import("./handlers/settings.ts");
const tasks = () => import("./handlers/tasks.ts");
const title = () => import("./handlers/title.ts");
const usage = () => import("./handlers/usage.ts");

export const LATE: Readonly<Record<string, () => Promise<Handler>>> = {
  apply_flag_settings: async () => (await settings()).applyFlagSettings,
  background_tasks: async () => (await tasks()).backgroundTasks,
  file_suggestions: async () => (await files()).fileSuggestions,
  generate_session_title: async () => (await asides()).generateSessionTitle,
  get_binary_version: async () => (await listings()).getBinaryVersion,
  get_context_usage: async () => (await contextUsage()).getContextUsage,
  get_hooks_listing: async () => (await listings()).getHooksListing,
  get_session_cost: async () => (await usage()).getSessionCost,
  get_settings: async () => (await settings()).getSettings,
  get_task_output: async () => (await tasks()).getTaskOutput,
  get_usage: async () => (await usage()).getUsage,
  initialize: async () => (await initialization()).initialize,
  list_models: async () => (await models()).listModels,
  list_permission_rules: async () => (await listings()).listPermissionRules,
  mcp_call: async () => (await mcp()).mcpCall,
  mcp_read_resource: async () => (await mcp()).mcpReadResource,
  mcp_reconnect: async () => (await mcp()).mcpReconnect,
  mcp_set_servers: async () => (await mcp()).mcpSetServers,
  mcp_status: async () => (await mcp()).mcpStatus,
  mcp_toggle: async () => (await mcp()).mcpToggle,
  read_file: async () => (await files()).readFile,
  register_repo_root: async () => (await files()).registerRepoRoot,
  reload_output_styles: async () => (await listings()).reloadOutputStyles,
  reload_plugins: async () => (await listings()).reloadPlugins,
  reload_skills: async () => (await listings()).reloadSkills,
  rename_session: async () => (await title()).renameSessionControl,
  rewind_files: async () => (await files()).rewindFiles,
  seed_read_state: async () => (await files()).seedReadState,
  set_has_subscribers: async () => (await flow()).acknowledge,
  set_max_thinking_tokens: async () => (await models()).setMaxThinkingTokens,
  set_mcp_permission_mode_override: async () => (await mcp()).setMcpPermissionModeOverride,
  set_model: async () => (await models()).setModel,
  side_question: async () => (await asides()).sideQuestion,
  stop_task: async () => (await tasks()).stopTask,
  update_settings: async () => (await settings()).updateSettings,
};
