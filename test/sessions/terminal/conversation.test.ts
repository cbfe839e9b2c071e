// A conversation as it stands in the terminal: each row once and in order, lists below it.

import { expect, test } from "bun:test";
import { openAtTerminal } from "./at-terminal.ts";

const lines = (count: number) => `for i in $(seq ${count}); do echo row $i; done`;

test("calls, edits, todos and answers are written once and in order", async () => {
  await using at = await openAtTerminal(
    [
      {
        text: "Let me **look**.",
        calls: [
          { name: "Read", input: { file_path: "a.txt" } },
          { name: "Grep", input: { pattern: "two" } },
        ],
      },
      {
        calls: [
          { name: "Edit", input: { file_path: "a.txt", old_string: "two", new_string: "TWO" } },
          {
            name: "TodoWrite",
            input: {
              todos: [
                { content: "Mend", activeForm: "Mending", status: "completed" },
                { content: "Sail", activeForm: "Sailing", status: "in_progress" },
                { content: "Land", activeForm: "Landing", status: "pending" },
              ],
            },
          },
        ],
      },
      { calls: [{ name: "Bash", input: { command: lines(40), description: "Count" } }] },
      { text: "\u001b]0;taken\u0007Done.\n\n- one\n- two" },
    ],
    {
      columns: 80,
      rows: 24,
      env: { CLAUDE_CODE_ENABLE_TASKS: "0" },
      args: ["--permission-mode", "acceptEdits", "--allowedTools", "Bash"],
      prepare: (home) => home.write("a.txt", "one\ntwo\nthree\n"),
    },
  );
  const { terminal } = at;
  terminal.type("Sail away");
  terminal.press("enter");
  await terminal.until("• two");
  await terminal.until((each) => !each.screen().some((row) => row.includes("to interrupt")));
  const rows = terminal.scrollback().map((row) => row.trimEnd());
  const from = rows.indexOf("❯ Sail away");
  const last = rows.indexOf("  • two");
  expect(rows.slice(from, last + 1)).toEqual([
    "❯ Sail away",
    "",
    "● Let me look.",
    "",
    "● Read 1 file, searched for 1 pattern",
    "",
    "● Edit(a.txt)",
    "  ⎿  Added 1 line, removed 1",
    "     1   one",
    "     2 - two",
    "     2 + TWO",
    "     3   three",
    "",
    "● Bash(for i in $(seq 40); do echo row $i; done)  Count",
    "  ⎿  row 1",
    "     … 38 more lines (Ctrl+O to see all)",
    "     row 40",
    "",
    "● ␛]0;taken␇Done.",
    "",
    "  • one",
    "  • two",
  ]);
  expect(rows.slice(last).filter((row) => /^ {2}[■◧□] /.test(row))).toEqual(["  ■ Mend", "  ◧ Sailing", "  □ Land"]);
  expect(terminal.title).toBe("◇ Sail away");
});
