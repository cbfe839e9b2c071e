// Many worktrees at once, made by several processes, some of which are killed: no work is lost, the main checkout stays as
// it is, and nothing stale remains.

import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { scratch } from "./repository.test-support.ts";

const { project, git, write, commit, create, remove, sweep, worktrees, branches, environment } = scratch();

const fingerprint = (root: string) => ({
  status: git(root, "--no-optional-locks", "status", "--porcelain", "--untracked-files=all", "--branch"),
  head: readFileSync(join(root, ".git/HEAD"), "utf8"),
  index: readFileSync(join(root, ".git/index")).toString("base64"),
  reflogs: [
    readFileSync(join(root, ".git/logs/HEAD"), "utf8"),
    readFileSync(join(root, ".git/logs/refs/heads/main"), "utf8"),
  ],
  config: readFileSync(join(root, ".git/config"), "utf8"),
  files: readdirSync(root)
    .filter((name) => name !== ".claude")
    .toSorted(),
});

/** A process that makes worktrees, says so, and waits to be killed. */
const MAKER = `
import { createWorktree } from ${JSON.stringify(join(import.meta.dir, "index.ts"))};
const [root, home, ...names] = process.argv.slice(2);
for (const name of names) {
  await createWorktree({ root, name, baseRef: "fresh", env: { PATH: process.env.PATH }, home });
  console.log(name);
}
setInterval(() => {}, 1 << 30);
`;

/** A process that makes one worktree, says how it went, and stays until its input ends. */
const ONE = `
import { createWorktree } from ${JSON.stringify(join(import.meta.dir, "index.ts"))};
const [root, home] = process.argv.slice(2);
try {
  const options = { root, name: "same", baseRef: "fresh", env: { PATH: process.env.PATH }, home };
  const { isExisting } = await createWorktree(options);
  console.log(isExisting ? "taken" : "made");
} catch (error) {
  console.log("refused", error.message);
}
for await (const _ of Bun.stdin.stream());
`;

test("100 worktrees, some with commits, some dirty, some of killed owners", async () => {
  const root = project();
  const script = join(environment.home, "maker.ts");
  write(script, MAKER);
  const before = fingerprint(root);
  const names = Array.from({ length: 100 }, (_, at) => `agent-${String(at).padStart(3, "0")}`);
  const [mine, theirs] = [names.slice(0, 60), names.slice(60)];

  const makers = [0, 1, 2, 3].map((at) => {
    const own = theirs.filter((_, index) => index % 4 === at);
    const command = [process.execPath, "run", script, root, environment.home, ...own];
    return {
      own,
      child: Bun.spawn(command, { env: { PATH: process.env["PATH"]! }, stdout: "pipe", stderr: "inherit" }),
    };
  });
  const made = [];
  // Four at a time, beside the four processes.
  for (let at = 0; at < mine.length; at += 4) {
    made.push(...(await Promise.all(mine.slice(at, at + 4).map((name) => create(root, { name })))));
  }
  // Two are killed when they are done, two in the middle of their work.
  for (const [at, { own, child }] of makers.entries()) {
    const wanted = at < 2 ? own.length : 3;
    let said = 0;
    for await (const chunk of child.stdout) {
      said += new TextDecoder().decode(chunk).split("\n").length - 1;
      if (said >= wanted) break;
    }
    child.kill("SIGKILL");
    await child.exited;
  }
  expect(fingerprint(root)).toEqual(before);
  expect(made.every(({ isExisting }) => !isExisting)).toBe(true);

  const pathOf = (name: string) => join(root, ".claude/worktrees", name);
  const all = names.filter((name) => existsSync(pathOf(name)));
  const isCommitted = (name: string) => Number(name.slice(-3)) % 5 === 1;
  const isDirty = (name: string) => Number(name.slice(-3)) % 5 === 3;
  const isWhole = (name: string) =>
    existsSync(join(pathOf(name), "src/b.txt")) && existsSync(join(root, ".git/worktrees", name, "index"));
  const worked = all.filter((name) => (isCommitted(name) || isDirty(name)) && isWhole(name));
  for (const name of worked) {
    if (isCommitted(name)) commit(pathOf(name), `${name}.txt`, name);
    else write(join(pathOf(name), `${name}.txt`), name);
  }

  const ended = await Promise.allSettled(mine.map((name) => remove(root, pathOf(name), `worktree-${name}`)));
  expect(ended.filter(({ status }) => status === "rejected")).toHaveLength(
    mine.filter((name) => worked.includes(name)).length,
  );
  await sweep(root);
  await sweep(root);

  for (const name of worked) {
    const text = isCommitted(name)
      ? git(root, "show", `worktree-${name}:${name}.txt`)
      : readFileSync(join(pathOf(name), `${name}.txt`), "utf8");
    expect(text).toBe(name);
  }
  const kept = worked.map(pathOf);
  expect(worktrees(root).toSorted()).toEqual([root, ...kept].toSorted());
  expect(branches(root).toSorted()).toEqual(["main", ...worked.map((name) => `worktree-${name}`)].toSorted());
  expect(readdirSync(join(root, ".git/worktrees")).toSorted()).toEqual(worked.toSorted());
  expect(readdirSync(join(root, ".claude/worktrees")).toSorted()).toEqual([".gitignore", ...worked].toSorted());
  expect(fingerprint(root)).toEqual(before);
  expect(git(root, "fsck", "--connectivity-only")).not.toContain("missing");
});

test("of several processes that make the same worktree, one gets it, whole and with its branch", async () => {
  const root = project();
  const script = join(environment.home, "one.ts");
  write(script, ONE);
  const command = [process.execPath, "run", script, root, environment.home];
  const makers = Array.from({ length: 6 }, () =>
    Bun.spawn(command, { env: { PATH: process.env["PATH"]! }, stdin: "pipe" }),
  );
  const answers = await Promise.all(
    makers.map(async ({ stdout }) => {
      for await (const chunk of stdout) return new TextDecoder().decode(chunk).trim();
      return "";
    }),
  );
  expect(answers.filter((answer) => answer === "made")).toHaveLength(1);
  expect(answers.filter((answer) => answer.startsWith("refused"))).toHaveLength(5);
  for (const { stdin } of makers) void stdin.end();
  await Promise.all(makers.map(({ exited }) => exited));
  const path = join(root, ".claude/worktrees/same");
  expect(git(path, "status", "--porcelain", "--branch")).toBe("## worktree-same\n");
  expect([worktrees(root), branches(root)]).toEqual([
    [root, path],
    ["main", "worktree-same"],
  ]);
});
