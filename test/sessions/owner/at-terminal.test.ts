// A session that is open at one terminal and opened at another, or by a program.

import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, transcriptFiles, readTranscript } from "@keelson/testkit";
import { startTerminal, type TestTerminal } from "@keelson/testkit/terminal";
import { until } from "../processes.ts";
import { isIdle, openAtTerminal, type AtTerminal } from "../terminal/at-terminal.ts";

/** After the first prompt has its answer. */
async function openSecond({ terminal, home, model }: AtTerminal): Promise<TestTerminal> {
  terminal.type("hello\r");
  await terminal.until("first answer");
  await terminal.until(isIdle);
  const second = startTerminal({ home, url: model.url, args: ["--continue"] });
  await second.until("attached to it");
  await second.until(/^[❯$]/m);
  return second;
}

test("a second terminal shows the session of the first, both can type, and its end is not the session's", async () => {
  await using at = await openAtTerminal([
    { text: "first answer" },
    { text: "second answer" },
    { text: "third answer" },
    { text: "fourth answer" },
  ]);
  const { terminal, home } = at;
  await using second = await openSecond(at);
  await second.until("first answer");
  second.type("from the second\r");
  await second.until("second answer");
  await terminal.until("second answer");
  await terminal.until("from the second");
  terminal.type("from the first\r");
  await second.until("third answer");
  await second.until("from the first");
  await second.until(isIdle);
  second.press("ctrl+d", "ctrl+d");
  await second.exited;
  const asked = await runKeelson(["-p", "--continue", "from a program"], { home });
  expect([asked.code, asked.stdout]).toEqual([0, "fourth answer\n"]);
  await terminal.until("fourth answer");
  terminal.press("ctrl+d", "ctrl+d");
  await terminal.exited;
  expect(transcriptFiles(home)).toHaveLength(1);
  const prompts = readTranscript(home).flatMap((entry) =>
    entry.type === "last-prompt" ? [(entry as { lastPrompt?: string }).lastPrompt] : [],
  );
  expect(prompts.slice(-4)).toEqual(["hello", "from the second", "from the first", "from a program"]);
});

test("a question about a file shows the same change at both terminals", async () => {
  await using at = await openAtTerminal([
    { text: "first answer" },
    { calls: [{ name: "Write", input: { file_path: "new.txt", content: "a line of it\n" } }] },
    { text: "written" },
  ]);
  const { terminal } = at;
  await using second = await openSecond(at);
  terminal.type("write it\r");
  for (const each of [terminal, second]) {
    await each.until("Create new.txt?");
    await each.until(/1 \+ a line of it/);
  }
});

test("terminals whose owner dies go on with the session: one opens it, the others attach to that one", async () => {
  await using at = await openAtTerminal([
    { text: "first answer" },
    { text: "second answer" },
    { text: "third answer" },
    { text: "fourth answer" },
  ]);
  const { terminal, home, model } = at;
  await using second = await openSecond(at);
  await using third = startTerminal({ home, url: model.url, args: ["--continue"] });
  await third.until("attached to it");
  await third.until(/^[❯$]/m);
  second.type("half written");
  await second.until("half written");
  terminal.kill("SIGKILL");
  await terminal.exited;
  for (const each of [second, third]) {
    await each.until("The session was ended by the program that had it open; this terminal opened it again");
    await each.until("first answer");
    await each.until(isIdle);
  }
  await second.until("half written");
  second.type(", then sent\r");
  for (const each of [second, third]) await each.until("second answer");
  await third.until("half written, then sent");
  third.type("from the third\r");
  for (const each of [second, third]) await each.until("third answer");
  const owners = [...new Bun.Glob("**/*.owner").scanSync({ cwd: home.configDir })];
  expect(owners).toHaveLength(1);
  expect(transcriptFiles(home)).toHaveLength(1);
  const prompts = readTranscript(home).flatMap((entry) => (entry.type === "user" ? [entry.message.content] : []));
  expect(prompts).toEqual(["hello", "half written, then sent", "from the third"]);
});

test("what an owner had not begun when it died is back at the prompt of who typed it, and not run twice", async () => {
  const never = Promise.withResolvers<void>();
  await using at = await openAtTerminal([
    { text: "first answer" },
    { text: "never said", hold: never.promise },
    { text: "second answer" },
  ]);
  const { terminal } = at;
  await using second = await openSecond(at);
  terminal.type("a long task\r");
  await second.until("to interrupt");
  second.type("and then this\r");
  await second.until("⤷ and then this");
  terminal.kill("SIGKILL");
  await terminal.exited;
  await second.until("What the agent was doing was");
  await second.until(/^❯ and then this/m);
  second.press("enter");
  await second.until("second answer");
  never.resolve();
});

test.each([
  ["--disallowedTools", "Write"],
  ["--max-turns", "5"],
  ["--max-budget-usd", "1"],
])("an attached terminal does not go on by itself without what limited the session: %s", async (flag, value) => {
  const write = { calls: [{ name: "Write", input: { file_path: "made.txt", content: "x" } }] };
  await using at = await openAtTerminal([{ text: "first answer" }, write, { text: "second answer" }], {
    args: [flag, value, "--permission-mode", "acceptEdits"],
  });
  const { terminal, home } = at;
  await using second = await openSecond(at);
  terminal.kill("SIGKILL");
  const { code } = await second.exited;
  expect(code).toBe(1);
  expect(second.screen().join(" ")).toContain(`started with ${flag}`);
  expect(existsSync(join(home.project, "made.txt"))).toBe(false);
});

test("an owner that is left as usual leaves the session to the terminal that is attached", async () => {
  await using at = await openAtTerminal([{ text: "first answer" }, { text: "second answer" }]);
  const { terminal } = at;
  await using second = await openSecond(at);
  terminal.press("ctrl+d", "ctrl+d");
  await terminal.exited;
  await second.until("this terminal opened it again");
  second.type("again\r");
  await second.until("second answer");
});

test("a second terminal that comes while a command runs shows it as running, and then what it printed", async () => {
  const command = "mkfifo gate; echo begun > begun; cat gate";
  await using at = await openAtTerminal(
    [{ text: "first answer" }, { calls: [{ name: "Bash", input: { command } }] }, { text: "second answer" }],
    { settings: { permissions: { allow: ["Bash"] }, sandbox: { enabled: false } } },
  );
  const { terminal, home, model } = at;
  terminal.type("hello\r");
  await terminal.until("first answer");
  await terminal.until(isIdle);
  terminal.type("wait\r");
  await terminal.until("cat gate");
  await until(() => existsSync(join(home.project, "begun")));
  await using second = startTerminal({ home, url: model.url, args: ["--continue"] });
  await second.until("attached to it");
  await second.until("to interrupt");
  await second.until("cat gate");
  writeFileSync(join(home.project, "gate"), "through the gate\n");
  for (const each of [terminal, second]) {
    await each.until("through the gate");
    await each.until("second answer");
    await each.until(isIdle);
  }
});

test("a second terminal that comes while a question is open shows it as the first does, and may answer it", async () => {
  await using at = await openAtTerminal([
    { calls: [{ name: "Write", input: { file_path: "a.txt", content: "one\n" } }] },
    { text: "written" },
  ]);
  const { terminal, home, model } = at;
  terminal.type("go\r");
  await terminal.until("Create a.txt?");
  await using second = startTerminal({ home, url: model.url, args: ["--continue"] });
  await second.until("Create a.txt?");
  await second.until("1 + one");
  await second.until("Waiting for your answer");
  second.press("up", "enter");
  await second.until("written");
  await terminal.until("written");
  await terminal.until("Answered in another terminal");
  await second.until(isIdle);
  expect(second.screen().join("\n")).not.toContain("Answered");
  expect([second.screen().join("\n").includes("No result"), home.read("a.txt")]).toEqual([false, "one\n"]);
});
