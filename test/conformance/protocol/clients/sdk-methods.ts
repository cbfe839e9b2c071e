// Which method of a query stands for which control request, and how it shows the answer. Requests that are not here can
// be sent over a pipe only.

import type { Query } from "@keelson/sdk";
import type { Request } from "../scenario.ts";

interface Method {
  call(query: Query, request: any): Promise<unknown>;
  /** What the method makes of a good answer; absent: nothing, it only waits. */
  shows?(response: any): unknown;
  /** It makes nothing of a refusal, where others throw. */
  refusal?: null;
}

const same = (response: unknown) => response;

const METHODS: Readonly<Record<string, Method>> = {
  initialize: { call: (query) => query.reinitialize(), shows: same },
  interrupt: { call: (query) => query.interrupt(), shows: same },
  set_permission_mode: { call: (query, { mode }) => query.setPermissionMode(mode) },
  set_model: { call: (query, { model }) => query.setModel(model) },
  set_max_thinking_tokens: {
    call: (query, request) => query.setMaxThinkingTokens(request.max_thinking_tokens, request.thinking_display),
  },
  set_mcp_permission_mode_override: {
    call: (query, { serverName, mode }) => query.setMcpPermissionModeOverride(serverName, mode),
    shows: (response) => response ?? {},
  },
  apply_flag_settings: { call: (query, { settings }) => query.applyFlagSettings(settings) },
  update_settings: { call: (query, { source, settings }) => query.updateSettings(source, settings) },
  mcp_status: { call: (query) => query.mcpServerStatus(), shows: ({ mcpServers }) => mcpServers },
  mcp_reconnect: { call: (query, { serverName }) => query.reconnectMcpServer(serverName) },
  mcp_toggle: { call: (query, { serverName, enabled }) => query.toggleMcpServer(serverName, enabled) },
  mcp_set_servers: { call: (query, { servers }) => query.setMcpServers(servers), shows: same },
  mcp_read_resource: { call: (query, { serverName, uri }) => query.readMcpResource(serverName, uri), shows: same },
  get_context_usage: { call: (query, { detail }) => query.getContextUsage({ detail }), shows: same },
  get_usage: {
    call: (query, request) =>
      query.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET({ skipBehaviors: request.skip_behaviors }),
    shows: same,
  },
  read_file: {
    call: (query, { path, max_bytes: maxBytes, encoding }) => query.readFile(path, { maxBytes, encoding }),
    shows: same,
    refusal: null,
  },
  reload_plugins: { call: (query) => query.reloadPlugins(), shows: same },
  reload_skills: { call: (query) => query.reloadSkills(), shows: same },
  reload_output_styles: { call: (query) => query.reloadOutputStyles(), shows: same },
  rewind_files: {
    call: (query, { user_message_id, dry_run }) => query.rewindFiles(user_message_id, { dryRun: dry_run }),
    shows: same,
  },
  seed_read_state: { call: (query, { path, mtime }) => query.seedReadState(path, mtime) },
  stop_task: { call: (query, { task_id }) => query.stopTask(task_id) },
  background_tasks: {
    call: (query, { tool_use_id }) => query.backgroundTasks(tool_use_id),
    shows: (response) => response.backgrounded ?? true,
  },
};

/** Fields of these have no place in the method's arguments. */
const NO_PLACE: readonly string[] = ["cancel_queued", "liveReply"];

export const canAsk = (request: Request): boolean =>
  Object.hasOwn(METHODS, request.subtype) && !NO_PLACE.some((field) => field in request);

/** The answer to a request as its method shows it, in the form of an answer on the wire. */
export async function askThrough(query: Query, request: Request): Promise<object | undefined> {
  if (!canAsk(request)) return undefined;
  const { call, shows } = METHODS[request.subtype]!;
  try {
    const response = await call(query, request);
    return shows === undefined || response === undefined
      ? { subtype: "success" }
      : { subtype: "success", response: response };
  } catch (error: any) {
    if (error?.errorClass !== "control_request_failed") throw error;
    return {
      subtype: "error",
      error: error.message,
      ...(error.errorCode === undefined ? {} : { error_code: error.errorCode }),
    };
  }
}

/** What `askThrough` gives for this answer on the wire. */
export function shownThrough(request: Request, reply: any): unknown {
  const { shows, refusal } = METHODS[request.subtype]!;
  if (reply.subtype === "error") return refusal === null ? { subtype: "success", response: null } : reply;
  const response = shows?.(reply.response);
  return response === undefined ? { subtype: "success" } : { subtype: "success", response };
}
