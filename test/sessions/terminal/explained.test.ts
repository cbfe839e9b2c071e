// What a permission dialog explains: Ctrl+E shows the words of `keelson permissions explain`, and what destroys is marked.

import { expect, test } from "bun:test";
import { runKeelson } from "@keelson/testkit";
import { openAtTerminal } from "./at-terminal.ts";

const COMMAND = "git status && git push --force origin main";

test.each([
  [120, 40],
  [80, 24],
  [50, 30],
  [80, 10],
] as const)(
  "at %i×%i, Ctrl+E shows beneath the command what `permissions explain` prints, and Esc goes back",
  async (columns, rows) => {
    const settings = { permissions: { ask: ["Bash(git push:*)"] } };
    await using at = await openAtTerminal(
      [{ calls: [{ name: "Bash", input: { command: COMMAND, description: "Push" } }] }, { text: "ok" }],
      { columns, rows, settings },
    );
    const { terminal, home } = at;
    const printed = await runKeelson(["permissions", "explain", "--command", COMMAND], { home });
    const [verdict = ""] = printed.stdout.split("\n");
    terminal.type("push\r");
    await terminal.until("Run this command?");
    if (rows > 20) {
      await terminal.until(/Cannot be undone: --force/);
      // Exactly this command, at most.
      expect(terminal.screen().join("\n")).not.toContain("git push *");
    }
    terminal.press("ctrl+e");
    if (rows > 20) await terminal.until(/back to the question/);
    if (rows > 20) {
      await terminal.until("Requires approval");
      expect(terminal.screen().join("\n")).toContain("git push --force");
    }
    expect(verdict).toContain("Requires approval");
    // What does not fit is below.
    const shows = (text: string) => terminal.screen().join("\n").includes(text);
    while (!shows("Checks: ")) {
      const before = terminal.screen().join("\n");
      terminal.press("pagedown");
      await terminal.until((each) => each.screen().join("\n") !== before);
    }
    terminal.press("esc");
    await terminal.until((each) => !each.screen().join("\n").includes("Checks:"));
    terminal.press("esc");
    await terminal.until(/^❯/m);
    expect(at.model.requests).toHaveLength(1);
  },
);
