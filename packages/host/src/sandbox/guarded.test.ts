import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { findGuarded } from "./guarded.ts";

function place() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-guard-")));
  const write = (path: string, text = "") => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write("home/x");
  write("p/x");
  const names = (paths: readonly string[]) => paths.map((path) => relative(root, path)).toSorted();
  const find = (cwd = "p") => {
    const home = join(root, "home");
    const options = { directories: [join(root, "p")], cwd: join(root, cwd), home, configDir: join(home, ".claude") };
    const { readOnly, pinned, missingFolders, missingFiles, links } = findGuarded(options);
    return {
      readOnly: names(readOnly),
      pinned: names(pinned),
      missingFolders: names(missingFolders),
      missingFiles: names(missingFiles),
      links: names(links),
    };
  };
  return { root, write, find, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}

test("in an empty place nothing may come into being that would steer us or the user's shell", () => {
  using p = place();
  const { missingFolders, missingFiles, readOnly, pinned } = p.find();
  expect({ missingFolders, readOnly, pinned }).toEqual({ missingFolders: ["p/.claude"], readOnly: [], pinned: [] });
  expect(missingFiles).toContain("p/.mcp.json");
  expect(missingFiles).toContain("home/.bashrc");
});

test("git: hooks and settings are read-only, the folder cannot be swapped, the rest is free", () => {
  using p = place();
  for (const name of ["config", "HEAD", "hooks/a", "objects/x", "info/attributes", "modules/sub/config"]) {
    p.write(`p/.git/${name}`);
  }
  const { readOnly, pinned, missingFolders } = p.find();
  expect(readOnly).toEqual(["p/.git/config", "p/.git/hooks", "p/.git/info/attributes", "p/.git/modules/sub/config"]);
  expect(pinned).toEqual(["p/.git", "p/.git/modules/sub"]);
  expect(missingFolders).toEqual(["p/.claude"]);
});

test("a worktree leads to the folder it shares", () => {
  using p = place();
  p.write("main/.git/config");
  p.write("main/.git/hooks/a");
  p.write("main/.git/worktrees/w/commondir", "../..\n");
  p.write("p/.git", `gitdir: ${join(p.root, "main/.git/worktrees/w")}\n`);
  expect(p.find().readOnly).toEqual([
    "main/.git/config",
    "main/.git/hooks",
    "main/.git/worktrees/w/commondir",
    "p/.git",
  ]);
});

test("folders of programs that write there are left alone; a link is guarded where it leads", () => {
  using p = place();
  for (const name of [".yarn/cache/x", ".yarn/releases/y", ".cargo/registry/z", ".husky/_/h", ".husky/pre-commit"]) {
    p.write(`p/${name}`);
  }
  p.write("home/.cargo/registry/z");
  p.write("home/dotfiles/bashrc");
  symlinkSync("dotfiles/bashrc", join(p.root, "home/.bashrc"));
  p.write("p/.claude/settings.json");
  p.write("p/.claude/worktrees/one/file");
  expect(p.find()).toMatchObject({
    readOnly: ["home/dotfiles/bashrc", "p/.claude", "p/.husky/pre-commit", "p/.yarn/releases"],
    pinned: ["p/.claude/worktrees"],
    missingFolders: [],
    links: ["home/.bashrc"],
  });
});
