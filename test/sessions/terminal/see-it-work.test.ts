// What one sees of work while it goes on: the output of a command as it comes, and each agent's own conversation.

import { expect, test } from "bun:test";
import { agent, cast } from "../agents/cast.ts";
import { isIdle, openAtTerminal } from "./at-terminal.ts";

const SIZES = [
  [120, 40],
  [80, 24],
  [50, 30],
  [80, 10],
] as const;

/** Prints, waits for a file, and fails. */
const BUILD =
  'for i in 1 2 3 4 5 6 7; do echo "row $i"; done; printf "10%%\\r50%%"; until [ -e go ]; do sleep 0.05; done; echo; for i in $(seq 20); do echo "test $i"; done; echo "2 failed" >&2; exit 3';

test.each(SIZES)(
  "at %i×%i, a running command shows its last lines and how many there are, and its end when it fails",
  async (columns, rows) => {
    await using at = await openAtTerminal(
      [{ calls: [{ name: "Bash", input: { command: BUILD, description: "Build" } }] }, { text: "It failed" }],
      { columns, rows, args: ["--allowedTools", "Bash"] },
    );
    const { terminal, home } = at;
    terminal.type("Build it\r");
    await terminal.until(/Running… .* · 8 lines/);
    const live = terminal.screen().map((row) => row.trim());
    const last = live.findIndex((row) => row.startsWith("Running…"));
    // As many as fit: the newest.
    expect(live.slice(last - 2, last)).toEqual([expect.stringMatching(/row 7$/), "50%"]);
    if (rows > 20) expect(live.slice(last - 5, last - 1)).toEqual(["⎿  row 4", "row 5", "row 6", "row 7"]);
    home.write("go", "");
    await terminal.until("It failed");
    await terminal.until(isIdle);
    const all = terminal.scrollback().map((row) => row.trimEnd());
    const from = all.findIndex((row) => row.includes("Exit code 3"));
    const shown = all.slice(from, from + 10).map((row) => row.trim());
    expect(shown[1]).toMatch(/^… 21 more lines/);
    expect(shown.slice(2)).toEqual([
      "test 14",
      "test 15",
      "test 16",
      "test 17",
      "test 18",
      "test 19",
      "test 20",
      "2 failed",
    ]);
    // What was live is not left behind.
    expect(all.some((row) => row.includes("row 5"))).toBe(false);
  },
);

const TASK = "Look at it closely";
const REPORT = "## Report\n\nIt is **fine**.\n\n- one\n- two\n- three\n- four\n- five\n- six";

test.each(SIZES)("at %i×%i, an agent's conversation opens from /tasks and from Ctrl+O", async (columns, rows) => {
  const released = Promise.withResolvers<void>();
  await using at = await openAtTerminal(
    cast({
      main: [{ calls: [agent(TASK)] }, { text: "All done" }],
      [TASK]: [
        { text: "I look **first**", calls: [{ name: "Bash", input: { command: "echo seen", description: "Look" } }] },
        async () => {
          await released.promise;
          return { text: REPORT };
        },
      ],
    }) as never,
    { columns, rows, args: ["--allowedTools", "Bash,Agent"] },
  );
  const { terminal } = at;
  terminal.type("Go\r");
  await terminal.until("Working…");
  await at.model.waitForRequest(3);
  terminal.type("/tasks\r");
  await terminal.until("Tasks and agents");
  await terminal.until(/agent · general-purpose · running/);
  terminal.press("enter");
  // Markdown, and what the call printed.
  await terminal.until(/I look first/);
  await terminal.until(/seen/);
  terminal.press("esc");
  await terminal.until("Tasks and agents");
  terminal.press("esc");
  await terminal.until((each) => !each.screen().join("\n").includes("Tasks and agents"));
  released.resolve();
  await terminal.until("All done");
  await terminal.until(isIdle);
  const rowsOf = terminal.scrollback().join("\n");
  expect(rowsOf).toContain("It is fine.");
  expect(rowsOf).not.toContain("**");
  // Finished ones stay.
  terminal.press("ctrl+o");
  await terminal.until(/A agents/i);
  terminal.type("a");
  await terminal.until(/• six/);
  terminal.press("esc");
  await terminal.until(/A agents/i);
  terminal.press("esc");
  await terminal.until((each) => !each.modes.alternateScreen);
  terminal.type("/tasks\r");
  await terminal.until(/completed · \d+s/);
  terminal.press("esc");
  await terminal.until(/^❯/m);
  // Closing it changed nothing, so it says nothing.
  expect(terminal.screen().join("\n")).not.toContain("Closed");
});

test("an interrupted agent is shown as interrupted, without what the model is told", async () => {
  await using at = await openAtTerminal(
    cast({ main: [{ calls: [agent(TASK)] }], [TASK]: [{ text: "x", hang: true }] }) as never,
    { args: ["--allowedTools", "Agent"] },
  );
  const { terminal, model } = at;
  terminal.type("Go\r");
  await terminal.until("Working…");
  await model.waitForRequest(2);
  terminal.press("esc");
  await terminal.until("Say what to do instead");
  await terminal.until(isIdle);
  const rows = terminal.scrollback().map((row) => row.trimEnd());
  const from = rows.findIndex((row) => row.startsWith("● Agent"));
  expect(rows.slice(from + 1, from + 4)).toEqual(["  ⎿  Interrupted", "", "▲ Interrupted. Say what to do instead"]);
  expect(rows.join("\n")).not.toMatch(/tool use|user doesn't|agentId/);
});
