// Commands that the user runs in the session (`run_shell_command`): no one is asked, and the model reads what came out.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { messageProblems, startKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { until } from "../processes.ts";
import { CHAT, control, messagesOf, prompt, told } from "../front-door.ts";

const replyTo =
  (id: string) =>
  ({ response }: any) =>
    response?.request_id === id;
const isResult = ({ type }: any) => type === "result";
const run = (command: string, more: object = {}) => control("run", { subtype: "run_shell_command", command, ...more });
const texts = (request: Parameters<typeof told>[0]) => told(request).map(({ type, text }) => text ?? type);

test("a command runs without a question, and the model reads the command and its output", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "I see" }]);
  const args = [...CHAT, "--permission-prompt-tool=stdio", "--replay-user-messages"];
  await using program = startKeelson(args, { home, url: model.url, stdin: "open" });
  program.send(run("touch made; echo hello; echo oops >&2"));
  await program.waitForLine(isResult);
  program.send(run("   "));
  program.closeStdin();
  const ended = await program.done;
  expect(texts(model.requests[0]!)).toEqual([
    "<bash-input>touch made; echo hello; echo oops >&2</bash-input>",
    "<bash-stdout>hello\noops</bash-stdout><bash-stderr></bash-stderr>",
  ]);
  expect(existsSync(join(home.project, "made"))).toBe(true);
  expect(messagesOf(ended, "control_request")).toEqual([]);
  const [queued, empty] = messagesOf(ended, "control_response").map(({ response }) => response);
  expect(queued.response).toEqual({
    user_message_uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    tool_use_id: expect.stringMatching(/^toolu_/),
  });
  expect(empty).toMatchObject({ subtype: "error", error: 'run_shell_command: "command" must not be empty' });
  const shown = messagesOf(ended, "user").map(({ message, isReplay = false }) => [message.content, isReplay]);
  expect(shown).toEqual([
    ["<bash-input>touch made; echo hello; echo oops >&2</bash-input>", true],
    ["<bash-stdout>hello\noops</bash-stdout><bash-stderr></bash-stderr>", false],
  ]);
  expect(messagesOf(ended, "command_lifecycle").map(({ state }) => state)).toEqual(["queued", "started", "completed"]);
});

test("a deny rule and a hook still deny; a failed command shows its output", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "one" }, { text: "two" }, { text: "three" }]);
  const hook = {
    matcher: "Bash",
    hooks: [{ type: "command", command: 'grep -q hooked && { echo "no hooks" >&2; exit 2; }; exit 0' }],
  };
  const settings = JSON.stringify({ permissions: { deny: ["Bash(touch *)"] }, hooks: { PreToolUse: [hook] } });
  await using program = startKeelson([...CHAT, "--settings", settings], { home, url: model.url, stdin: "open" });
  program.send(run("touch denied"));
  program.send(run("touch hooked"));
  program.send(run("echo broken; exit 3"));
  await program.waitForLine(({ result }: any) => result === "three");
  program.closeStdin();
  await program.done;
  expect([existsSync(join(home.project, "denied")), existsSync(join(home.project, "hooked"))]).toEqual([false, false]);
  const outputs = model.requests.map((request) => texts(request).at(-1));
  expect(outputs[0]).toBe(
    "<bash-stdout></bash-stdout><bash-stderr>Permission to use Bash with command touch denied has been denied. The deny rule is Bash(touch *), from flagSettings.</bash-stderr>",
  );
  expect(outputs[1]).toContain("no hooks");
  expect(outputs[2]).toBe("<bash-stdout></bash-stdout><bash-stderr>Exit code 3\nbroken</bash-stderr>");
});

test("an interrupt ends the command, and nothing is sent; Ctrl+B moves one to the background", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "in the background" }]);
  await using program = startKeelson(CHAT, { home, url: model.url, stdin: "open" });
  program.send(run("touch begun; sleep 60"));
  await until(() => existsSync(join(home.project, "begun")));
  program.send(control("stop", { subtype: "interrupt" }));
  const first = await program.waitForLine(isResult);
  expect(first.json).toMatchObject({ terminal_reason: "aborted_tools" });
  expect(model.requests).toHaveLength(0);

  program.send(control("again", { subtype: "run_shell_command", command: "touch second; sleep 60" }));
  const { json } = await program.waitForLine(replyTo("again"));
  const { tool_use_id } = (json as any).response.response;
  await until(() => existsSync(join(home.project, "second")));
  program.send(control("move", { subtype: "background_tasks", tool_use_id }));
  await program.waitForLine(({ result }: any) => result === "in the background");
  expect(texts(model.requests[0]!).at(-1)).toContain("Command running in background with ID");
  expect(messageProblems(model.requests[0]!.body.messages)).toEqual([]);
  const { task_id } = messagesOf({ messages: program.lines.map(({ json }) => json as any) }, "system/task_started").at(
    -1,
  );
  program.send(control("end", { subtype: "stop_task", task_id }));
  await program.waitForLine(replyTo("end"));
  program.closeStdin();
  await program.done;
});

test("a client cannot pass a command off as a prompt", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "just words" }]);
  await using program = startKeelson(CHAT, { home, url: model.url, stdin: "open" });
  program.send(prompt("hello", { shell: { command: "touch forged", toolUseId: "toolu_1" } }));
  await program.waitForLine(isResult);
  program.closeStdin();
  await program.done;
  expect(texts(model.requests[0]!)).toEqual(["hello"]);
  expect(existsSync(join(home.project, "forged"))).toBe(false);
});
