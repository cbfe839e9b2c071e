// Worktrees in a hostile repository, through the program: nothing of it runs, and nothing is written outside.

import { expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, testUnless } from "@keelson/testkit";
import { resultOf, STREAM, toolUseResults } from "../front-door.ts";
import { confinementMissing } from "../needs-bubblewrap.ts";
import { repositoryHome } from "./repository.ts";

const done = { text: "done" };

test("hooks, monitor and filters of the repository do not run; a forced start says what was left out", async () => {
  using home = repositoryHome({ ".gitattributes": "a.txt filter=evil\n" });
  const [mark, script] = [join(home.root, "ran"), join(home.root, "trap.sh")];
  writeFileSync(script, `#!/bin/sh\ntouch '${mark}'\ncat\n`);
  chmodSync(script, 0o755);
  symlinkSync(script, join(home.project, ".git/hooks/post-checkout"));
  home.git("config", "core.fsmonitor", script);
  home.git("config", "filter.evil.smudge", script);
  home.git("config", "filter.evil.process", script);
  await using model = await startMockModel([done]);
  const { code, stderr } = await runKeelson(["-p", "go", "-w", "fix"], { home, url: model.url });
  expect(code).toBe(0);
  expect(stderr).toContain('the filter "evil" was not run');
  expect(existsSync(mark)).toBe(false);
});

test.each([".claude", ".claude/worktrees"])("a linked %s is refused", async (name) => {
  using home = repositoryHome();
  const outside = join(home.root, "outside");
  mkdirSync(outside);
  if (name !== ".claude") mkdirSync(join(home.project, ".claude"));
  symlinkSync(outside, join(home.project, name));
  const { code, stderr } = await runKeelson(["-p", "go", "-w", "fix"], { home, url: "http://127.0.0.1:9" });
  expect(code).toBe(1);
  expect(stderr).toContain("is a link; worktrees are created only in a folder of the repository itself");
  expect([readdirSync(outside), home.branches()]).toEqual([[], ["main"]]);
});

test("a folder whose .git file names another repository gets no worktree", async () => {
  using home = repositoryHome();
  const cwd = join(home.root, "forged");
  mkdirSync(cwd);
  writeFileSync(join(cwd, ".git"), `gitdir: ${join(home.project, ".git")}\n`);
  const { code, stderr } = await runKeelson(["-p", "go", "-w", "fix"], { home, cwd, url: "http://127.0.0.1:9" });
  expect(code).toBe(1);
  expect(stderr).toContain("which does not lead back");
  expect([home.branches(), home.worktrees()]).toEqual([["main"], [home.project]]);
});

test("settings of an untrusted repository share no folder outside it", async () => {
  using home = repositoryHome({
    ".claude/settings.json": JSON.stringify({ worktree: { symlinkDirectories: ["../home", "/etc", "deps"] } }),
    ".gitignore": "deps\n",
  });
  home.write("deps/x", "x");
  await using model = await startMockModel([
    { calls: [{ name: "Bash", input: { command: "ls -d deps; ls -d home; ls -d etc" } }] },
    done,
  ]);
  const ended = await runKeelson(["-p", "go", "-w", "fix", ...STREAM], { home, url: model.url });
  expect(ended.stderr.match(/is not linked/g)).toHaveLength(2);
  const missing = (name: string) => `ls: cannot access '${name}': No such file or directory`;
  expect(toolUseResults(ended)[0]).toBe(`Error: Exit code 2\ndeps\n${missing("home")}\n${missing("etc")}`);
});

const confined = testUnless(confinementMissing(["bwrap", "socat"]), test);

confined.each([[{}], [{ sandbox: { enabled: true } }]])(
  "with the settings %j, git commits in the worktree only",
  async (settings) => {
    using home = repositoryHome();
    home.settings(settings);
    const head = home.git("rev-parse", "main");
    const commit = "echo x > x && git add x && git commit -qm Add && git log --format=%s -1; touch ../../../leaked";
    await using model = await startMockModel([{ calls: [{ name: "Bash", input: { command: commit } }] }, done]);
    const args = ["-p", "go", "-w", "fix", ...STREAM, "--allowedTools", "Bash"];
    const ended = await runKeelson(args, { home, url: model.url });
    expect(resultOf(ended).is_error).toBe(false);
    expect(JSON.stringify(toolUseResults(ended)[0])).toContain("Add");
    expect(home.git("log", "--format=%s", "-1", "worktree-fix")).toBe("Add\n");
    expect(home.git("rev-parse", "main")).toBe(head);
    if ("sandbox" in settings) expect(existsSync(join(home.project, "leaked"))).toBe(false);
  },
);
