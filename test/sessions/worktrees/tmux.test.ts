// `--worktree --tmux`: the session is in a tmux session, and the same command comes back to it.

import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
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

testUnless(noTmux, test)("tmux takes no command from the name of a folder or the end of a prompt", async () => {
  using home = repositoryHome();
  const folder = join(home.project, "#(touch ran)#[x;");
  mkdirSync(folder);
  writeState(home);
  await using model = await startMockModel([{ text: "Heard in tmux." }]);
  const env = { TMUX_TMPDIR: home.root, SHELL: "/bin/sh" };
  const args = ["--tmux", "--worktree", "fix", "say hello;", "--verbose"];
  try {
    await using terminal = startTerminal({ home, url: model.url, args, env, cwd: folder, columns: 90, rows: 24 });
    await terminal.until("Heard in tmux.");
    expect(JSON.stringify(model.requests.at(-1)!.body)).toContain("say hello;");
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    execFileSync("tmux", ["kill-server"], { env: { PATH: process.env["PATH"]!, ...env } });
  }
});

testUnless(noTmux, test)("a session of another repository is not attached", async () => {
  using home = repositoryHome();
  using other = repositoryHome();
  const env = { TMUX_TMPDIR: home.root, SHELL: "/bin/sh" };
  const tmux = { cwd: other.project, env: { PATH: process.env["PATH"]!, ...env } };
  execFileSync("tmux", ["new-session", "-d", "-s", "keelson-fix", "--", "sleep", "1000"], tmux);
  try {
    const args = ["--tmux", "--worktree", "fix"];
    await using terminal = startTerminal({ home, args, env, columns: 300, rows: 24 });
    await terminal.until(`error: tmux session keelson-fix belongs to ${other.project}; choose another name`);
    expect(await terminal.exited).toEqual({ code: 1, signal: null });
  } finally {
    execFileSync("tmux", ["kill-server"], tmux);
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
