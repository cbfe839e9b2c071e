// Lists, figures and rows look the same everywhere, in every size of window.

import { expect, test } from "bun:test";
import { isIdle, openAtTerminal } from "./at-terminal.ts";

const SIZES = [
  [120, 40],
  [80, 24],
  [50, 30],
  [80, 10],
] as const;

test.each(SIZES)(
  "at %i×%i, lists count, notes name their file, and figures say what is used",
  async (columns, rows) => {
    await using at = await openAtTerminal([{ text: "Hello" }], { columns, rows, env: { COLORTERM: "truecolor" } });
    const { terminal, home } = at;
    terminal.type("/");
    await terminal.until(/^ +1 of \d\d$/m);
    const entries = terminal.screen().filter((row) => /^[❯ ] \/[a-z]/.test(row));
    expect(entries[0]).toMatch(/^❯ \/help/);
    expect(entries.length).toBe(rows === 10 ? 6 : 10);
    terminal.press("ctrl+c");
    await terminal.until(/^❯$/m);
    terminal.type("!");
    await terminal.until("! runs a command");
    terminal.press("backspace");
    terminal.type("#");
    await terminal.until("# adds a note to CLAUDE.md");
    terminal.type("mind the gap\r");
    await terminal.until("Noted in CLAUDE.md");
    expect(home.read("CLAUDE.md")).toBe("- mind the gap\n");
    const mark = terminal.mark();
    terminal.type("hi\r");
    await terminal.until("Hello");
    await terminal.until(isIdle);
    await terminal.until(/\d+% used/);
    // The sent prompt has a background up to the edge.
    expect(terminal.since(mark)).toMatch(new RegExp(`\\x1b\\[[\\d;]*48;2;[\\d;]+m❯ hi {${columns - 4}}`));
    terminal.type("/rewind\r");
    await terminal.until(/\d\d:\d\d {2}hi/);
    terminal.press("esc");
    await terminal.until(/^❯$/m);
    terminal.type("/config\r");
    await terminal.until(/1 of \d{3}/);
    terminal.type("cleanupPeriodDays");
    await terminal.until(/❯ cleanupPeriodDays +not set/);
    terminal.press("esc");
    await terminal.until(/^❯$/m);
    expect(terminal.screen().join("\n")).not.toContain("nchanged");
  },
);

test.each(SIZES)(
  "at %i×%i, a command stands once while it is asked about, and a diff opens at its change",
  async (columns, rows) => {
    const command = `make ${"alpha ".repeat(30)}omega && echo done`;
    const lines = Array.from({ length: 40 }, (_, at) => `const line${at + 1} = ${at + 1};`);
    await using at = await openAtTerminal(
      [
        { calls: [{ name: "Bash", input: { command, description: "Build" } }] },
        { calls: [{ name: "Read", input: { file_path: "a.ts" } }] },
        {
          calls: [
            {
              name: "Edit",
              input: { file_path: "a.ts", old_string: "const line20 = 20;", new_string: "const line20 = 0;" },
            },
          ],
        },
      ],
      { columns, rows, prepare: (home) => void home.write("a.ts", `${lines.join("\n")}\n`) },
    );
    const { terminal } = at;
    terminal.type("go\r");
    await terminal.until("Run this command?");
    if (rows > 20) expect(terminal.screen().join("").split("omega")).toHaveLength(2);
    terminal.press("end");
    terminal.press("tab");
    terminal.type("edit instead\r");
    await terminal.until("Make this edit to a.ts?");
    const shown = terminal.screen().join("\n");
    expect(shown).toMatch(/20 - const line20 = 20;/);
    expect(shown).toMatch(/20 \+ const line20 = 0;/);
    if (rows === 10) expect(shown).not.toContain("line17");
  },
);

test.each(SIZES)("at %i×%i, several answers are ticked, and a row goes on", async (columns, rows) => {
  const options = ["Engine", "Model"].map((label) => ({ label, description: `All of ${label}` }));
  const questions = [{ question: "Which parts?", header: "Parts", multiSelect: true, options }];
  await using at = await openAtTerminal(
    [{ calls: [{ name: "AskUserQuestion", input: { questions } }] }, { text: "Right" }],
    {
      columns,
      rows,
    },
  );
  const { terminal } = at;
  terminal.type("go\r");
  await terminal.until("Which parts?");
  terminal.press("enter");
  await terminal.until(/1\. \[[✔x]\] Engine/);
  terminal.press("4");
  await terminal.until(/❯ 4\. Continue/);
  terminal.press("enter");
  await terminal.until("Send these answers?");
  terminal.press("enter");
  await terminal.until("Right");
});
