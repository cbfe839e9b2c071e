import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryHome } from "./home.ts";

test("files go to the project or the home, and everything is removed", () => {
  const home = temporaryHome();
  expect(home.write("src/a.txt", "a")).toBe(join(home.project, "src/a.txt"));
  expect(home.write("~/notes/b.json", { b: 1 })).toBe(join(home.home, "notes/b.json"));
  expect(home.settings({ model: "m" })).toBe(join(home.configDir, "settings.json"));
  expect([home.read("src/a.txt"), home.read("~/notes/b.json"), home.read("~/.claude/settings.json")]).toEqual([
    "a",
    '{\n  "b": 1\n}\n',
    '{\n  "model": "m"\n}\n',
  ]);

  home.remove();
  expect(existsSync(home.root)).toBe(false);
});

test("the environment is isolated: only known names, all paths inside", () => {
  using home = temporaryHome();
  expect(Object.keys(home.env).filter((name) => !name.startsWith("GIT_"))).toEqual([
    "PATH",
    "HOME",
    "TMPDIR",
    "USER",
    "SHELL",
    "TERM",
    "LANG",
    "TZ",
  ]);
  expect([home.env.HOME, home.env.TMPDIR]).toEqual([home.home, join(home.root, "tmp")]);
});

test("a project may be a git repository: empty, on main, without hooks, ready to commit", () => {
  using home = temporaryHome({ git: true });
  home.write("a.txt", "a");
  const git = (...args: string[]) => {
    const { stdout, stderr, exitCode } = Bun.spawnSync(["git", ...args], { cwd: home.project, env: home.env });
    return exitCode === 0 ? stdout.toString().trim() : stderr.toString();
  };

  git("add", "a.txt");
  git("commit", "-qm", "first");

  expect(git("log", "--format=%an <%ae> %s %D")).toBe("Tester <tester@example.com> first HEAD -> main");
  expect(readdirSync(join(home.project, ".git"))).not.toContain("hooks");
});

test("two homes share nothing", () => {
  using one = temporaryHome();
  using two = temporaryHome();
  one.write("a.txt", "one");
  expect(existsSync(join(two.project, "a.txt"))).toBe(false);
});
