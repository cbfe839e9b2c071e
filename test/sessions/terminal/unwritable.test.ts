// A home that cannot be written, and a full disk: a warning appears once, typing and answers continue, and nothing is
// promised that was not kept.

import { expect, test } from "bun:test";
import { programCommand, startMockModel, temporaryHome, testUnless, type TemporaryHome } from "@keelson/testkit";
import { startTerminal } from "@keelson/testkit/terminal";
import { confinementMissing } from "../needs-bubblewrap.ts";
import { isIdle, writeState } from "./at-terminal.ts";

const READ_ONLY = (home: TemporaryHome) => ["--ro-bind", home.home, home.home];
/** Room for a few kilobytes. */
const FULL = (home: TemporaryHome) => ["--size", "12288", "--tmpfs", home.configDir];

testUnless(confinementMissing(), test).each([
  ["a read-only home", READ_ONLY, "EROFS"],
  ["a full disk", FULL, "ENOSPC"],
] as const)("%s: everything works, and no resume is offered", async (_, confined, reason) => {
  using home = temporaryHome();
  writeState(home);
  home.write("~/.claude/CLAUDE.md", "");
  await using model = await startMockModel([{ text: "Answer one." }, { text: "Answer two." }]);
  const command = ["bwrap", "--dev-bind", "/", "/", ...confined(home), "--", ...programCommand({ home })];
  await using terminal = startTerminal({ home, url: model.url, command, columns: 100, rows: 30 });
  await terminal.until(/^❯\s*$/m);
  for (const [words, answer] of [
    ["the first prompt", "Answer one."],
    ["the second prompt", "Answer two."],
  ] as const) {
    terminal.type(words);
    await terminal.until(`❯ ${words}`);
    terminal.press("enter");
    await terminal.until(answer);
    // While the run goes on, Ctrl+C would interrupt it.
    await terminal.until(isIdle);
  }
  expect(JSON.stringify(model.requests.at(-1)!.body.messages)).toContain("the first prompt");
  // What was typed is still there in this session.
  terminal.press("up");
  await terminal.until("❯ the second prompt\n───");
  terminal.press("up");
  await terminal.until("❯ the first prompt\n───");
  terminal.press("ctrl+c", "ctrl+d", "ctrl+d");
  expect(await terminal.exited).toEqual({ code: 0, signal: null });
  const said = terminal.scrollback({ joined: true }).join("\n");
  expect(said.split("The transcript cannot be written")).toHaveLength(2);
  expect(said).toContain(reason);
  expect(said).not.toContain("--resume");
});
