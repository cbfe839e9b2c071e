// How the program starts at a terminal: what it asks before anything of the folder runs, and where the answers are kept.

import { expect, test } from "bun:test";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { programCommand, runKeelson, startMockModel, temporaryHome, type TemporaryHome } from "@keelson/testkit";
import { startTerminal, type TestTerminal } from "@keelson/testkit/terminal";
import { isIdle, openAtTerminal, writeState } from "./at-terminal.ts";
import { until } from "../processes.ts";

const PROMPT = /^❯ *$/m;
const settingsOf = (home: TemporaryHome, path: string) => JSON.parse(home.read(path)) as Record<string, any>;
const stateOf = (home: TemporaryHome) => settingsOf(home, "~/.claude.json");

/** A folder whose settings leave a trace when something of them runs. */
function withTraces(home: TemporaryHome): (name: string) => boolean {
  const trace = (name: string) => `echo ${name} >>"${join(home.root, name)}"`;
  home.write(".claude/settings.json", {
    hooks: { SessionStart: [{ hooks: [{ type: "command", command: trace("hook") }] }] },
    statusLine: { type: "command", command: `${trace("status")}; echo from the folder` },
  });
  home.write(".mcp.json", { mcpServers: { tools: { command: "sh", args: ["-c", trace("server")] } } });
  return (name) => existsSync(join(home.root, name));
}

async function leave(terminal: TestTerminal): Promise<void> {
  await terminal.until(PROMPT);
  terminal.press("ctrl+d", "ctrl+d");
  expect(await terminal.exited).toEqual({ code: 0, signal: null });
}

test("a folder is trusted only on purpose, and nothing of it runs before", async () => {
  using home = temporaryHome();
  writeState(home, { projects: {} });
  const ran = withTraces(home);
  for (const key of ["enter", "esc", "ctrl+c"]) {
    await using refused = startTerminal({ home });
    await refused.until("Do you trust this folder?");
    refused.press(key);
    expect(await refused.exited).toEqual({ code: 1, signal: null });
  }
  await using typed = startTerminal({ home });
  await typed.until("Do you trust this folder?");
  for (const character of "yes, 2 of them") typed.type(character);
  typed.press("enter");
  expect(await typed.exited).toEqual({ code: 1, signal: null });
  expect([ran("hook"), ran("status"), ran("server"), stateOf(home)["projects"]]).toEqual([false, false, false, {}]);

  await using trusted = startTerminal({ home });
  await trusted.until("Do you trust this folder?");
  trusted.press("down", "enter");
  await trusted.until('Use "tools"?');
  expect([ran("hook"), ran("status"), ran("server")]).toEqual([false, false, false]);
  expect(stateOf(home)["projects"]).toEqual({ [home.project]: { hasTrustDialogAccepted: true } });
  trusted.press("enter");
  await trusted.until("from the folder");
  await until(() => ran("hook") && ran("server"));
  expect(settingsOf(home, ".claude/settings.local.json")).toEqual({ enabledMcpjsonServers: ["tools"] });
  await leave(trusted);

  // Trust is not asked again, also in a folder inside.
  home.write("inner/file.txt", "");
  rmSync(join(home.project, ".mcp.json"));
  await using inside = startTerminal({ home, cwd: join(home.project, "inner") });
  await leave(inside);
});

test("a server that is not wanted is remembered, and does not run", async () => {
  using home = temporaryHome();
  writeState(home);
  const ran = withTraces(home);
  await using terminal = startTerminal({ home });
  await terminal.until('Use "tools"?');
  terminal.press("down", "down", "enter");
  await until(() => ran("hook"));
  await leave(terminal);
  expect(settingsOf(home, ".claude/settings.local.json")).toEqual({ disabledMcpjsonServers: ["tools"] });
  expect(ran("server")).toBe(false);
});

test("a server that comes with the folder while a session runs waits until it is approved", async () => {
  using home = temporaryHome();
  writeState(home);
  await using model = await startMockModel([{ text: "First." }, { text: "Second." }]);
  await using terminal = startTerminal({ home, url: model.url });
  await terminal.until(PROMPT);
  const ran = withTraces(home);
  for (const answer of ["First.", "Second."]) {
    terminal.type("hello");
    terminal.press("enter");
    await terminal.until(answer);
  }
  await terminal.until("keelson mcp approve tools");
  await leave(terminal);
  expect(ran("server")).toBe(false);
});

test("the first start asks for colors and a model, goes on offline, and does not come again", async () => {
  using home = temporaryHome();
  await using terminal = startTerminal({ home });
  await terminal.until("Welcome to Keelson");
  terminal.press("down", "down", "enter");
  await terminal.until("Continue offline");
  terminal.press("down", "enter");
  await terminal.until("Do you trust this folder?");
  expect(stateOf(home)).toMatchObject({ hasCompletedOnboarding: true, theme: "light" });
  terminal.press("down", "enter");
  await terminal.until(PROMPT);
  terminal.type("create a file notes.txt with the content hello");
  terminal.press("enter");
  await terminal.until("notes.txt");
});

test("a key in the environment is used only if it is approved", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "With the key." }]);
  const key = "sk-test-0123456789-abcdefghijklmnop";
  const start = () => startTerminal({ home, url: model.url, env: { ANTHROPIC_API_KEY: key } });
  writeState(home);
  await using refused = start();
  await refused.until("Use this key?");
  refused.press("down", "enter");
  await leave(refused);
  expect(stateOf(home)["customApiKeyResponses"]).toEqual({ approved: ["test-key"], rejected: [key.slice(-20)] });

  writeState(home);
  await using approved = start();
  await approved.until("Use this key?");
  approved.press("enter");
  await approved.until(PROMPT);
  expect(stateOf(home)["customApiKeyResponses"]).toEqual({ approved: ["test-key", key.slice(-20)], rejected: [] });
  approved.type("hello");
  approved.press("enter");
  await approved.until("With the key.");
  expect(model.requests[0]!.headers["x-api-key"]).toBe(key);
});

test("starts and ends are counted, and the file is copied first", async () => {
  await using at = await openAtTerminal([{ text: "Hi." }], { args: ["say hi"], state: { numStartups: 7, mine: 1 } });
  const { terminal, home } = at;
  await terminal.until("Hi.");
  await terminal.until(isIdle);
  await until(() => stateOf(home)["numStartups"] === 8);
  expect(stateOf(home)["projects"][home.project].lastGracefulShutdown).toBe(false);
  terminal.press("ctrl+d", "ctrl+d");
  expect(await terminal.exited).toEqual({ code: 0, signal: null });
  const { lastSessionId, ...entry } = stateOf(home)["projects"][home.project];
  expect(entry).toMatchObject({ hasTrustDialogAccepted: true, lastGracefulShutdown: true });
  expect(Object.keys(entry.lastModelUsage)).toHaveLength(1);
  expect(stateOf(home)["mine"]).toBe(1);
  expect(terminal.scrollback().join("\n")).toContain(`keelson --resume ${lastSessionId}`);
  const [backup, ...more] = readdirSync(join(home.configDir, "backups"));
  expect([settingsOf(home, `~/.claude/backups/${backup}`)["numStartups"], more]).toEqual([7, []]);
});

test("--resume with words opens the list, filtered; an ID or a name goes straight on", async () => {
  using home = temporaryHome();
  writeState(home);
  await using model = await startMockModel([{ text: "One." }, { text: "Two." }, { text: "Three." }]);
  await runKeelson(["-p", "about apples"], { home, url: model.url });
  await runKeelson(["-p", "about pears", "--name", "Fruit basket"], { home, url: model.url });
  const resume = (...args: string[]) => startTerminal({ home, url: model.url, args: ["--resume", ...args] });

  await using filtered = resume("apples");
  await filtered.until(/❯ about apples/);
  expect(filtered.screen().join("\n")).not.toContain("pears");
  filtered.press("enter");
  await filtered.until("One.");
  await filtered.until(/^❯ *$/m);
  filtered.type("and now?");
  filtered.press("enter");
  await filtered.until("Three.");
  expect(JSON.stringify(model.requests.at(-1)!.body.messages)).toContain("about apples");

  await using named = resume("fruit basket");
  await named.until("Two.");
  await using none = resume();
  await none.until(/2 sessions/);
  none.press("esc");
  expect(await none.exited).toEqual({ code: 0, signal: null });
  await using missing = resume("00000000-0000-4000-8000-000000000000");
  expect(await missing.exited).toEqual({ code: 1, signal: null });
  expect(missing.scrollback().join("\n")).toContain("No conversation found with session ID");
});

test("with nothing on standard input, keys are read from the terminal", async () => {
  using home = temporaryHome();
  writeState(home);
  const command = ["sh", "-c", 'exec "$@" </dev/null', "sh", ...programCommand({ home })];
  await using model = await startMockModel([{ text: "Heard." }]);
  await using terminal = startTerminal({ home, command, url: model.url });
  await terminal.until(PROMPT);
  terminal.type("do you hear me?");
  terminal.press("enter");
  await terminal.until("Heard.");
  await leave(terminal);
});

test("settings that cannot be used are an error, before the terminal is touched", async () => {
  using home = temporaryHome();
  writeState(home);
  await using terminal = startTerminal({ home, args: ["--settings", "missing.json"] });
  expect(await terminal.exited).toEqual({ code: 1, signal: null });
  expect(terminal.bytes.trim()).toBe(`error: settings file not found: ${join(home.project, "missing.json")}`);
});
