// What went wrong is said with the address, the source of the key and the next step, where people look.

import { expect, test } from "bun:test";
import { runKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { startTerminal } from "@keelson/testkit/terminal";
import { openAtTerminal, writeState } from "./at-terminal.ts";

/** A row that is wrapped reads as one. */
const flat = (rows: readonly string[]) =>
  rows
    .map((row) => row.trim())
    .join(" ")
    .replaceAll(/\s+/g, " ");

for (const [columns, rows] of [
  [120, 40],
  [80, 24],
  [50, 30],
  [80, 10],
] as const)
  test(`a refused key names the address, its source and the next step (${columns}×${rows})`, async () => {
    const refused = { status: 401, message: "invalid x-api-key" };
    await using at = await openAtTerminal([refused], { columns, rows });
    const { terminal, model } = at;
    terminal.type("hello");
    terminal.press("enter");
    await terminal.until(({ scrollback }) => flat(scrollback()).includes("/login"));
    expect(flat(terminal.scrollback())).toContain("invalid x-api-key");
    expect(flat(terminal.scrollback())).toContain(
      `Anthropic at ${model.url} did not accept the key from ANTHROPIC_API_KEY: change it where it is set, or choose another provider with /login`,
    );
  });

test("a conversation that is too long names /compact and /rewind, a missing model /model", async () => {
  const tooLong = { status: 400, message: "prompt is too long: 300000 tokens > 200000" };
  const missing = { status: 404, message: "model: claude-none" };
  await using at = await openAtTerminal([missing, tooLong, tooLong, tooLong], {
    settings: { autoCompactEnabled: false },
  });
  const { terminal } = at;
  terminal.type("hello");
  terminal.press("enter");
  await terminal.until(/may not have the model ".*": choose another with \/model/);
  terminal.type("again");
  terminal.press("enter");
  await terminal.until("/compact makes it shorter, /rewind goes back before the last prompt");
});

test("a server that cannot be reached leads to /login", async () => {
  using home = temporaryHome();
  writeState(home);
  await using terminal = startTerminal({ home, url: "http://127.0.0.1:1", env: { CLAUDE_CODE_MAX_RETRIES: "0" } });
  await terminal.until(/^[❯$]/m);
  terminal.type("hello");
  terminal.press("enter");
  await terminal.until("http://127.0.0.1:1");
  await terminal.until("choose another provider with /login");
});

for (const [columns, rows] of [
  [120, 40],
  [80, 24],
  [50, 30],
  [80, 10],
] as const)
  test(`a failed MCP server is in the footer before any prompt, with the end of what it wrote (${columns}×${rows})`, async () => {
    await using at = await openAtTerminal([], {
      columns,
      rows,
      prepare: (home) => {
        const args = ["-c", "echo starting >&2; echo 'no database at db.local' >&2; exit 3"];
        const state = JSON.parse(home.read("~/.claude.json"));
        home.write("~/.claude.json", { ...state, mcpServers: { tools: { command: "/bin/sh", args } } });
      },
    });
    const { terminal } = at;
    await terminal.until("1 MCP server failed: /mcp");
    terminal.type("/mcp\r");
    await terminal.until("MCP servers");
    terminal.press("enter");
    await terminal.until("Reconnect");
    await terminal.until(({ screen }) => flat(screen()).includes("no database at db.local"));
    terminal.press("tab");
    await terminal.until("No tools");
    terminal.press("tab");
    await terminal.until("❯ no database at db.local");
    if (rows > 12) await terminal.until("starting");
  });

test("a misspelled key of the settings is reported at the terminal", async () => {
  await using at = await openAtTerminal([], { settings: { permisions: { deny: ["Bash"] }, modle: "x", ofAnother: 1 } });
  const { terminal } = at;
  await terminal.until('unknown key "permisions"; did you mean "permissions"?');
  await terminal.until('unknown key "modle"; did you mean "model"?');
  expect(terminal.scrollback().join("\n")).not.toContain("ofAnother");
});

test("a call that a rule refused is one line on standard error of -p", async () => {
  using home = temporaryHome();
  home.settings({ permissions: { deny: ["Bash(touch *)"] } });
  await using model = await startMockModel([
    { calls: [{ name: "Bash", input: { command: "touch x" } }] },
    { calls: [{ name: "Bash", input: { command: "touch x" } }] },
    { text: "I could not" },
  ]);
  const { stdout, stderr } = await runKeelson(["-p", "touch x"], { home, url: model.url });
  expect([stdout, stderr]).toEqual([
    "I could not\n",
    "warning: Permission to use Bash with command touch x has been denied. The deny rule is Bash(touch *), from userSettings.\n",
  ]);
});
