// Changes that no mount can prevent are reverted. Runs real commands.

import { expect } from "bun:test";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { shielded, until, world } from "../shield/shield.test-support.ts";

/** A test repository; git reads neither system nor user settings. */
const GIT =
  "export GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b;";

async function repository() {
  const w = world({ mayChange: (id) => id === "approved" });
  const git = async (command: string, id?: string) => {
    const result = await w.run(`${GIT} ${command}`, id);
    return { ...result, notes: (result.notes ?? []).join("\n") };
  };
  await git("git init -q -b main . && echo a > a && git add a && git commit -qm one");
  await git("git init -q --bare -b main ../remote.git", "approved");
  const config = () => w.read(".git/config");
  return Object.assign(w, { git, config });
}

shielded("ordinary git commands can write settings: remotes, branches, worktrees, submodules, names", async () => {
  await using w = await repository();
  const commands = [
    "git remote add origin ../remote.git",
    "git push -q -u origin main",
    "git branch other && git branch --set-upstream-to=origin/main other",
    "git checkout -q -b third --track origin/main",
    "git config user.email me@example.org",
    "git remote rename origin upstream && git remote set-url upstream ../remote.git",
    "git stash list && git commit -q --allow-empty -m two && git tag v1 && git branch -m third fourth",
    "git worktree add -q ../linked && git worktree list && git worktree remove ../linked",
    "git -c protocol.file.allow=always submodule --quiet add ../remote.git lib",
    "git submodule --quiet init && git -c protocol.file.allow=always submodule --quiet update && git -C lib log --oneline",
    "git commit -qm lib && git submodule status && git submodule --quiet deinit -f lib",
    "git checkout -q main && [ ! -e .gitmodules ] && git checkout -q fourth && [ -e .gitmodules ]",
    "git rm -qf lib && git commit -qm gone && git checkout -q main && [ ! -e .gitmodules ] && git merge -q fourth",
    "git init -q nested && git -C nested config user.name x && git clone -q ../remote.git copy",
  ];
  for (const command of commands) {
    const { code, text, notes } = await w.git(command);
    expect({ command, code, text: code === 0 ? "" : text, notes }).toEqual({ command, code: 0, text: "", notes: "" });
  }
  expect(w.config()).toContain("me@example.org");
  expect(w.config()).toContain('[branch "fourth"]');
  expect(readdirSync(join(w.project, ".git")).filter((name) => name.includes("set-aside"))).toEqual([]);
});

const PUT_BACK: readonly (readonly [command: string, key: string])[] = [
  ["git config core.fsmonitor ./evil", "core.fsmonitor"],
  ["git config core.hooksPath .husky/_", "core.hookspath"],
  ["git config alias.st '!id'", "alias.st"],
  ["git config url.ssh://evil/.insteadOf https://", "url.ssh://evil/.insteadof"],
  ["git config include.path ../evil", "include.path"],
  ["git remote add evil 'ext::sh -c id'", "remote.evil.url"],
  ["printf '[core]\\n\\tsshCommand = id\\n' >> .git/config", "core.sshcommand"],
  ["printf '[core] editor = id\\n[user] name = b\\n' > x; cp x .git/config", "core.editor"],
  ["git config --file .git/config.worktree core.pager id", "core.pager"],
  ["git config -f .gitmodules submodule.a.update '!id'", "submodule.a.update"],
  ["ln -sf ../x .git/config", "'"],
  ["rm .git/config; mkdir -p .git/config/x", "'"],
];

shielded.each(PUT_BACK)("%s is reverted and reported", async (command, key) => {
  await using w = await repository();
  await w.git("git config core.pager cat && git config user.email me@example.org");
  const { notes } = await w.git(`echo > x; ${command}; true`);
  expect(notes).toContain(key);
  const { text } = await w.git("git config --list --name-only; git config user.email");
  expect(text).not.toMatch(/fsmonitor|hookspath|alias|insteadof|include|evil.url|sshcommand|editor|a.update/);
  expect((await w.git("git config core.pager")).text).not.toContain("id");
});

shielded("settings behind a link are written and watched at the target", async () => {
  await using w = await repository();
  renameSync(join(w.project, ".git/config"), join(w.home, "shared"));
  symlinkSync(join(w.home, "shared"), join(w.project, ".git/config"));
  const { notes, code } = await w.git("git config user.email me@example.org && git config alias.x '!id'");
  expect([code, notes]).toEqual([0, expect.stringContaining("alias.x")]);
  expect(realpathSync(join(w.project, ".git/config"))).toBe(join(w.home, "shared"));
  const text = readFileSync(join(w.home, "shared"), "utf8");
  expect([text.includes("me@example.org"), text.includes("!id")]).toEqual([true, false]);
});

shielded("an approved git setting stays", async () => {
  await using w = await repository();
  expect((await w.git("git config core.hooksPath hooks", "approved")).notes).toBe("");
  expect((await w.git("git config user.name b; git config core.hooksPath")).text).toBe("hooks\n");
});

shielded("a repository created by a command has no hooks and programs", async () => {
  await using w = world();
  const { notes } = await w.run(
    `${GIT} git init -q . && git config core.fsmonitor ./evil && echo id > .git/hooks/pre-commit; touch .git/hooks/x.sample`,
  );
  expect(notes?.join("\n")).toContain("core.fsmonitor");
  expect(existsSync(join(w.project, ".git/hooks/pre-commit"))).toBe(false);
  expect(existsSync(join(w.project, ".git/hooks/x.sample"))).toBe(true);
  expect(w.read(".git/config")).not.toContain("fsmonitor");
});

shielded("a child that left its session cannot add a setting or a file later", async () => {
  await using w = await repository();
  const late = (command: string) =>
    `setsid sh -c 'until [ -e go ]; do sleep 0.01; done; ${command}; touch done' >/dev/null 2>&1 &`;
  await w.git(late("echo evil > .mcp.json; mkdir -p .vscode; echo x > .vscode/tasks.json; git config alias.x !id"));
  // Long enough to be dropped if it were not still running.
  await Bun.sleep(400);
  w.write("go", "");
  await until(() => existsSync(join(w.project, "done")));
  expect(await w.shell.undoChanges()).toBe(true);
  expect([".mcp.json", ".vscode"].filter((name) => existsSync(join(w.project, name)))).toEqual([]);
  expect(w.config()).not.toContain("!id");
  const { notes } = await w.git("ls");
  expect(notes).toContain(".mcp.json', which is protected: it was moved to");
  expect(notes).toContain("alias.x");
});

shielded("changes are reverted soon even without another call", async () => {
  await using w = await repository();
  await w.git("env -i PATH=$PATH setsid sh -c 'sleep 0.5; echo x > .mcp.json; sleep 30' >/dev/null 2>&1 &");
  await until(() => readdirSync(w.project).some((name) => name.startsWith(".mcp.json.set-aside-")));
  expect(existsSync(join(w.project, ".mcp.json"))).toBe(false);
  expect(w.warnings.join()).toContain(".mcp.json");
});

shielded("what the user creates while nothing runs stays", async () => {
  await using w = await repository();
  await w.git("ls");
  // At once: the stand-in may still be there.
  w.write(".mcp.json", "{}");
  writeFileSync(join(w.project, ".git/config"), `${w.config()}[alias]\n\tst = status\n`);
  expect((await w.git("ls")).notes).toBe("");
  expect([w.read(".mcp.json"), w.config().includes("st = status")]).toEqual(["{}", true]);
  await until(() => !existsSync(join(w.project, ".claude")));
});

shielded("folders that contain guarded paths cannot be moved, or are moved back", async () => {
  await using w = await repository();
  mkdirSync(join(w.home, ".claude"), { recursive: true });
  writeFileSync(join(w.home, ".claude/settings.json"), "{}");
  mkdirSync(join(w.home, ".config/git"), { recursive: true });
  const pinned = await w.git("mv ~/.claude ~/x; mv ~/.config ~/y; mv .git g; true");
  expect(pinned.text.match(/Device or resource busy/g)).toHaveLength(3);

  const moved = await w.git(
    `mkdir -p ../new/.claude && cd .. && mv project away && mv new project && mv home h2; true`,
  );
  expect(moved.notes).toContain("This session or a deny rule depends on its name, so it was moved back");
  expect(existsSync(join(w.project, ".git/HEAD"))).toBe(true);
  await until(() => !existsSync(join(w.project, ".claude")));
  expect(readFileSync(join(w.home, ".claude/settings.json"), "utf8")).toBe("{}");
  expect((await w.git("git log --oneline | wc -l")).text.trim()).toBe("1");
});

shielded("files that configure the session are protected under every name", async () => {
  await using w = world({ governing: ({ project }) => ["run.json", "hook.sh"].map((name) => join(project, name)) });
  w.write("run.json", "{}");
  linkSync(join(w.project, "run.json"), join(w.project, "second"));
  renameSync(join(w.project, "second"), join(w.project, "third"));
  const { notes, text } = await w.run(
    "echo x > run.json; echo evil > third; ln run.json fourth; echo x > hook.sh; true",
  );
  expect(text).toContain("Read-only file system");
  expect(w.read("run.json")).toBe("{}");
  expect(existsSync(join(w.project, "fourth"))).toBe(false);
  expect(existsSync(join(w.project, "hook.sh"))).toBe(false);
  expect(notes?.join("\n")).toContain("which is protected: it was restored");
});

shielded("a project folder that contains a hook script stays writable but cannot be moved", async () => {
  await using w = world({ governing: ({ project }) => [join(project, "tools/check.sh")] });
  mkdirSync(join(w.project, "tools"));
  w.write("tools/check.sh", "true\n");
  w.write("tools/a", "a");
  const moved = await w.run(
    `${GIT} git init -q . && git add . && git mv tools/a b && ln b tools/c && git mv b tools/d`,
  );
  expect(moved).toMatchObject({ code: 0, text: "" });
  const { notes } = await w.run("mv tools t2; mkdir tools; echo evil > tools/check.sh");
  expect(notes?.join("\n")).toContain("so it was moved back");
  expect([w.read("tools/check.sh"), w.read("tools/c")]).toEqual(["true\n", "a"]);
});

shielded("a linked configuration folder cannot be replaced by another", async () => {
  await using w = world();
  mkdirSync(join(w.home, "dotfiles"));
  writeFileSync(join(w.home, "dotfiles/settings.json"), "{}");
  symlinkSync("dotfiles", join(w.home, ".claude"));
  await w.run(
    "rm ~/.claude; mkdir ~/.claude; echo evil > ~/.claude/settings.json; echo evil > ~/dotfiles/settings.json; true",
  );
  expect(realpathSync(join(w.home, ".claude"))).toBe(join(w.home, "dotfiles"));
  expect(readFileSync(join(w.home, ".claude/settings.json"), "utf8")).toBe("{}");
});

shielded("husky: an install may write to `_`, but no hook can be added beside it", async () => {
  await using w = await repository();
  mkdirSync(join(w.project, ".husky"));
  w.write(".husky/pre-commit", "npm test\n");
  chmodSync(join(w.project, ".husky/pre-commit"), 0o755);
  const { notes } = await w.git(
    "mkdir .husky/_ && echo h > .husky/_/h; git config core.hooksPath .husky/_; echo id > .husky/pre-push",
  );
  expect(
    readdirSync(join(w.project, ".husky"))
      .filter((name) => !name.includes("set-aside"))
      .toSorted(),
  ).toEqual(["_", "pre-commit"]);
  expect(w.read(".husky/_/h")).toBe("h\n");
  expect(notes).toContain("core.hookspath");
  expect(notes).toContain("dangerouslyDisableSandbox: true");
});

shielded("hooks in a project folder that git uses stay unchanged", async () => {
  await using w = await repository();
  mkdirSync(join(w.project, ".husky/_"), { recursive: true });
  w.write(".husky/_/pre-commit", "husky\n");
  await w.git("git config core.hooksPath .husky/_", "approved");
  expect((await w.git("echo husky > .husky/_/pre-commit")).notes).toBe("");
  const { notes } = await w.git("echo evil > .husky/_/pre-commit; echo evil > .husky/_/pre-push");
  expect(notes).toContain("pre-commit', which is protected: it was restored");
  expect(notes).toContain("pre-push', which is protected: it was moved");
  expect(w.read(".husky/_/pre-commit")).toBe("husky\n");

  mkdirSync(join(w.project, "githooks"));
  w.write("githooks/pre-commit", "mine\n");
  await w.git("git config core.hooksPath githooks", "approved");
  const refused = await w.git("echo evil > githooks/pre-push; echo evil > githooks/pre-commit; mv githooks x; true");
  expect(refused.text.match(/Read-only file system|Device or resource busy/g)).toHaveLength(3);
});

shielded("the folder of a hook script stays in place, even for a command that starts in it", async () => {
  await using w = world({ governing: ({ project }) => [join(project, "scripts/check.sh")] });
  mkdirSync(join(w.project, "scripts"));
  w.write("scripts/check.sh", "good");
  const swap = "mv ../scripts ../away; mkdir ../scripts; echo evil > ../scripts/check.sh";
  const { notes = [] } = await w.run(swap, "call", join(w.project, "scripts"));
  expect(notes.join("\n")).toContain("so it was moved back");
  expect(w.read("scripts/check.sh")).toBe("good");
});

shielded("an approval applies only to that command, not to others that run at the same time", async () => {
  await using w = await repository();
  // Left running by a command that was not approved.
  const plant = "git config core.fsmonitor evil; echo {} > .mcp.json; touch planted";
  await w.git(`(setsid sh -c 'until [ -e go ]; do sleep 0.01; done; ${plant}; sleep 60' >/dev/null 2>&1 &) ; true`);
  const agreed = "touch go; until [ -e planted ]; do sleep 0.01; done; git config core.hooksPath x; echo 1 > .envrc";
  const { notes } = await w.git(agreed, "approved");
  expect(w.config()).toContain("hooksPath = x");
  expect([w.read(".envrc"), existsSync(join(w.project, ".mcp.json"))]).toEqual(["1\n", false]);
  expect(w.config()).not.toContain("evil");
  expect(notes).toContain("core.fsmonitor. They were restored");
  expect(notes).toContain("stop that process first and run the command again");
  // Longer than the recheck interval.
  await Bun.sleep(1_500);
  expect([(await w.git("cat .envrc .git/config")).text.match(/^1|hooksPath = x/gm), w.warnings]).toEqual([
    ["1", "hooksPath = x"],
    [],
  ]);
});

shielded("what a person saves in a stand-in folder stays there", async () => {
  await using w = world({ governing: ({ project }) => [join(project, ".claude/settings.local.json")] });
  const running = w.run("until [ -e go ]; do sleep 0.01; done");
  await until(() => existsSync(join(w.project, ".claude")));
  w.write(".claude/settings.local.json", "{}");
  w.write("go", "");
  expect((await running).notes).toBeUndefined();
  expect((await w.run("echo x > .claude/settings.local.json; true")).text).toContain("Read-only file system");
  expect(readdirSync(w.project).toSorted()).toEqual([".claude", "go"]);
});

shielded("an approved background command does not stop us from watching others", async () => {
  await using w = await repository();
  const long = w.git("until [ -e stop ]; do sleep 0.01; done", "approved");
  const { notes } = await w.git("git config core.fsmonitor evil; echo {} > .mcp.json");
  expect(notes).toContain("core.fsmonitor. They were restored");
  expect(notes).toContain(".mcp.json', which is protected: it was moved");
  w.write("stop", "");
  expect((await long).notes).toBe("");
  expect([w.config().includes("evil"), existsSync(join(w.project, ".mcp.json"))]).toEqual([false, false]);
});

shielded("a conflict in .gitmodules stays, and a copy of an unreadable config is kept", async () => {
  await using w = await repository();
  const commit = (text: string) =>
    `printf '[submodule "a"]\\n\\tpath = ${text}\\n' > .gitmodules; git add . && git commit -qm ${text}`;
  await w.git(`${commit("a")}; git checkout -qb other; ${commit("b")}; git checkout -q main; ${commit("c")}`);
  const { notes, text } = await w.git("git merge other");
  expect([notes, text.includes("CONFLICT"), w.read(".gitmodules").includes("<<<<<<<")]).toEqual(["", true, true]);

  const broken = await w.git("git config user.name me; echo '[user' >> .git/config");
  expect(broken.notes).toContain("a line that git cannot read. They were restored. A copy of the changed file is in");
  const [kept] = readdirSync(join(w.project, ".git")).filter((name) => name.startsWith("config.set-aside-"));
  expect([w.read(`.git/${kept}`).includes("name = me"), w.config().includes("name = me")]).toEqual([true, false]);
});
