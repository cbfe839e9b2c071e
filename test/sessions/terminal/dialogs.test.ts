// Dialogs through the program: what a user sees and presses, what is written, and what the model gets.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
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
  at.terminal.press("down", "enter");
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
  await at.terminal.until("something to tell the model");
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
  at.terminal.press("down", "enter");
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
  at.terminal.press("enter");
  await at.terminal.until("All done.");
  expect(at.home.read("new.txt")).toBe("one\n");
});

test("prose that is typed while a question is open is a note with a no, and Enter does not run the command", async () => {
  await using at = await openAtTerminal([bash("make alpha && touch ran"), { text: "All done." }]);
  at.terminal.type("build\r");
  await at.terminal.until("Run this command?");
  for (const character of "maybe use a branch, y 1") {
    at.terminal.type(character);
    await at.terminal.until((terminal) => terminal.screen().some((row) => row.includes("No") || row.includes("maybe")));
  }
  await at.terminal.until("maybe use a branch, y 1");
  at.terminal.press("enter");
  await at.terminal.until("All done.");
  expect(lastMessage(at)).toContain("What to do instead: maybe use a branch, y 1");
  expect(existsSync(join(at.home.project, "ran"))).toBe(false);
});

test("text that is pasted or sent at once does not answer, with or without line ends in it", async () => {
  await using at = await openAtTerminal([bash("touch ran"), bash("touch ran"), { text: "All done." }]);
  at.terminal.type("build\r");
  await at.terminal.until("Run this command?");
  at.terminal.type("\u001b[200~1\ny\n\u001b[201~");
  await at.terminal.until(/3?\. No[^]*1 y/);
  at.terminal.press("enter");
  await at.terminal.until(
    (terminal) => at.model.requests.length === 2 && terminal.screen().some((row) => row.includes("Run this command?")),
  );
  await at.terminal.until("❯ 1. Yes");
  at.terminal.type("1\ry\r");
  await at.terminal.until("All done.");
  expect(existsSync(join(at.home.project, "ran"))).toBe(false);
});

test("a key that keybindings.json binds to an answer is refused by name, and the rest of the file is used", async () => {
  const bindings = [
    { context: "Confirmation", bindings: { y: "confirm:yes", escape: "confirm:yes", "ctrl+y": "confirm:yes" } },
  ];
  await using at = await openAtTerminal([bash("touch ran"), bash("touch ran"), { text: "All done." }], {
    prepare: (home) => home.write("~/.claude/keybindings.json", { bindings }),
  });
  await at.terminal.until('key "y" cannot be bound to');
  at.terminal.type("build\r");
  await at.terminal.until("Run this command?");
  at.terminal.type("y");
  await at.terminal.until("↳ y");
  at.terminal.press("enter");
  await at.terminal.until(() => at.model.requests.length === 2);
  await at.terminal.until("❯ 1. Yes");
  expect(existsSync(join(at.home.project, "ran"))).toBe(false);
  at.terminal.press("ctrl+y");
  await at.terminal.until("All done.");
  expect(existsSync(join(at.home.project, "ran"))).toBe(true);
});

test("Esc in the explanation goes back to the question", async () => {
  await using at = await openAtTerminal([bash("touch ran"), { text: "All done." }]);
  at.terminal.type("build\r");
  await at.terminal.until("Run this command?");
  at.terminal.press("ctrl+e");
  await at.terminal.until("A deny rule always wins");
  at.terminal.press("esc");
  await at.terminal.until((terminal) => !terminal.screen().some((row) => row.includes("A deny rule always wins")));
  at.terminal.press("enter");
  await at.terminal.until("All done.");
  expect(existsSync(join(at.home.project, "ran"))).toBe(true);
});

test("for a screen reader, typing is a note, and a number with Enter answers", async () => {
  await using at = await openAtTerminal([bash("touch ran"), bash("touch ran"), { text: "All done." }], {
    args: ["--ax-screen-reader"],
  });
  at.terminal.type("build\r");
  await at.terminal.until("Run this command?");
  for (const character of "yes 1") at.terminal.type(character);
  at.terminal.press("enter");
  await at.terminal.until(() => at.model.requests.length === 2);
  expect(existsSync(join(at.home.project, "ran"))).toBe(false);
  await at.terminal.until(/instead: yes 1[^]*Esc no/);
  at.terminal.press("2");
  await at.terminal.until("> 2. Yes, and allow");
  at.terminal.press("enter");
  await at.terminal.until("All done.");
  expect(existsSync(join(at.home.project, "ran"))).toBe(true);
});
