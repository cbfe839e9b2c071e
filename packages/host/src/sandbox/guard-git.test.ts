// Which repositories are guarded: every one that git could find from where a command runs. Real commands.

import { expect, setDefaultTimeout } from "bun:test";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gitFolders } from "./git-folders.ts";
import { shielded, world } from "./shield.test-support.ts";

setDefaultTimeout(30_000);

const EVIL = "[core]\\n\\tfsmonitor = evil\\n";
const sh = (cwd: string, command: string) => Bun.spawnSync(["sh", "-c", command], { cwd }).stdout.toString();

shielded("a repository that appears in a subfolder does not take the guard off the one above", async () => {
  await using w = world({ inside: "sub" });
  mkdirSync(join(w.project, "sub"));
  sh(w.project, "git init -q .");
  await w.run("mkdir .git");
  const plant = "git -C .. config core.fsmonitor evil; cd ../.git; mkdir -p hooks; echo evil > hooks/pre-commit";
  const { notes = [], text } = await w.run(plant);
  expect(text).toContain("Read-only file system");
  expect(notes.join()).toContain("core.fsmonitor. They were put back");
  expect(w.read(".git/config")).not.toContain("evil");
});

shielded("a bare repository is guarded where it is the working directory, and where a command makes one", async () => {
  await using w = world();
  sh(w.project, "git init -q --bare .");
  const plant =
    "git config core.sshCommand evil; mkdir -p hooks; echo evil > hooks/pre-receive; git config user.name me";
  const { notes = [], text } = await w.run(plant);
  expect(text).toContain("Read-only file system");
  expect(notes.join()).toContain("core.sshcommand. They were put back");
  expect([w.read("config").includes("evil"), w.read("config").includes("name = me")]).toEqual([false, true]);

  await using other = world();
  const make = `mkdir -p objects refs hooks; echo evil > hooks/pre-commit; printf '${EVIL}' > config; echo 'ref: refs/heads/x' > HEAD`;
  const made = await other.run(make);
  expect(made.notes?.join()).toContain("core.fsmonitor. They were put back");
  expect(readdirSync(join(other.project, "hooks")).filter((name) => !name.includes("set-aside"))).toEqual([]);
});

shielded("submodules are checked however many there are and however deep their names", async () => {
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
  // One that is no repository yet, and becomes one step by step.
  await w.run("mkdir -p .git/modules/late; echo ref: > .git/modules/late/HEAD");
  await w.run("mkdir -p .git/modules/late/hooks; echo evil > .git/modules/late/hooks/post-checkout");
  expect(existsSync(join(w.project, ".git/modules/late/hooks"))).toBe(false);
});

shielded("links that lead round in circles end the search", async () => {
  await using w = world();
  sh(
    w.project,
    "git init -q . && mkdir -p .git/modules/a && ln -s ../.. .git/modules/a/x && ln -s .. .git/modules/a/y",
  );
  expect(gitFolders(w.project).flatMap(({ unseen }) => unseen)).toEqual([]);
});
