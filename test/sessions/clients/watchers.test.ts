// What a client that only watches may ask for. Everything else is refused, and changes nothing.

import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ControlSubtype, Inbound } from "@keelson/protocol";
import { startMockModel, temporaryHome, type ScriptedReply } from "@keelson/testkit";
import { fakeServer } from "../servers/fake.ts";
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

test("who works with the session reads the output of a server that failed, without its secrets, and a watcher does not", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "one" }]);
  const [secret, option] = ["dsn-0123456789-abcdef", "opt-9876543210-fedcba"];
  // The text is cut in the middle of a secret.
  const exits = `${secret} was refused; ${option} too; ${secret}${".".repeat(3_990)}`;
  const { entry } = fakeServer(home, "broken", { exits });
  const env = { SERVER_DSN: secret };
  const mcpServers = { broken: { ...entry, args: [...entry.args, "--token", option], env } };
  writeFileSync(join(home.project, ".mcp.json"), JSON.stringify({ mcpServers }));
  const session = await openHere({ home, url: model.url });
  const [driver, watcher] = [new TestClient(session), new TestClient(session, { role: "watcher" })];
  driver.prompt("go");
  await driver.result();
  const status = async (client: TestClient, fields = {}): Promise<any> => {
    const id = crypto.randomUUID();
    client.request(id, "mcp_status", fields);
    return (await client.reply(id)).response.response;
  };
  // The program may have ended before all of its output is read.
  let shown;
  do [shown] = (await status(driver)).mcpServers;
  while (!shown.stderr?.endsWith("."));
  expect(shown.status).toBe("failed");
  expect(shown.stderr.endsWith(`[hidden]${".".repeat(3_990)}`)).toBe(true);
  for (const text of [secret, option, secret.slice(-9)]) expect(shown.stderr).not.toContain(text);
  for (const [client, fields] of [
    [driver, { stderr: false }],
    [watcher, {}],
    [watcher, { stderr: true }],
  ] as const) {
    const [server] = (await status(client, fields)).mcpServers;
    expect([server.name, server.status, "stderr" in server]).toEqual(["broken", "failed", false]);
  }
  await session.close("interrupt");
});

test("a watcher makes the session send providers nothing, and their keys are asked for once", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "one" }]);
  const counter = join(home.root, "helped");
  home.settings({ apiKeyHelper: `echo x >> ${counter}; echo helper-key-1` });
  const session = await openHere({ home, url: model.url, env: { ANTHROPIC_API_KEY: "" } });
  const [driver, watcher] = [new TestClient(session), new TestClient(session, { role: "watcher" })];
  const list = async (client: TestClient): Promise<any> => {
    const id = crypto.randomUUID();
    client.request(id, "list_models", { providers: true });
    return (await client.reply(id)).response.response;
  };
  const asked = () => (existsSync(counter) ? readFileSync(counter, "utf8").length / 2 : 0);
  expect(Object.keys(await list(watcher))).toEqual(["models"]);
  expect([asked(), model.requests.length]).toEqual([0, 0]);
  driver.prompt("go");
  await driver.result();
  expect(asked()).toBe(1);
  expect(Object.keys(await list(driver))).toEqual(["models", "providers"]);
  expect(asked()).toBe(1);
  await session.close("interrupt");
});
