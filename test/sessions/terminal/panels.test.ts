// Panels, pickers and viewers in the real program.

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startTerminal } from "@keelson/testkit/terminal";
import { isIdle, openAtTerminal } from "./at-terminal.ts";

test("panels open without a request to the model, change files, and close with one Esc", async () => {
  await using at = await openAtTerminal([]);
  const { terminal, model, home } = at;
  terminal.type("/config");
  await terminal.until("Change settings");
  terminal.press("enter");
  await terminal.until("Auto-compact");
  terminal.type("editor");
  await terminal.until("Search: editor");
  terminal.press("enter");
  await terminal.until(/Editor mode\s+vim/);
  terminal.press("esc");
  await terminal.until("Set Editor mode to vim");
  expect(JSON.parse(home.read("~/.claude/settings.json"))).toMatchObject({ editorMode: "vim" });

  terminal.type("/permissions\r");
  await terminal.until("Add a rule…");
  terminal.press("down", "up", "a");
  await terminal.until("Bash(npm test *)");
  terminal.type("Bash(make *)\r");
  await terminal.until("Where to save Bash(make *)");
  terminal.press("up", "enter");
  await terminal.until("Added Bash(make *) (allow)");
  terminal.press("esc");
  await terminal.until((seen) => !seen.screen().some((row) => row.includes("Folders")));
  expect(JSON.parse(home.read(".claude/settings.local.json"))).toMatchObject({
    permissions: { allow: ["Bash(make *)"] },
  });
  expect(model.requests).toEqual([]);
});

test("Ctrl+O shows the whole conversation, finds a word in it, and leaves the main screen as it was", async () => {
  const lines = Array.from({ length: 100 }, (_line, index) => `row ${index + 1}`).join("\n\n");
  await using at = await openAtTerminal([{ text: lines }], { columns: 80, rows: 24 });
  const { terminal } = at;
  terminal.type("count\r");
  await terminal.until("row 100");
  await terminal.until(isIdle);
  const before = terminal.scrollback();
  terminal.press("ctrl+o");
  await terminal.until("Transcript");
  expect(terminal.modes.alternateScreen).toBe(true);
  terminal.type("/row 7\r");
  await terminal.until(/^\s*row 7$/m);
  terminal.press("q");
  await terminal.until((seen) => !seen.modes.alternateScreen);
  await terminal.until("row 100");
  expect(terminal.scrollback().filter((row) => /row \d/.test(row))).toEqual(before.filter((row) => /row \d/.test(row)));
});

test("Esc Esc goes back to an earlier prompt, which returns to the input", async () => {
  await using at = await openAtTerminal([
    { text: "first answer" },
    { text: "second answer" },
    { text: "third answer" },
  ]);
  const { terminal, model } = at;
  terminal.type("one\r");
  await terminal.until("first answer");
  await terminal.until(isIdle);
  terminal.type("two\r");
  await terminal.until("second answer");
  await terminal.until(isIdle);
  terminal.press("esc", "esc");
  await terminal.until("(now)");
  terminal.press("up", "enter");
  await terminal.until("Restore conversation");
  terminal.press("enter");
  await terminal.until("Restored the conversation");
  terminal.type(" again\r");
  await terminal.until("third answer");
  const { messages } = model.requests.at(-1)!.body as { messages: { role: string; content: { text?: string }[] }[] };
  expect(messages.map(({ role, content }) => [role, content.at(-1)?.text])).toEqual([
    ["user", "one"],
    ["assistant", "first answer"],
    ["user", "two again"],
  ]);
});

test("Esc Esc summarizes up to a prompt; Esc, or a model that fails, leaves the conversation as it is", async () => {
  await using at = await openAtTerminal([
    ...[{ text: "first answer" }, { text: "second answer" }, { text: "third answer" }],
    { status: 400, type: "invalid_request_error", message: "no summaries today" },
    { text: "never", hang: true, cutAfter: 1 },
    { text: "<summary>They said one</summary>" },
    ...[{ text: "fourth answer" }, { text: "resumed answer" }],
  ]);
  const { terminal, model, home } = at;
  for (const [prompt, answer] of [
    ["one", "first"],
    ["two", "second"],
    ["three", "third"],
  ] as const) {
    terminal.type(`${prompt}\r`);
    await terminal.until(`${answer} answer`);
    await terminal.until(isIdle);
  }
  const choose = async (...ups: readonly string[]) => {
    terminal.press("esc", "esc");
    await terminal.until("(now)");
    terminal.press(...ups, "enter");
    await terminal.until("Never mind");
  };
  // There is nothing before the first prompt.
  await choose("up", "up", "up");
  expect(terminal.screen().join("\n")).not.toContain("Summarize up to here");
  terminal.press("esc");
  await terminal.until((each) => !each.screen().some((row) => row.includes("Never mind")));

  await choose("up", "up");
  terminal.press("down", "down", "enter");
  await terminal.until(/was not compacted: .*no summaries today/);
  await terminal.until("The conversation stays as it is");
  await choose("up", "up");
  terminal.press("down", "down", "enter");
  await terminal.until("Compacting the conversation");
  await model.waitForRequest(5);
  terminal.press("esc");
  await terminal.until(/was not compacted: Request was aborted/);
  await terminal.until(isIdle);

  await choose("up", "up");
  terminal.press("down", "down", "enter");
  await terminal.until("Summarized everything before that prompt");
  await terminal.until(isIdle);
  terminal.type("four\r");
  await terminal.until("fourth answer");
  await terminal.until(isIdle);
  const said = (request: { readonly body: unknown }) =>
    (request.body as { messages: { role: string; content: { text?: string }[] }[] }).messages.map(
      ({ role, content }) => [role, content.map(({ text }) => text).filter((text) => !text?.startsWith("<system-rem"))],
    );
  const kept = [
    ["user", [expect.stringContaining("They said one"), "two"]],
    ["assistant", ["second answer"]],
    ["user", ["three"]],
    ["assistant", ["third answer"]],
  ];
  expect(said(model.requests.at(-1)!)).toEqual([...kept, ["user", ["four"]]]);
  // Only what is still there can be kept: the first prompt is part of the summary, the second follows it.
  await choose("up", "up", "up");
  expect(terminal.screen().join("\n")).not.toContain("Summarize up to here");
  terminal.press("esc");
  await terminal.until((seen) => !seen.screen().some((row) => row.includes("Never mind")));
  terminal.type("/exit\r");
  await terminal.exited;

  await using again = startTerminal({ home, url: model.url, args: ["--continue"] });
  await again.until("fourth answer");
  for (const text of ["first answer", "second answer", "third answer", "Summarized, but not shorter", "fourth answer"])
    expect(again.scrollback().filter((row) => row.includes(text))).toHaveLength(1);
  await again.until(/^❯/m);
  again.type("five\r");
  await again.until("resumed answer");
  expect(said(model.requests.at(-1)!)).toEqual([
    ...kept,
    ["user", ["four"]],
    ["assistant", ["fourth answer"]],
    ["user", ["five"]],
  ]);
});

test("Esc Esc summarizes from a prompt on, and the prompt returns to the input", async () => {
  await using at = await openAtTerminal([
    ...[{ text: "first answer" }, { text: "second answer" }],
    { text: "<summary>They said two</summary>" },
    { text: "third answer" },
  ]);
  const { terminal, model } = at;
  for (const [prompt, answer] of [
    ["one", "first"],
    ["two", "second"],
  ] as const) {
    terminal.type(`${prompt}\r`);
    await terminal.until(`${answer} answer`);
    await terminal.until(isIdle);
  }
  terminal.press("esc", "esc");
  await terminal.until("(now)");
  terminal.press("up", "enter");
  await terminal.until("Summarize from here");
  terminal.press("down", "enter");
  await terminal.until("Summarized that prompt and everything after it");
  terminal.type(" again\r");
  await terminal.until("third answer");
  const { messages } = model.requests.at(-1)!.body as { messages: { role: string; content: { text?: string }[] }[] };
  const texts = messages.map(({ content }) =>
    content.map(({ text }) => text ?? "").filter((text) => !text.startsWith("<s")),
  );
  expect(texts).toEqual([["one"], ["first answer"], [expect.stringContaining("They said two"), "two again"]]);
});

test("/export writes the file that was typed without asking, except where a rule or a protected path says so", async () => {
  const rules = { permissions: { ask: ["Edit(careful/**)"], deny: ["Edit(secret/**)"] } };
  await using at = await openAtTerminal([{ text: "an answer" }], { settings: rules });
  const { terminal, home } = at;
  terminal.type("hello\r");
  await terminal.until("an answer");
  await terminal.until(isIdle);
  terminal.type("/export talk.txt\r");
  await terminal.until("Exported the conversation");
  expect(readFileSync(join(home.project, "talk.txt"), "utf8")).toContain("an answer");
  terminal.type("/export secret/talk.txt\r");
  await terminal.until(/denied/);
  for (const path of ["careful/talk.txt", ".claude/commands/talk.md"]) {
    terminal.type(`/export ${path}\r`);
    await terminal.until(/❯ 1\. Yes/);
    terminal.press("esc");
    await terminal.until(isIdle);
    await terminal.until((seen) => !seen.screen().some((row) => row.includes("1. Yes")));
  }
  const paths = ["secret/talk.txt", "careful/talk.txt", ".claude/commands/talk.md"];
  expect(paths.filter((path) => existsSync(join(home.project, path)))).toEqual([]);
});
