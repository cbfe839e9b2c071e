import { expect, test } from "bun:test";
import { collect, result } from "../fake-program.test-support.ts";
import { failure, played } from "../played.test-support.ts";

test("a refused request rejects with its code", async () => {
  const { program, running } = played("hi");
  const asking = failure(running.setPermissionMode("bypassPermissions"));
  program.refuse((await program.request("set_permission_mode")).request_id, "no", "bypass_not_launched");
  const { message, errorClass, errorCode } = await asking;
  expect({ message, errorClass, errorCode }).toEqual({
    message: "no",
    errorClass: "control_request_failed",
    errorCode: "bypass_not_launched",
  });
  running.close();
  expect((await failure(running.setModel("m"))).message).toBe("Query closed before response received");
});

test("each method sends its request and returns the requested part", async () => {
  const { program, running } = played("hi");
  const cases: [() => Promise<unknown>, object, unknown, unknown][] = [
    [() => running.interrupt(), { subtype: "interrupt" }, { still_queued: [] }, { still_queued: [] }],
    [
      () => running.setPermissionMode("plan"),
      { subtype: "set_permission_mode", mode: "plan" },
      { mode: "plan" },
      undefined,
    ],
    [() => running.setModel("m"), { subtype: "set_model", model: "m" }, { model: "m" }, undefined],
    [() => running.setModel(), { subtype: "set_model" }, undefined, undefined],
    [
      () => running.setMaxThinkingTokens(null),
      { subtype: "set_max_thinking_tokens", max_thinking_tokens: null },
      undefined,
      undefined,
    ],
    [
      () => running.setMaxThinkingTokens(9, "omitted"),
      { subtype: "set_max_thinking_tokens", max_thinking_tokens: 9, thinking_display: "omitted" },
      undefined,
      undefined,
    ],
    [
      () => running.setMcpPermissionModeOverride("s", null),
      { subtype: "set_mcp_permission_mode_override", serverName: "s", mode: null },
      undefined,
      {},
    ],
    [
      () => running.applyFlagSettings({ model: null }),
      { subtype: "apply_flag_settings", settings: { model: null } },
      undefined,
      undefined,
    ],
    [
      () => running.updateSettings("localSettings", { a: 1 }),
      { subtype: "update_settings", source: "localSettings", settings: { a: 1 } },
      {},
      undefined,
    ],
    [() => running.mcpServerStatus(), { subtype: "mcp_status" }, { mcpServers: [1] }, [1]],
    [() => running.reconnectMcpServer("s"), { subtype: "mcp_reconnect", serverName: "s" }, undefined, undefined],
    [
      () => running.toggleMcpServer("s", false),
      { subtype: "mcp_toggle", serverName: "s", enabled: false },
      undefined,
      undefined,
    ],
    [
      () => running.readMcpResource("s", "u"),
      { subtype: "mcp_read_resource", serverName: "s", uri: "u" },
      { contents: [] },
      { contents: [] },
    ],
    [() => running.listMcpResources(), { subtype: "mcp_list_resources" }, { resources: [] }, { resources: [] }],
    [() => running.getContextUsage(), { subtype: "get_context_usage" }, { totalTokens: 1 }, { totalTokens: 1 }],
    [() => running.getContextUsage({ detail: "full" }), { subtype: "get_context_usage", detail: "full" }, {}, {}],
    [
      () => running.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET({ skipBehaviors: true }),
      { subtype: "get_usage", skip_behaviors: true },
      {},
      {},
    ],
    [
      () => running.readFile("f", { maxBytes: 3 }),
      { subtype: "read_file", path: "f", max_bytes: 3 },
      { contents: "abc" },
      { contents: "abc" },
    ],
    [() => running.reloadPlugins(), { subtype: "reload_plugins" }, { commands: [] }, { commands: [] }],
    [() => running.reloadSkills(), { subtype: "reload_skills" }, { skills: [] }, { skills: [] }],
    [() => running.reloadOutputStyles(), { subtype: "reload_output_styles" }, {}, {}],
    [
      () => running.rewindFiles("u", { dryRun: true }),
      { subtype: "rewind_files", user_message_id: "u", dry_run: true },
      { canRewind: true },
      { canRewind: true },
    ],
    [() => running.seedReadState("f", 5), { subtype: "seed_read_state", path: "f", mtime: 5 }, undefined, undefined],
    [() => running.stopTask("t"), { subtype: "stop_task", task_id: "t" }, {}, undefined],
    [() => running.backgroundTasks(), { subtype: "background_tasks" }, {}, true],
    [
      () => running.backgroundTasks("t"),
      { subtype: "background_tasks", tool_use_id: "t" },
      { backgrounded: false },
      false,
    ],
  ];
  for (const [call, request, response, expected] of cases) {
    const returned = call();
    const sent = await program.request((request as any).subtype);
    program.answer(sent.request_id, response);
    expect([sent.request, await returned]).toEqual([request, expected]);
  }
  running.close();
});

test("a file that cannot be read is null; a program that cannot read files is an error", async () => {
  const { program, running } = played("hi");
  const missing = running.readFile("nope");
  program.refuse((await program.request("read_file")).request_id, "ENOENT");
  expect(await missing).toBeNull();
  const unsupported = failure(running.readFile("nope"));
  program.refuse((await program.request("read_file")).request_id, "what?", "unsupported_request");
  expect((await unsupported).errorCode).toBe("unsupported_request");
  running.close();
});

test("the result of initialize is kept, and commands are updated when they change", async () => {
  const { program, running } = played("hi");
  const reply = { commands: [{ name: "a" }], models: ["m"], agents: ["g"], account: { email: "e" } };
  program.answer((await program.request("initialize")).request_id, reply);
  expect(await running.initializationResult()).toEqual(reply as any);
  expect(await running.supportedCommands()).toEqual([{ name: "a" }] as any);
  expect(await running.supportedModels()).toEqual(["m"] as any);
  expect(await running.supportedAgents()).toEqual(["g"] as any);
  expect(await running.accountInfo()).toEqual({ email: "e" });
  program.say({ type: "system", subtype: "commands_changed", commands: [{ name: "b" }] });
  await running.next();
  expect(await running.supportedCommands()).toEqual([{ name: "b" }] as any);

  const again = running.reinitialize();
  program.answer((await program.request("initialize")).request_id, { ...reply, commands: [] });
  expect((await again).commands).toEqual([]);
  running.close();
});

test("a query continues if initialize is refused", async () => {
  const { program, running } = played("hi");
  program.refuse((await program.request("initialize")).request_id, "no");
  program.say(result("hello"));
  program.exit(0);
  expect(await collect(running)).toEqual([result("hello")] as any);
  expect((await failure(running.supportedModels())).message).toBe("no");
});
