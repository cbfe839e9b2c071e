// Dialogs through the program: what a user sees and presses, what is written, and what the model gets.

import { expect, test } from "bun:test";
import { openAtTerminal } from "./at-terminal.ts";

const bash = (command: string) => ({
  calls: [{ name: "Bash", input: { command, description: "Build it" } }],
});
/** The last message the model got, as JSON. */
const lastMessage = ({ model }: { model: { requests: readonly { body: { messages: readonly unknown[] } }[] } }) =>
  JSON.stringify(model.requests.at(-1)?.body.messages.at(-1));

test("a rule that is remembered is written before the command runs, and the next call is not asked about", async () => {
  await using at = await openAtTerminal([bash("make alpha x=1"), bash("make alpha x=2"), { text: "All done." }]);
  at.terminal.type("build\r");
  await at.terminal.until("2. Yes, and allow Bash(make alpha *) from now on");
  at.terminal.press("2");
  await at.terminal.until("All done.");
  expect(JSON.parse(at.home.read(".claude/settings.local.json"))).toEqual({
    permissions: { allow: ["Bash(make alpha *)"] },
  });
});

test("a text goes to the model: with the result of a yes, as the reason of a no", async () => {
  await using at = await openAtTerminal([bash("make alpha"), bash("make beta"), { text: "All done." }], {
    columns: 80,
    rows: 24,
  });
  at.terminal.type("build\r");
  await at.terminal.until("make alpha");
  await at.terminal.until("Run this command?");
  at.terminal.press("tab");
  at.terminal.type("then 1 more\r");
  await at.terminal.until("make beta");
  expect(lastMessage(at)).toContain("then 1 more");
  await at.terminal.until("❯ 1. Yes");
  at.terminal.press("end", "tab");
  at.terminal.type("use gamma\r");
  await at.terminal.until("All done.");
  expect(lastMessage(at)).toContain("use gamma");
});

test("a plain no ends the turn, and the next words continue", async () => {
  await using at = await openAtTerminal([bash("make alpha"), { text: "All done." }], { columns: 40, rows: 15 });
  at.terminal.type("build\r");
  await at.terminal.until("Run this command?");
  at.terminal.press("esc");
  await at.terminal.until((terminal) => !terminal.screen().some((row) => row.includes("Run this command?")));
  expect(at.model.requests.length).toBe(1);
  at.terminal.type("say hello\r");
  await at.terminal.until("All done.");
  expect(lastMessage(at)).toContain("say hello");
});

test("a file is created after its preview, and a question is answered by choosing", async () => {
  const options = [
    { label: "Red", description: "warm" },
    { label: "Blue", description: "cold" },
  ];
  const questions = [{ question: "Which color?", header: "Color", multiSelect: false, options }];
  await using at = await openAtTerminal([
    { calls: [{ name: "Write", input: { file_path: "new.txt", content: "one\ntwo\n" } }] },
    { calls: [{ name: "AskUserQuestion", input: { questions } }] },
    { text: "All done." },
  ]);
  at.terminal.type("write\r");
  await at.terminal.until("Create new.txt?");
  expect(at.terminal.screen().join("\n")).toMatch(/1 \+ one\s*\n.*2 \+ two/);
  at.terminal.press("shift+tab");
  await at.terminal.until("Which color?");
  expect(at.home.read("new.txt")).toBe("one\ntwo\n");
  await at.terminal.until("2. Blue");
  at.terminal.press("2");
  await at.terminal.until("All done.");
  expect(lastMessage(at)).toContain('\\"Which color?\\"=\\"Blue\\"');
});

test("an approved plan turns plan mode off, and edits are accepted", async () => {
  await using at = await openAtTerminal(
    [
      { calls: [{ name: "ExitPlanMode", input: { plan: "# Steps\n\n1. Look\n2. Do" } }] },
      { calls: [{ name: "Write", input: { file_path: "new.txt", content: "one\n" } }] },
      { text: "All done." },
    ],
    { args: ["--permission-mode", "plan"], columns: 80, rows: 24 },
  );
  at.terminal.type("plan\r");
  await at.terminal.until("1. Yes, and accept edits");
  expect(at.terminal.screen().join("\n")).toContain("Steps");
  at.terminal.press("1");
  await at.terminal.until("All done.");
  expect(at.home.read("new.txt")).toBe("one\n");
});
