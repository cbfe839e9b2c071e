// What was typed is not lost: a prompt that is stopped before anything came of it, a draft that was cleared, a session.

import { expect, test } from "bun:test";
import { startTerminal } from "@keelson/testkit/terminal";
import { isIdle, openAtTerminal } from "./at-terminal.ts";

const textsOf = (body: any): string[] =>
  body.messages.flatMap(({ content }: any) =>
    (typeof content === "string" ? [{ type: "text", text: content }] : content)
      .filter(({ type, text }: any) => type === "text" && !text.startsWith("<system-reminder>"))
      .map(({ text }: any) => text),
  );

test.each([
  [120, 40],
  [80, 24],
  [50, 30],
  [80, 10],
] as const)(
  "at %i×%i, Esc before anything was answered takes the prompt back, also for the model and after a resume",
  async (columns, rows) => {
    await using at = await openAtTerminal(
      [{ text: "Hello" }, { hang: true }, { text: "Second answer" }, { text: "Third answer" }],
      { columns, rows },
    );
    const { terminal, model, home } = at;
    terminal.type("First\r");
    await terminal.until("Hello");
    await terminal.until(isIdle);
    terminal.type("Tell me a tale\r");
    await model.waitForRequest(2);
    terminal.press("esc");
    await terminal.until("Taken back");
    await terminal.until(/^❯ Tell me a tale$/m);
    await terminal.until(isIdle);
    expect(terminal.scrollback().join("\n")).not.toContain("Interrupted");
    terminal.type(" of two cities\r");
    await terminal.until("Second answer");
    await terminal.until(isIdle);
    expect(textsOf(model.requests[2]!.body)).toEqual(["First", "Hello", "Tell me a tale of two cities"]);
    terminal.type("/exit\r");
    await terminal.until("To resume this session");
    await using again = startTerminal({ columns, rows, home, url: model.url, args: ["--continue"] });
    await again.until("Second answer");
    again.type("And?\r");
    await again.until("Third answer");
    await again.until(isIdle);
    expect(textsOf(model.requests[3]!.body)).toEqual([
      "First",
      "Hello",
      "Tell me a tale of two cities",
      "Second answer",
      "And?",
    ]);
  },
);

test("once something was answered, Esc leaves the prompt where it is", async () => {
  await using at = await openAtTerminal([{ text: "Once upon a time", cutAfter: "first_delta", hang: true }]);
  const { terminal } = at;
  terminal.type("Tell me\r");
  await terminal.until("Once");
  terminal.press("esc");
  await terminal.until("Interrupted. Say what to do instead");
  await terminal.until(isIdle);
  expect(terminal.scrollback().join("\n")).not.toContain("Taken back");
});

test("a draft that Ctrl+C cleared comes back with undo, with yank, and with Up", async () => {
  await using at = await openAtTerminal([]);
  const { terminal } = at;
  for (const key of ["ctrl+_", "ctrl+y", "up"] as const) {
    terminal.type("a long thought");
    await terminal.until(/^❯ a long thought$/m);
    terminal.press("ctrl+c");
    await terminal.until(/Cleared; .* brings it back/);
    await terminal.until(/^❯$/m);
    terminal.press(key);
    await terminal.until(/^❯ a long thought$/m);
    terminal.press("ctrl+c");
    await terminal.until(/^❯$/m);
  }
  // A command keeps its sign.
  terminal.type("!ls -la");
  await terminal.until(/^! ls -la$/m);
  terminal.press("ctrl+c");
  await terminal.until(/^❯$/m);
  terminal.press("ctrl+_");
  await terminal.until(/^! ls -la$/m);
});

test("leaving always says how to resume, also after a resume without a prompt, and after a command alone", async () => {
  await using at = await openAtTerminal([{ text: "Read" }]);
  const { terminal, home, model } = at;
  terminal.type("!echo hi\r");
  await terminal.until("Read");
  await terminal.until(isIdle);
  terminal.type("/exit\r");
  await terminal.until(/To resume this session: keelson --resume [\da-f-]{36}/);
  await using again = startTerminal({ home, url: model.url, args: ["--continue"] });
  await again.until("echo hi");
  await again.until(/^❯$/m);
  again.type("/exit\r");
  await again.until(/To resume this session: keelson --resume [\da-f-]{36}/);
});
