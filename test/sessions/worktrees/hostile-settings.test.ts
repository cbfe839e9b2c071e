// Settings of a hostile repository that only hold in its worktrees: no program that they name runs.

import { expect, test } from "bun:test";
import { chmodSync, existsSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel } from "@keelson/testkit";
import { repositoryHome, type RepositoryHome } from "./repository.ts";

/** A filter that leaves a mark when it runs. */
function filter(home: RepositoryHome, file: string): string {
  const [mark, script] = [join(home.root, "ran"), join(home.root, "trap.sh")];
  writeFileSync(script, `#!/bin/sh\ntouch '${mark}'\ncat\n`);
  chmodSync(script, 0o755);
  writeFileSync(file, `[filter "evil"]\n\tsmudge = ${script}\n\tclean = ${script}\n`);
  return mark;
}

test("a filter that is included only on the branch of the worktree does not run", async () => {
  using home = repositoryHome({ ".gitattributes": "a.txt filter=evil\n" });
  const mark = filter(home, join(home.project, ".git/more"));
  home.git("config", "includeIf.onbranch:worktree-*.path", "more");
  await using model = await startMockModel([{ text: "done" }]);
  const { code, stderr } = await runKeelson(["-p", "go", "-w", "fix"], { home, url: model.url });
  expect([code, stderr]).toEqual([0, expect.stringContaining('the filter "evil" was not run')]);
  expect(existsSync(mark)).toBe(false);
});

test("a filter in the settings of a worktree that came with the repository does not run", async () => {
  using home = repositoryHome({ ".gitattributes": "a.txt filter=evil\n" });
  home.git("worktree", "add", "-q", "-b", "worktree-old", ".claude/worktrees/old");
  home.git("config", "extensions.worktreeConfig", "true");
  const mark = filter(home, join(home.project, ".git/worktrees/old/config.worktree"));
  // So that git has to look into the file.
  utimesSync(join(home.worktree("old"), "a.txt"), 1, 1);
  await using model = await startMockModel([{ text: "done" }]);
  const { code } = await runKeelson(["-p", "go", "-w", "fix"], { home, url: model.url });
  expect([code, existsSync(mark)]).toEqual([0, false]);
});
