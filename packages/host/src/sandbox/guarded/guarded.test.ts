import { expect, test } from "bun:test";
import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { findGuarded, type Guarded } from "./guarded.ts";

function place() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-guard-")));
  const write = (path: string, text = "") => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write("home/x");
  write("p/x");
  const names = (paths: readonly string[]) => paths.map((path) => relative(root, path)).toSorted();
  const find = (cwd = "p", governing: readonly string[] = []) => {
    const home = join(root, "home");
    const options = { directories: [join(root, "p")], cwd: join(root, cwd), home, configDir: join(home, ".claude") };
    const inside = (paths: readonly string[]) => names(paths.filter((path) => path.startsWith(root)));
    return Object.fromEntries(
      Object.entries(findGuarded({ ...options, governing: governing.map((path) => join(root, path)) })).map(
        ([kind, paths]) => [kind, inside(paths as readonly string[])],
      ),
    ) as Record<keyof Guarded, string[]>;
  };
  return { root, write, find, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}

test("in an empty project, files that would configure us or the user's shell cannot be created", () => {
  using p = place();
  const { missingFolders, missingFiles, readOnly, pinned } = p.find();
  expect({ missingFolders, readOnly, pinned }).toEqual({ missingFolders: ["p/.claude"], readOnly: [], pinned: [] });
  const names = [".mcp.json", ".vscode", ".husky", ".envrc"].map((name) => `p/${name}`);
  const atHome = [".bashrc", ".gitconfig", ".config/git", ".claude.json", ".claude/CLAUDE.md", ".claude/agents"];
  expect(missingFiles).toEqual(expect.arrayContaining([...names, ...atHome.map((name) => `home/${name}`)]));
});

test("files that configure us are guarded under other names, through links, and with the folders above them", () => {
  using p = place();
  p.write("etc/mine/settings.json");
  p.write("real/hook.sh");
  p.write("p/tools/check.sh");
  linkSync(join(p.root, "etc/mine/settings.json"), join(p.root, "p/second-name"));
  symlinkSync("../real", join(p.root, "p/scripts"));
  const { readOnly, pinned, keptFolders, links, contents, missingFiles } = p.find("p", [
    "etc/mine/settings.json",
    "p/scripts/hook.sh",
    "etc/later/env.sh",
    "p/tools/check.sh",
  ]);
  expect(readOnly).toEqual(["etc/mine/settings.json", "p/tools/check.sh", "real/hook.sh"]);
  expect(contents).toEqual(["etc/mine/settings.json"]);
  expect(links).toEqual(["p/scripts"]);
  expect(pinned).toEqual(["etc", "etc/mine", "real"]);
  expect(missingFiles).toContain("etc/later/env.sh");
  expect(keptFolders).toEqual(["", "home", "p", "p/tools"]);
});

test("git: hooks are read-only, settings are watched, the folder cannot be replaced, the rest is writable", () => {
  using p = place();
  for (const name of ["config", "HEAD", "hooks/a", "objects/x", "info/attributes", "worktrees/w/HEAD"]) {
    p.write(`p/.git/${name}`);
  }
  for (const name of ["modules/libs/one", "modules/libs/one/modules/two"]) p.write(`p/.git/${name}/HEAD`);
  const { readOnly, pinned, missingFolders, gitSettings } = p.find();
  expect(readOnly).toEqual(["p/.git/hooks", "p/.git/info/attributes"]);
  const modules = ["p/.git/modules/libs/one", "p/.git/modules/libs/one/modules/two"];
  expect(pinned).toEqual([
    "p/.git",
    "p/.git/info",
    "p/.git/modules",
    "p/.git/modules/libs",
    modules[0]!,
    "p/.git/modules/libs/one/modules",
    modules[1]!,
  ]);
  expect(missingFolders).toEqual(["p/.claude"]);
  const repositories = ["p/.git", ...modules].flatMap((folder) => [`${folder}/config`, `${folder}/config.worktree`]);
  expect(gitSettings).toEqual([...repositories, "p/.git/worktrees/w/config.worktree", "p/.gitmodules"].toSorted());
});

test("the shared folder of a worktree is guarded", () => {
  using p = place();
  p.write("main/.git/config");
  p.write("main/.git/hooks/a");
  p.write("main/.git/worktrees/w/commondir", "../..\n");
  p.write("p/.git", `gitdir: ${join(p.root, "main/.git/worktrees/w")}\n`);
  const { readOnly, gitSettings } = p.find();
  expect(readOnly).toEqual(["main/.git/hooks", "main/.git/worktrees/w/commondir", "p/.git"]);
  expect(gitSettings).toContain("main/.git/config");
});

test("folders that programs write to are not guarded; a link is guarded at its target", () => {
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
    pinned: ["p/.claude/worktrees", "p/.husky", "p/.yarn"],
    closedFolders: ["p/.husky"],
    missingFolders: [],
    links: ["home/.bashrc"],
  });
});
