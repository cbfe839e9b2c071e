import { expect, test } from "bun:test";
import { collect, fakeProgram, result } from "../fake-program.test-support.ts";
import type { Options } from "../options/options.ts";
import { failure, played } from "../played.test-support.ts";
import { query } from "./query.ts";

test("a prompt is sent with initialize, messages are yielded, and the result ends the input", async () => {
  const { program, running } = played("hi");
  const messages = collect(running);

  await program.hears(({ type }) => type === "user");
  expect(program.heard).toEqual([
    { type: "control_request", request_id: "req_1", request: { subtype: "initialize", systemPrompt: [""] } },
    {
      type: "user",
      session_id: "",
      message: { role: "user", content: [{ type: "text", text: "hi" }] },
      parent_tool_use_id: null,
    },
  ]);
  program.say({ type: "system", subtype: "init" }, result("hello"));
  await program.inputEnded;
  program.exit(0);

  expect(await messages).toEqual([{ type: "system", subtype: "init" }, result("hello")] as any);
  expect(await running.next()).toEqual({ value: undefined, done: true });
});

test("messages only for the SDK are not yielded, and unknown ones are", async () => {
  const { program, running } = played("hi");
  program.stdout.write("Starting up\n\n");
  program.say(
    { type: "keep_alive" },
    { type: "system", subtype: "session_state_changed", state: "running", sdk_host_only: true },
    { type: "transcript_mirror", filePath: "/f", entries: [] },
    { type: "control_response", response: { subtype: "success", request_id: "nobody's" } },
    { type: "control_cancel_request", request_id: "nobody's" },
    { type: "something_new", value: 1 },
  );
  program.exit(0);
  expect(await collect(running)).toEqual([{ type: "something_new", value: 1 }] as any);
});

test("verbatim prompts are marked", async () => {
  const { program, running } = played("/not a command", { verbatimPrompts: true });
  expect((await program.hears(({ type }) => type === "user")).client_composed).toBe(true);
  running.close();
});

test("a stream of prompts is sent as it comes, and the input stays open until each has a result", async () => {
  let go = () => {};
  const gate = new Promise<void>((resolve) => (go = resolve));
  const say = (text: string) =>
    ({ type: "user", message: { role: "user", content: text }, parent_tool_use_id: null }) as const;
  async function* prompts() {
    yield say("one");
    await gate;
    yield say("two");
  }
  const { program, running } = played(prompts());
  const texts = () => program.heard.flatMap(({ message }) => (message ? [message.content] : []));

  await program.hears(({ message }) => message?.content === "one");
  program.say(result("1"));
  expect((await running.next()).value).toEqual(result("1") as any);
  expect(texts()).toEqual(["one"]);
  go();
  await program.hears(({ message }) => message?.content === "two");
  // The iterable is done, but the program may still have questions.
  const mode = running.setPermissionMode("plan");
  program.answer((await program.request("set_permission_mode")).request_id, { mode: "plan" });
  await mode;
  program.say(result("2"));
  await program.inputEnded;
  program.exit(0);
  expect(await collect(running)).toEqual([result("2")] as any);
});

test("prompts that were merged into one run, or cancelled, are not waited for", async () => {
  async function* prompts() {
    for (const uuid of ["a", "b", "c"] as any[]) {
      yield { type: "user", message: { role: "user", content: uuid }, parent_tool_use_id: null, uuid } as const;
    }
  }
  const { program, running } = played(prompts());
  await program.hears(({ uuid }) => uuid === "c");
  program.say({ type: "command_lifecycle", command_uuid: "c", state: "cancelled" });
  program.say(result("both", { user_message_uuids: ["a", "b"] }));
  await program.inputEnded;
  running.close();
});

test("an idle program ends the input, whatever the counts", async () => {
  async function* prompts() {
    for (const text of ["a", "b"]) {
      yield { type: "user", message: { role: "user", content: text }, parent_tool_use_id: null } as const;
    }
  }
  const { program, running } = played(prompts());
  await program.hears(({ message }) => message?.content === "b");
  program.say(result("both"), { type: "system", subtype: "session_state_changed", state: "idle", sdk_host_only: true });
  await program.inputEnded;
  running.close();
});

test("while a background agent runs, a caller with callbacks stays reachable", async () => {
  const { program, running } = played("hi", { canUseTool: async () => ({ behavior: "allow" }) });
  const tasks = (...list: object[]) => ({ type: "system", subtype: "background_tasks_changed", tasks: list });
  program.say(tasks({ task_id: "a1", task_type: "local_agent", description: "d" }), result("started"));
  program.ask("late", { subtype: "can_use_tool", tool_name: "Bash", input: {}, tool_use_id: "t" });
  await program.hears(({ response }) => response?.request_id === "late");
  program.say(tasks(), result("done", { origin: { kind: "task-notification" } }));
  await program.inputEnded;
  running.close();
});

test("an iterable that throws ends the query with its error", async () => {
  async function* prompts() {
    yield { type: "user", message: { role: "user", content: "a" }, parent_tool_use_id: null } as const;
    throw new Error("the microphone broke");
  }
  const { running } = played(prompts());
  expect((await failure(collect(running))).message).toBe("the microphone broke");
});

test("leaving the loop ends the program: its input first, then a signal", async () => {
  const program = fakeProgram({ obeys: ["SIGTERM"] });
  const { running } = played("hi", {}, program);
  program.say({ type: "system", subtype: "init" });
  for await (const message of running) if (message.type === "system") break;
  await program.inputEnded;
  expect(program.signals).toEqual([]);
  const ended = new Promise((resolve) => program.started!.signal.addEventListener("abort", resolve));
  await ended;
  expect(program.signals).toEqual(["SIGTERM"]);
  expect(await running.next()).toEqual({ value: undefined, done: true });
});

test("aborting throws AbortError, for the reader and for pending requests", async () => {
  const abortController = new AbortController();
  const { program, running } = played("hi", { abortController });
  const reading = failure(running.next());
  const asking = failure(running.setModel("m"));
  abortController.abort();
  expect([(await reading).name, (await asking).name]).toEqual(["AbortError", "AbortError"]);
  await program.inputEnded;
  program.exit(143);
  expect(await running.next()).toEqual({ value: undefined, done: true });
});

test("a query that was aborted before it began starts nothing", async () => {
  const abortController = new AbortController();
  abortController.abort();
  const { program, running } = played("hi", { abortController });
  expect((await failure(running.next())).errorClass).toBe("aborted");
  expect(program.started).toBeUndefined();
});

test("an error result is yielded, then thrown", async () => {
  const { program, running } = played("hi");
  const wrong = {
    type: "result",
    subtype: "error_max_turns",
    is_error: true,
    errors: ["Reached maximum number of turns (1)"],
    session_id: "s",
    terminal_reason: "max_turns",
  };
  program.say(wrong);
  program.exit(1);
  expect((await running.next()).value).toEqual(wrong as any);
  const error = await failure(running.next());
  expect({ ...error, message: error.message }).toEqual({
    message: "Claude Code returned an error result: Reached maximum number of turns (1)",
    name: "ResultError",
    errorClass: "error_result",
    subtype: "error_max_turns",
    errors: ["Reached maximum number of turns (1)"],
    sessionId: "s",
    terminalReason: "max_turns",
    exitCode: 1,
    stderr: "",
  });
});

test("if the program dies, the error has its exit code, its signal and the end of its stderr", async () => {
  const heard: string[] = [];
  const { program, running } = played("hi", { stderr: (text) => heard.push(text) });
  const asking = failure(running.interrupt());
  program.say({ type: "system", subtype: "init" });
  program.complain("disk on fire\n");
  program.stdout.write('{"type":"assist');
  await running.next();
  program.exit(null, "SIGKILL");

  const error = await failure(running.next());
  const { message, errorClass, exitCode, signal, stderr } = error;
  expect({ message, errorClass, exitCode, signal, stderr }).toEqual({
    message: "Claude Code process terminated by signal SIGKILL. stderr: disk on fire",
    errorClass: "process_exited_nonzero",
    exitCode: null,
    signal: "SIGKILL",
    stderr: "disk on fire\n",
  });
  expect(heard).toEqual(["disk on fire\n"]);
  expect(await asking).toBe(error);
  expect(await failure(running.setModel())).toBe(error);
});

test("a damaged line in the middle is an error, not a missing message", async () => {
  const { program, running } = played("hi");
  program.stdout.write('{"type":"assistant",\n');
  program.say(result("hello"));
  const error = await failure(collect(running));
  expect([error.name, error.line]).toEqual(["CLIJSONDecodeError", '{"type":"assistant",']);
});

test("a message of several megabytes in small chunks arrives complete", async () => {
  const { program, running } = played("hi");
  const text = "ü🙂".repeat(600_000);
  const bytes = Buffer.from(`${JSON.stringify({ type: "assistant", text })}\n`);
  for (let at = 0; at < bytes.length; at += 65_521) program.stdout.write(bytes.subarray(at, at + 65_521));
  expect((await running.next()).value).toEqual({ type: "assistant", text } as any);
  running.close();
});

test.each([
  ["canUseTool", { canUseTool: async () => null, permissionPromptToolName: "mcp__a__b" }],
  ["supportedDialogKinds", { supportedDialogKinds: ["x"] }],
  ["sessionStore", { sessionStore: {} as any, persistSession: false }],
  ["sessionStore", { sessionStore: {} as any, enableFileCheckpointing: true }],
  ["sandbox", { settings: "/a/settings.json", sandbox: { enabled: true } }],
  ["fallbackModel", { model: "m", fallbackModel: "m" }],
] satisfies [string, Options][])("contradicting options are refused at once: %s", (word, options) => {
  const program = fakeProgram();
  expect(() => query({ prompt: "hi", options: { ...options, spawnClaudeCodeProcess: program.spawn } })).toThrow(word);
  expect(program.started).toBeUndefined();
});
