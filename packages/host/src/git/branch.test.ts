import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gitBranch } from "./branch.ts";

const place = mkdtempSync(join(tmpdir(), "keelson-git-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));

test("gitBranch() reads branches, detached heads and worktrees, from any subfolder", () => {
  const repo = join(place, "repo");
  mkdirSync(join(repo, ".git", "worktrees", "w"), { recursive: true });
  mkdirSync(join(repo, "a", "b"), { recursive: true });
  writeFileSync(join(repo, ".git", "HEAD"), "ref: refs/heads/feature/x\n");
  expect(gitBranch(join(repo, "a", "b"))).toBe("feature/x");

  writeFileSync(join(repo, ".git", "HEAD"), "0123456789012345678901234567890123456789\n");
  expect(gitBranch(repo)).toBe("HEAD");

  const tree = join(place, "tree");
  mkdirSync(tree);
  writeFileSync(join(tree, ".git"), "gitdir: ../repo/.git/worktrees/w\n");
  writeFileSync(join(repo, ".git", "worktrees", "w", "HEAD"), "ref: refs/heads/side\n");
  expect(gitBranch(tree)).toBe("side");
});

test("gitBranch() is empty without a repository, and does not hang on a planted FIFO", () => {
  expect(gitBranch(place)).toBe("");
  const trap = join(place, "trap");
  mkdirSync(join(trap, ".git"), { recursive: true });
  expect(Bun.spawnSync(["mkfifo", join(trap, ".git", "HEAD")]).exitCode).toBe(0);
  expect(gitBranch(trap)).toBe("");
});
