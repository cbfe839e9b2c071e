// Calls of any tool: which tools are offered, what is wrong with a call, and in which order answers come.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, type ScriptedCall } from "@keelson/testkit";
import { messagesOf, STREAM, told } from "../front-door.ts";
import { bash, carryOut, read, shownBy } from "./carry-out.ts";

test("TodoWrite keeps the list, and forgets it when all is done", async () => {
  using home = temporaryHome();
  const todo = (status: string) => ({ content: "Fix it", status, activeForm: "Fixing it" });
  const list = (...todos: Record<string, string>[]): ScriptedCall => ({ name: "TodoWrite", input: { todos } });
  const outcome = await carryOut(home, [
    list({ ...todo("in_progress"), id: "1", priority: "high" }),
    list(todo("completed")),
    list(todo("pending")),
    list({ content: "x", activeForm: "y" }),
    list({ content: "Run it", status: "pending" }),
  ]);
  const text = expect.stringMatching(/^(The todo list is updated: 0 of 1 done|All todos are done)\.$/);
  expect(outcome).toEqual([
    { shown: text, result: { oldTodos: [], newTodos: [todo("in_progress")] } },
    { shown: text, result: { oldTodos: [todo("in_progress")], newTodos: [todo("completed")] } },
    { shown: text, result: { oldTodos: [], newTodos: [todo("pending")] } },
    {
      shown: expect.stringContaining("The required parameter `todos[0].status` is missing"),
      result: expect.stringMatching(/^InputValidationError: /),
    },
    // Only people read the other form.
    {
      shown: text,
      result: {
        oldTodos: [todo("pending")],
        newTodos: [{ content: "Run it", status: "pending", activeForm: "Run it" }],
      },
    },
  ]);
});

test("a call that cannot be tried is answered with what is wrong with it", async () => {
  using home = temporaryHome();
  const outcome = await carryOut(home, [
    { name: "Teleport", input: { to: "Mars" } },
    { name: "Read", input: {} },
    { name: "Read", input: { file_path: "a.txt", colour: "red" } },
  ]);
  expect(outcome).toEqual([
    {
      shown: "<tool_use_error>Error: No such tool available: Teleport</tool_use_error>",
      result: "Error: No such tool available: Teleport",
    },
    {
      shown:
        "<tool_use_error>InputValidationError: Read failed due to the following issue:\nThe required parameter `file_path` is missing</tool_use_error>",
      result: expect.stringMatching(/^InputValidationError: /),
    },
    {
      shown: expect.stringContaining("An unexpected parameter `colour` was provided"),
      result: expect.stringMatching(/^InputValidationError: /),
    },
  ]);
});

test("a call is shown, kept and sent back with the input that the tool gets, unless that is not valid", async () => {
  using home = temporaryHome();
  home.write("a.txt", "one\ntwo\n");
  const file_path = join(home.project, "a.txt");
  const given = [
    { name: "Read", input: { file_path, limit: "2", offset: -1 } },
    { name: "Edit", input: { file_path, old_string: "two", new_string: "2  \n3" } },
    { name: "TodoWrite", input: { todos: [{ id: "1", content: "a", status: "pending", activeForm: "b" }] } },
    { name: "Glob", input: { pattern: "*", depth: "7" } },
  ];
  const repaired = [
    { file_path, limit: 2 },
    { replace_all: false, file_path, old_string: "two", new_string: "2\n3" },
    { todos: [{ content: "a", status: "pending", activeForm: "b" }] },
    given[3]!.input,
  ];
  await using model = await startMockModel([...given.map((call) => ({ calls: [call] })), { text: "done" }]);
  const flags = ["--allowedTools", "Edit"];
  const ended = await runKeelson(["-p", "go", ...STREAM, ...flags], { home, url: model.url });
  const inputsIn = (messages: readonly any[]) =>
    messages
      .flatMap(({ content }) => content)
      .flatMap((block: any) => (block.type === "tool_use" ? [block.input] : []));
  expect(inputsIn(messagesOf(ended, "assistant").map(({ message }) => message))).toEqual(repaired);
  expect(inputsIn(model.requests.at(-1)!.body.messages.filter(({ role }: any) => role === "assistant"))).toEqual(
    repaired,
  );
});

test("reads of one reply run side by side, and their answers come in the order of the calls", async () => {
  using home = temporaryHome();
  for (const name of ["a", "b", "c"]) home.write(`${name}.txt`, name);
  await using model = await startMockModel([
    { calls: ["a", "b", "c"].map((name) => read(`${name}.txt`)) },
    { text: "ok" },
  ]);
  await runKeelson(["-p", "go"], { home, url: model.url });
  expect(told(model.requests[1]!).map(({ content }) => content)).toEqual(["1\ta", "1\tb", "1\tc"]);
});

const ALL =
  "Agent Bash CronCreate CronDelete CronList Edit EnterWorktree ExitWorktree Glob Grep Monitor NotebookEdit Read ScheduleWakeup SendMessage Skill TaskOutput TaskStop TodoWrite ToolSearch WebFetch WebSearch Write".split(
    " ",
  );
/** What is in every request; ToolSearch loads the others. */
const USUAL = "Agent Bash Edit Glob Grep Read Skill TodoWrite ToolSearch Write".split(" ");
const EVERY = ALL.filter((name) => name !== "ToolSearch");

test.each<[string[], string[], string[]?]>([
  [[], USUAL, ALL],
  [
    ["--tools", "Read,Glob"],
    ["Glob", "Read"],
  ],
  [["--tools", "default"], USUAL, ALL],
  // Named tools are in the request, and so are those that rules allow.
  [["--tools", EVERY.join()], EVERY],
  [["--allowedTools", "WebFetch(domain:example.com)"], [...USUAL, "WebFetch"].toSorted(), ALL],
  [["--disallowedTools", "ToolSearch"], EVERY],
  [["--disallowedTools", "WebSearch"], USUAL, ALL.filter((name) => name !== "WebSearch")],
  [["--tools", ""], []],
  [
    ["--tools", "Read,Write,Bash", "--disallowedTools", "Write"],
    ["Bash", "Read"],
  ],
  // A rule about some commands does not take the tool away.
  [["--tools", "Bash", "--disallowedTools", "Bash(git push *)"], ["Bash"]],
])(
  "%j offers these tools to the model, and to clients also those that it has to load",
  async (flags, names, all = names) => {
    using home = temporaryHome();
    await using model = await startMockModel([{ text: "ok" }]);
    const ended = await runKeelson(["-p", "go", ...STREAM, ...flags], { home, url: model.url });
    expect((model.requests[0]!.body.tools ?? []).map(({ name }: any) => name)).toEqual(names);
    // Clients know Agent by its older name.
    const known = all.map((name) => (name === "Agent" ? "Task" : name));
    expect(messagesOf(ended, "system/init")[0].tools).toEqual(known);
  },
);

test.each([
  [["--disallowedTools", "Bash"]],
  [["--tools", "Read"]],
  [["--settings", '{"permissions":{"deny":["Bash"]}}', "--allowedTools", "Bash"]],
])("a tool that is not offered (%j) does not run when it is called all the same", async (flags) => {
  using home = temporaryHome();
  const [shown] = await shownBy(home, [bash("touch made.txt")], flags);
  expect(shown).toStartWith(
    "<tool_use_error>Error: No such tool available: Bash. Bash exists but is not enabled in this context. ",
  );
  expect(existsSync(join(home.project, "made.txt"))).toBe(false);
});
