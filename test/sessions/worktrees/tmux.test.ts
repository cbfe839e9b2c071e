// `--worktree --tmux`: the session is in a tmux session, and the same command comes back to it.

import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { runKeelson, startMockModel, testUnless } from "@keelson/testkit";
import { startTerminal } from "@keelson/testkit/terminal";
import { writeState } from "../terminal/at-terminal.ts";
import { repositoryHome } from "./repository.ts";

const noTmux = Bun.which("tmux") === null ? "tmux is not installed" : null;

testUnless(noTmux, test)("the session works in a tmux session named after its worktree", async () => {
  using home = repositoryHome();
  writeState(home);
  await using model = await startMockModel([{ text: "Heard in tmux." }]);
  const env = { TMUX_TMPDIR: home.root, SHELL: "/bin/sh" };
  const tmux = (...args: string[]) =>
    execFileSync("tmux", args, { env: { PATH: process.env["PATH"]!, ...env }, encoding: "utf8" });
  const args = ["--tmux", "--worktree", "fix.it"];
  try {
    await using terminal = startTerminal({ home, url: model.url, args, env, columns: 90, rows: 24 });
    await terminal.until(/^[❯$]/m);
    expect(tmux("list-sessions", "-F", "#{session_name}")).toBe("keelson-fix_it\n");
    terminal.type("hello\r");
    await terminal.until("Heard in tmux.");
    await using second = startTerminal({ home, url: model.url, args, env, columns: 90, rows: 24 });
    await second.until("Heard in tmux.");
    expect(tmux("list-clients", "-F", "#{session_name}")).toBe("keelson-fix_it\nkeelson-fix_it\n");
  } finally {
    tmux("kill-server");
  }
});

test.each([
  [["--tmux"], "--tmux requires --worktree"],
  [["--tmux", "--worktree", "fix", "-p", "hi"], "--tmux needs a terminal and cannot be used with --print"],
])("%j is refused", async (args, message) => {
  using home = repositoryHome();
  const { code, stderr } = await runKeelson(args, { home });
  expect({ code, stderr }).toEqual({ code: 1, stderr: `error: ${message}\n` });
});
