import { expect, test } from "bun:test";
import type { ControlSubtype } from "@keelson/protocol";
import { readFrame } from "./read-frame.ts";

const asked = (request: object) => JSON.stringify({ type: "control_request", request_id: "1", request });

test("a page brings nothing with initialize, asks no provider, and of the settings it changes the effort only", () => {
  const hooks = { PreToolUse: [{ hookCallbackIds: ["a"] }] };
  const read = (request: object) => readFrame(asked(request), "driver");
  const passed = (request: object) => ({ message: { type: "control_request", request_id: "1", request } });
  expect(read({ subtype: "list_models", providers: true })).toEqual(passed({ subtype: "list_models" }) as never);
  expect(read({ subtype: "mcp_status" })).toEqual(passed({ subtype: "mcp_status", stderr: false }) as never);
  expect(read({ subtype: "initialize", hooks, mcpServers: { a: {} }, agents: { b: {} } })).toEqual(
    passed({ subtype: "initialize" }) as never,
  );
  const settings = { effortLevel: "high", hooks, permissions: { allow: ["Bash"] }, env: { A: "1" } };
  expect(read({ subtype: "apply_flag_settings", settings })).toEqual(
    passed({ subtype: "apply_flag_settings", settings: { effortLevel: "high" } }) as never,
  );
  for (const other of [{ effortLevel: { a: 1 } }, {}, "x", null])
    expect(read({ subtype: "apply_flag_settings", settings: other })).toEqual(
      passed({ subtype: "apply_flag_settings", settings: { effortLevel: null } }) as never,
    );
});

/** Who may ask for what: each device, only those that may do everything, or no page at all. */
const WHO: Readonly<Record<ControlSubtype, "viewer" | "driver" | "no one">> = {
  add_memory: "no one",
  add_prompt_history: "no one",
  apply_flag_settings: "driver",
  background_tasks: "no one",
  cancel_async_message: "driver",
  compact_conversation: "no one",
  end_session: "no one",
  file_suggestions: "driver",
  generate_session_title: "driver",
  get_binary_version: "no one",
  get_context_usage: "viewer",
  get_hooks_listing: "no one",
  get_messages: "viewer",
  get_prompt_history: "no one",
  get_session_cost: "viewer",
  get_session_info: "viewer",
  get_settings: "driver",
  get_task_output: "viewer",
  get_usage: "viewer",
  get_working_diff: "no one",
  initialize: "viewer",
  interrupt: "driver",
  list_agents: "no one",
  list_models: "viewer",
  list_permission_rules: "viewer",
  list_sessions: "no one",
  mcp_authenticate: "no one",
  mcp_call: "no one",
  mcp_list_resources: "no one",
  mcp_message: "no one",
  mcp_read_resource: "no one",
  mcp_reconnect: "no one",
  mcp_set_servers: "no one",
  mcp_status: "viewer",
  mcp_submit_code: "no one",
  mcp_toggle: "no one",
  preview_session: "no one",
  read_file: "no one",
  register_repo_root: "no one",
  reload_output_styles: "no one",
  reload_plugins: "no one",
  reload_skills: "no one",
  rename_session: "driver",
  rewind_conversation: "driver",
  rewind_files: "driver",
  run_shell_command: "no one",
  search_sessions: "no one",
  seed_read_state: "no one",
  set_has_subscribers: "no one",
  set_max_thinking_tokens: "driver",
  set_mcp_permission_mode_override: "no one",
  set_model: "driver",
  set_permission_mode: "driver",
  side_question: "no one",
  stop_task: "driver",
  update_permissions: "no one",
  update_settings: "no one",
};

test.each(Object.entries(WHO))("%s may be asked for by: %s", (subtype, who) => {
  const driven = readFrame(asked({ subtype }), "driver");
  const watched = readFrame(asked({ subtype }), "viewer");
  expect([Object.keys(driven), Object.keys(watched)]).toEqual([
    [who === "no one" ? "reply" : "message"],
    who === "viewer" ? ["message"] : who === "driver" ? ["problem"] : ["reply"],
  ]);
});

test("a device that only watches sends no prompt and no answer, however it is written", () => {
  const uuid = "0b1c2d3e-0000-4000-8000-000000000001";
  const answers = { permissions: { behavior: "allow", updatedInput: {} }, elicitation: { action: "accept" }, plan: {} };
  const messages = [
    { type: "user", message: { role: "user", content: "x" }, parent_tool_use_id: null, uuid },
    ...Object.values(answers).flatMap((response) => [
      { type: "control_response", response: { subtype: "success", request_id: "r", response } },
      { type: "control_response", response: { subtype: "error", request_id: "r", error: "x" } },
    ]),
    { type: "control_cancel_request", request_id: "r" },
  ];
  for (const message of messages)
    expect(readFrame(JSON.stringify(message), "viewer")).toEqual({ problem: "This device only watches" });
  for (const message of [{ type: "update_environment_variables", variables: { A: "1" } }, { type: "no_such_type" }, {}])
    expect(Object.keys(readFrame(JSON.stringify(message), "viewer"))).toEqual(["problem"]);
});
