// What a client that only watches may ask for. Everything else is refused, and changes nothing.

import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { ControlSubtype, Inbound } from "@keelson/protocol";
import { startMockModel, temporaryHome, type ScriptedReply } from "@keelson/testkit";
import { isQuestion, openHere, TestClient } from "./live-session.ts";

const WRITE: ScriptedReply = { calls: [{ name: "Write", input: { file_path: "a.txt", content: "x" } }] };

/** Whether a client that only watches may send it. */
const MAY_WATCHERS: Readonly<Record<ControlSubtype, boolean>> = {
  add_memory: false,
  add_prompt_history: false,
  apply_flag_settings: false,
  background_tasks: false,
  cancel_async_message: false,
  compact_conversation: false,
  end_session: false,
  file_suggestions: false,
  generate_session_title: false,
  get_binary_version: true,
  get_context_usage: true,
  get_hooks_listing: true,
  get_messages: true,
  get_prompt_history: false,
  get_session_cost: true,
  get_session_info: true,
  get_settings: false,
  get_task_output: true,
  get_usage: true,
  get_working_diff: true,
  initialize: true,
  interrupt: false,
  list_agents: true,
  list_models: true,
  list_permission_rules: true,
  list_sessions: false,
  mcp_authenticate: false,
  mcp_call: false,
  mcp_list_resources: true,
  mcp_message: false,
  mcp_read_resource: false,
  mcp_reconnect: false,
  mcp_set_servers: false,
  mcp_status: true,
  mcp_submit_code: false,
  mcp_toggle: false,
  preview_session: false,
  read_file: false,
  register_repo_root: false,
  reload_output_styles: false,
  reload_plugins: false,
  reload_skills: false,
  rename_session: false,
  rewind_conversation: false,
  rewind_files: false,
  run_shell_command: false,
  search_sessions: false,
  seed_read_state: false,
  set_has_subscribers: true,
  set_max_thinking_tokens: false,
  set_mcp_permission_mode_override: false,
  set_model: false,
  set_permission_mode: false,
  side_question: false,
  stop_task: false,
  update_permissions: false,
  update_settings: false,
};

const FIELDS: Partial<Record<ControlSubtype, object>> = {
  add_memory: { text: "a note" },
  add_prompt_history: { display: "typed" },
  apply_flag_settings: { settings: { permissions: { allow: ["Bash"] } } },
  get_task_output: { task_id: "none" },
  mcp_list_resources: { serverName: "none" },
  mcp_set_servers: { servers: { own: { type: "sdk", name: "own" } } },
  read_file: { path: "/etc/hostname" },
  file_suggestions: { query: "a" },
  rename_session: { title: "Mine" },
  run_shell_command: { command: "touch made" },
  set_model: { model: "opus" },
  set_permission_mode: { mode: "acceptEdits" },
  side_question: { question: "what?" },
  update_permissions: { updates: [{ type: "setMode", mode: "acceptEdits", destination: "session" }] },
  update_settings: { scope: "user", settings: { theme: "light" } },
};

test("a watcher reads what belongs to the session, and every other request is refused and changes nothing", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "one" }]);
  const session = await openHere({ home, url: model.url });
  const [driver, watcher] = [new TestClient(session), new TestClient(session, { role: "watcher" })];
  driver.prompt("go");
  await driver.result();
  const state = async () => {
    const id = crypto.randomUUID();
    driver.request(id, "get_session_info");
    return (await driver.reply(id)).response.response;
  };
  const before = await state();
  const files = () => [readdirSync(home.project), readdirSync(home.configDir)];
  const there = files();
  const all = Object.keys(MAY_WATCHERS) as ControlSubtype[];
  for (const subtype of all) watcher.request(subtype, subtype, FIELDS[subtype]);
  const may: Record<string, boolean> = {};
  for (const subtype of all) may[subtype] = (await watcher.reply(subtype)).response.error_code !== "watcher";
  expect(may).toEqual(MAY_WATCHERS);
  expect(await state()).toEqual(before);
  expect(files()).toEqual(there);
  expect(model.requests).toHaveLength(1);
  await session.close("interrupt");
});

test("a watcher answers no question, sets no variable and takes nothing back", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([WRITE, { text: "done" }]);
  const session = await openHere({ home, url: model.url });
  const [driver, watcher] = [new TestClient(session), new TestClient(session, { role: "watcher" })];
  driver.prompt("go");
  const { request_id } = await driver.first(isQuestion);
  const attempts: Inbound[] = [
    { type: "control_response", response: { subtype: "success", request_id, response: { behavior: "allow" } } },
    { type: "control_cancel_request", request_id },
    { type: "update_environment_variables", variables: { BASH_ENV: "/tmp/x" } },
  ];
  for (const attempt of attempts) watcher.send(attempt);
  watcher.request("s", "mcp_status");
  await watcher.reply("s");
  expect(existsSync(join(home.project, "a.txt"))).toBe(false);
  driver.answer(request_id, { behavior: "deny", message: "no" });
  expect((await driver.result()).permission_denials).toHaveLength(1);
  const told = watcher.got.filter((message) => "subtype" in message && message.subtype === "informational");
  expect(told).toHaveLength(2);
  await session.close("interrupt");
});
