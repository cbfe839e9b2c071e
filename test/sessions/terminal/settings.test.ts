// Settings of the screen: each changes what a user sees.

import { expect, test } from "bun:test";
import { isIdle, openAtTerminal } from "./at-terminal.ts";

const COUNT = {
  calls: [{ name: "Bash", input: { command: "for i in 1 2 3 4 5 6 7 8; do echo row $i; done", description: "Count" } }],
};
const CODE = { text: "```ts\nconst answer = 42;\n```\n" };
const COLORED_KEYWORD = /\x1b\[[\d;]*m *const\x1b\[/;

test.each([
  ["by default, output is folded and code has colors", {}, false, true],
  ["verbose: output is complete", { verbose: true }, true, true],
  ["viewMode verbose: output is complete", { viewMode: "verbose" }, true, true],
  ["syntaxHighlightingDisabled: code is plain", { syntaxHighlightingDisabled: true }, false, false],
] as const)("%s", async (_, settings, isComplete, isColored) => {
  await using at = await openAtTerminal([COUNT, CODE], {
    settings: { permissions: { defaultMode: "acceptEdits", allow: ["Bash"] }, ...settings },
    args: ["count"],
  });
  const { terminal } = at;
  await terminal.until("const answer = 42;");
  await terminal.until(isIdle);
  const text = terminal.scrollback().join("\n");
  expect([text.includes("row 1"), text.includes("row 8")]).toEqual([true, true]);
  expect([text.includes("row 5"), text.includes("more lines")]).toEqual([isComplete, !isComplete]);
  expect(COLORED_KEYWORD.test(terminal.bytes)).toBe(isColored);
});

test("announcements and tips of the settings are shown at the start, and what is not there is said", async () => {
  await using at = await openAtTerminal([], {
    settings: {
      companyAnnouncements: ["The harbour closes\x1b[2J at noon"],
      spinnerTipsOverride: { tips: ["Ask the pilot first"], excludeDefault: true },
      tui: "fullscreen",
      viewMode: "focus",
    },
  });
  const text = at.terminal.screen().join("\n");
  expect(text).toContain("The harbour closes␛[2J at noon");
  expect(text).toContain("Ask the pilot first");
  expect(text).toContain('"tui": "fullscreen" is ignored');
  expect(text).toContain('"viewMode": "focus" is ignored');
});

test("a theme of a plugin colors the screen, and /theme lists it", async () => {
  await using at = await openAtTerminal([CODE], {
    settings: { theme: "custom:kit:sea" },
    env: { COLORTERM: "truecolor" },
    args: ["code"],
    prepare(home) {
      home.write("~/.claude/skills/kit/.claude-plugin/plugin.json", { name: "kit" });
      home.write("~/.claude/skills/kit/themes/sea.json", { base: "dark", overrides: { keyword: "#010203" } });
    },
  });
  const { terminal } = at;
  await terminal.until("const answer = 42;");
  await terminal.until(isIdle);
  expect(terminal.bytes).toMatch(/\x1b\[[\d;]*38;2;1;2;3[\d;]*m *const/);
  terminal.type("/theme");
  terminal.press("enter");
  await terminal.until("kit:sea");
});

test("@ suggests files that git ignores if respectGitignore is false", async () => {
  const options = (respectGitignore: boolean) => ({
    settings: { respectGitignore },
    prepare(home: { write(path: string, content: string): string }) {
      home.write(".git/HEAD", "ref: refs/heads/main\n");
      home.write(".gitignore", "build/\n");
      home.write("build/chart.txt", "");
      home.write("src/chart.ts", "");
    },
  });
  await using careful = await openAtTerminal([], options(true));
  careful.terminal.type("@chart");
  await careful.terminal.until("src/chart.ts");
  expect(careful.terminal.screen().join("\n")).not.toContain("build/chart.txt");
  await using all = await openAtTerminal([], options(false));
  all.terminal.type("@chart");
  await all.terminal.until("build/chart.txt");
});

test("fileSuggestion: a command suggests the files, but none that a rule hides", async () => {
  const command = `cat >>asked.log; printf '%s\\n' maps/north.txt secret.txt maps/south.txt`;
  await using at = await openAtTerminal([], {
    settings: { fileSuggestion: { type: "command", command }, permissions: { deny: ["Read(secret.txt)"] } },
    prepare: (home) => void home.write("own.txt", ""),
  });
  const { terminal, home } = at;
  terminal.type("@nor");
  await terminal.until("maps/north.txt");
  const text = terminal.screen().join("\n");
  expect([text.includes("maps/south.txt"), text.includes("secret.txt")]).toEqual([true, false]);
  expect(home.read("asked.log")).toContain('{"query":"nor"}');
  terminal.press("tab");
  await terminal.until("❯ @maps/north.txt");
});
