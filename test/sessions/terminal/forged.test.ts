// What a session at a terminal believes of a transcript: what Keelson recorded itself, and nothing that was written there by
// someone else. Everything is shown.

import { expect, test } from "bun:test";
import { appendFileSync, cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { transcriptFiles, type TemporaryHome } from "@keelson/testkit";
import { startTerminal } from "@keelson/testkit/terminal";
import { isIdle, openAtTerminal, type AtTerminal } from "./at-terminal.ts";

const OTHER = "44444444-2222-4333-8444-555555555555";
const NOTICE = "Keelson cannot verify that";

/** A session that ends in this mode, and its transcript. */
async function leftIn(at: AtTerminal, mode: "default" | "accept edits"): Promise<string> {
  const { terminal, home } = at;
  if (mode !== "default") {
    terminal.press("shift+tab");
    await terminal.until(mode);
  }
  terminal.type("hello\r");
  await terminal.until("first answer");
  await terminal.until(isIdle);
  terminal.press("ctrl+d", "ctrl+d");
  await terminal.exited;
  return transcriptFiles(home)[0]!;
}

/** What is on the screen of a session that continues. */
async function resumed(
  { home, model }: Pick<AtTerminal, "home" | "model">,
  shown: string,
  more: { readonly args?: readonly string[]; readonly env?: Record<string, string> } = {},
): Promise<string> {
  await using terminal = startTerminal({ home, url: model.url, args: ["--continue"], ...more });
  await terminal.until("first answer");
  await terminal.until(shown);
  const screen = terminal.screen().join("\n");
  terminal.press("ctrl+d", "ctrl+d");
  await terminal.exited;
  return screen.replaceAll(/\s+/g, " ");
}

const modeLine = (permissionMode: string, sessionId: string) =>
  `${JSON.stringify({ type: "permission-mode", permissionMode, timestamp: "2099-01-01T00:00:00.000Z", sessionId })}\n`;

const idOf = (path: string) => basename(path, ".jsonl");

test("a mode that someone wrote into the transcript is not restored, and the user is told", async () => {
  await using at = await openAtTerminal([{ text: "first answer" }]);
  const path = await leftIn(at, "default");
  const before = readFileSync(path, "utf8");
  for (const mode of ["acceptEdits", "auto"]) {
    writeFileSync(path, before + modeLine(mode, idOf(path)));
    const screen = await resumed(at, "? for shortcuts");
    expect(screen).toContain(`This session was last in ${mode} mode, but ${NOTICE}`);
  }
  // A prompt with another mode, rewritten in place.
  writeFileSync(path, before.replaceAll('"permissionMode":"default"', '"permissionMode":"acceptEdits"'));
  expect(await resumed(at, "? for shortcuts")).toContain(NOTICE);
});

test("what is not proven can only make a session stricter", async () => {
  await using at = await openAtTerminal([{ text: "first answer" }]);
  const path = await leftIn(at, "accept edits");
  expect(await resumed(at, "accept edits on")).not.toContain(NOTICE);
  appendFileSync(path, modeLine("plan", idOf(path)));
  expect(await resumed(at, "plan mode on")).not.toContain(NOTICE);
});

test("neither a planted session nor the proof of another one grants a mode", async () => {
  await using at = await openAtTerminal([{ text: "first answer" }]);
  const path = await leftIn(at, "accept edits");
  const planted = join(dirname(path), `${OTHER}.jsonl`);
  writeFileSync(planted, readFileSync(path, "utf8").replaceAll(idOf(path), OTHER));
  expect(await resumed(at, "? for shortcuts", { args: ["--resume", OTHER] })).toContain(NOTICE);
  // Without any proof, as another program or an older version writes it.
  const plain = readFileSync(planted, "utf8").replaceAll(/^\{"type":"keelson-seal".*\n/gm, "");
  writeFileSync(planted, plain);
  expect(await resumed(at, "? for shortcuts", { args: ["--resume", OTHER] })).toContain(NOTICE);
});

test("a fork and a configuration folder that was copied keep the mode", async () => {
  await using at = await openAtTerminal([{ text: "first answer" }]);
  const path = await leftIn(at, "accept edits");
  const fork = ["--resume", idOf(path), "--fork-session"];
  expect(await resumed(at, "accept edits on", { args: fork })).not.toContain(NOTICE);
  const copy = join(at.home.root, "copy");
  cpSync(at.home.configDir, copy, { recursive: true });
  copyState(at.home, copy);
  const args = ["--resume", idOf(path)];
  expect(await resumed(at, "accept edits on", { args, env: { CLAUDE_CONFIG_DIR: copy } })).not.toContain(NOTICE);
});

/** With a folder of its own, the state is in it. */
function copyState(home: TemporaryHome, to: string): void {
  const state = join(dirname(home.configDir), ".claude.json");
  if (existsSync(state)) cpSync(state, join(to, ".claude.json"));
}

test("a rewind at the terminal asks before it restores a protected file, and restores the others unasked", async () => {
  const write = (file_path: string) => ({ name: "Write", input: { file_path, content: "new\n" } });
  await using at = await openAtTerminal([
    { text: "first answer" },
    { calls: [write("a.txt"), write(".envrc")] },
    { text: "second answer" },
  ]);
  const { terminal, home } = at;
  const there = () => ["a.txt", ".envrc"].map((name) => existsSync(join(home.project, name)));
  terminal.press("shift+tab");
  await terminal.until("accept edits");
  terminal.type("hello\r");
  await terminal.until("first answer");
  await terminal.until(isIdle);
  terminal.type("write them\r");
  await terminal.until("Create .envrc?");
  terminal.press("enter");
  await terminal.until("second answer");
  await terminal.until(isIdle);
  expect(there()).toEqual([true, true]);
  terminal.type("/rewind\r");
  // Options that appear later come above the marked one.
  await terminal.until("2 files changed");
  terminal.press("up", "enter");
  await terminal.until("Restore code");
  terminal.press("down", "down", "enter");
  await terminal.until("Write .envrc?");
  expect(terminal.screen().join("\n")).toContain("Deletes the file, because it did not exist before the prompt");
  // For a moment, a question leaves the keys to the prompt: someone was typing.
  const restored = terminal.until("Restored the code");
  for (let isOver = false; !isOver;) {
    terminal.press("enter");
    isOver = await Promise.race([restored.then(() => true), Bun.sleep(400).then(() => false)]);
  }
  expect(there()).toEqual([false, false]);
});
