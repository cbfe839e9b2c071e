// Guards every repository that git could find from where a command runs. Runs real commands.

import { expect } from "bun:test";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryFolders } from "./git-folders.ts";
import { shielded, world } from "../shield/shield.test-support.ts";

const EVIL = "[core]\\n\\tfsmonitor = evil\\n";
const sh = (cwd: string, command: string) => Bun.spawnSync(["sh", "-c", command], { cwd }).stdout.toString();

shielded("a new repository in a subfolder does not remove the guard from the one above", async () => {
  await using w = world({ inside: "sub" });
  mkdirSync(join(w.project, "sub"));
  sh(w.project, "git init -q .");
  await w.run("mkdir .git");
  const plant = "git -C .. config core.fsmonitor evil; cd ../.git; mkdir -p hooks; echo evil > hooks/pre-commit";
  const { notes = [], text } = await w.run(plant);
  expect(text).toContain("Read-only file system");
  expect(notes.join()).toContain("core.fsmonitor. They were restored");
  expect(w.read(".git/config")).not.toContain("evil");
});

shielded("a bare repository is guarded as the working directory, and when a command creates one", async () => {
  await using w = world();
  sh(w.project, "git init -q --bare .");
  const plant =
    "git config core.sshCommand evil; mkdir -p hooks; echo evil > hooks/pre-receive; git config user.name me";
  const { notes = [], text } = await w.run(plant);
  expect(text).toContain("Read-only file system");
  expect(notes.join()).toContain("core.sshcommand. They were restored");
  expect([w.read("config").includes("evil"), w.read("config").includes("name = me")]).toEqual([false, true]);

  await using other = world();
  const make = `mkdir -p objects refs hooks; echo evil > hooks/pre-commit; printf '${EVIL}' > config; echo 'ref: refs/heads/x' > HEAD`;
  const made = await other.run(make);
  expect(made.notes?.join()).toContain("core.fsmonitor. They were restored");
  expect(readdirSync(join(other.project, "hooks")).filter((name) => !name.includes("set-aside"))).toEqual([]);
});

shielded("submodules are checked however many there are and however deep their paths", async () => {
  await using w = world();
  sh(w.project, "git init -q .");
  const names = [...Array.from({ length: 70 }, (_, at) => `m${at}`), "a/b/c/d/e/f"];
  for (const name of names) {
    mkdirSync(join(w.project, ".git/modules", name, "hooks"), { recursive: true });
    writeFileSync(join(w.project, ".git/modules", name, "HEAD"), "ref: refs/heads/main\n");
  }
  const folder = '.git/modules/"$m"';
  const plant = `printf '${EVIL}' > ${folder}/config; echo evil > ${folder}/hooks/post-checkout`;
  await w.run(`for m in ${names.join(" ")}; do ${plant}; done 2>/dev/null; true`);
  expect(sh(w.project, "grep -rl evil .git/modules --include=config --include=post-checkout")).toBe("");
  // It is not a repository yet, and becomes one step by step.
  await w.run("mkdir -p .git/modules/late; echo ref: > .git/modules/late/HEAD");
  await w.run("mkdir -p .git/modules/late/hooks; echo evil > .git/modules/late/hooks/post-checkout");
  expect(existsSync(join(w.project, ".git/modules/late/hooks"))).toBe(false);
});

shielded("a cycle of links ends the search", async () => {
  await using w = world();
  sh(
    w.project,
    "git init -q . && mkdir -p .git/modules/a && ln -s ../.. .git/modules/a/x && ln -s .. .git/modules/a/y",
  );
  expect(repositoryFolders(w.project).flatMap(({ unseen }) => unseen)).toEqual([]);
});

shielded("files and hooks that the settings refer to are guarded wherever they are", async () => {
  await using w = world();
  sh(w.project, "git init -q . && mkdir shared && touch shared/git.cfg && git config include.path ../shared/git.cfg");
  sh(w.home, "mkdir hooks dots; touch hooks/pre-commit");
  writeFileSync(join(w.home, ".gitconfig"), "[include]\n\tpath = dots/a\n[core]\n\thooksPath = ~/hooks\n");
  writeFileSync(join(w.home, "dots/a"), '[includeIf "gitdir:~/"]\n\tpath = b\n');
  const names = ["shared/git.cfg", "~/dots/a", "~/hooks/pre-commit", "~/hooks/pre-push"];
  const { text } = await w.run(names.map((name) => `echo evil > ${name}`).join("; "));
  expect(text.match(/Read-only file system/g)).toHaveLength(names.length);
  const { notes = [] } = await w.run("echo evil > ~/dots/b");
  expect(notes.join()).toContain("dots/b', which is protected: it was moved");
  // The folders around them stay writable.
  expect((await w.run("touch shared/x ~/dots/x && mv shared/x x && mv ~/dots/x ~/x")).code).toBe(0);
});

shielded("hooks in a folder that contains the work tree do not make it read-only", async () => {
  await using w = world();
  sh(w.project, "git init -q . && git config core.hooksPath .. && mkdir .git/x");
  expect((await w.run("touch a && git add a")).code).toBe(0);
});
