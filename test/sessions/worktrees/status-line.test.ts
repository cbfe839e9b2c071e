// What the command of a status line learns about the repository, and about the worktree that the session is in.

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startMockModel } from "@keelson/testkit";
import { startTerminal } from "@keelson/testkit/terminal";
import { until } from "../processes.ts";
import { writeState } from "../terminal/at-terminal.ts";
import { repositoryHome } from "./repository.ts";

test("the status line knows the remote and the worktree, also one that the model enters", async () => {
  using home = repositoryHome();
  writeState(home);
  home.git("remote", "add", "origin", "git@example.com:me/keelson.git");
  const seen = join(home.root, "seen.json");
  const command = `cat >"${seen}.new" && mv "${seen}.new" "${seen}"; echo shown`;
  home.write("~/.claude/settings.json", { statusLine: { type: "command", command } });
  await using model = await startMockModel([
    { calls: [{ name: "EnterWorktree", input: { name: "fix" } }] },
    { text: "I am there." },
  ]);
  await using terminal = startTerminal({ home, url: model.url, columns: 90, rows: 24 });
  const input = () => (existsSync(seen) ? JSON.parse(readFileSync(seen, "utf8")) : undefined);
  const repo = { host: "example.com", owner: "me", name: "keelson" };
  await terminal.until("shown");
  expect(input().workspace).toMatchObject({ current_dir: home.project, repo });
  expect([input().workspace.git_worktree, input().worktree]).toEqual([undefined, undefined]);

  terminal.type("go\r");
  await terminal.until("I am there.");
  await until(() => input().worktree !== undefined);
  const path = home.worktree("fix");
  expect(input()).toMatchObject({
    cwd: path,
    workspace: { current_dir: path, git_worktree: "fix", repo },
    worktree: { name: "fix", path, branch: "worktree-fix", original_cwd: home.project, original_branch: "main" },
  });
});
