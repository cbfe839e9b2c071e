import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { remoteName, repositoryPlace } from "./remote.ts";

const KEELSON = { host: "example.com", owner: "me", name: "keelson" };

test.each([
  ["https://example.com/me/keelson.git", KEELSON],
  ["https://user:secret@example.com:8443/me/keelson/", KEELSON],
  ["ssh://git@example.com:22/me/keelson.git", KEELSON],
  ["git@example.com:me/keelson.git", KEELSON],
  ["example.com:me/keelson", KEELSON],
  ["https://example.com/group/sub/keelson", { ...KEELSON, owner: "group/sub" }],
  ["https://example.com/keelson", undefined],
  ["/srv/git/keelson.git", undefined],
  ["../keelson", undefined],
  ["file:///srv/me/keelson", undefined],
  ["C:\\work\\keelson", undefined],
  ["", undefined],
])("%s is %j", (url, name) => expect(remoteName(url)).toEqual(name));

test("a linked work tree has its name and the remote of the repository; a folder outside has neither", () => {
  const root = mkdtempSync(join(tmpdir(), "keelson-remote-"));
  try {
    const git = join(root, "main", ".git");
    for (const folder of ["objects", "refs", "worktrees/fix-1"]) mkdirSync(join(git, folder), { recursive: true });
    writeFileSync(join(git, "HEAD"), "ref: refs/heads/main\n");
    const other = '[remote "fork"]\n\turl = https://example.com/you/keelson\n';
    writeFileSync(
      join(git, "config"),
      `${other}[remote "origin"]\n\tfetch = x\n\turl = git@example.com:me/keelson.git\n${other}`,
    );
    writeFileSync(join(git, "worktrees/fix-1/HEAD"), "ref: refs/heads/fix\n");
    writeFileSync(join(git, "worktrees/fix-1/commondir"), "../..\n");
    mkdirSync(join(root, "copy", "src"), { recursive: true });
    writeFileSync(join(root, "copy", ".git"), `gitdir: ${git}/worktrees/fix-1\n`);
    expect(repositoryPlace(join(root, "main"))).toEqual({ origin: KEELSON });
    expect(repositoryPlace(join(root, "copy", "src"))).toEqual({ worktree: "fix-1", origin: KEELSON });
    expect(repositoryPlace(root)).toEqual({});
  } finally {
    rmSync(root, { recursive: true });
  }
});
