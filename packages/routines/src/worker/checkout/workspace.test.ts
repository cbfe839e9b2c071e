import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkOut } from "./checkout.ts";
import { createGit } from "./git.ts";
import { testRepository } from "./repository.test-support.ts";
import { readSource } from "./source.ts";
import { keepWorkspace, restoreWorkspace } from "./workspace.ts";

async function world() {
  const origin = testRepository();
  origin.commit({ "a.txt": "one\n", "sub/b.txt": "two\n" });
  const scratch = join(origin.root, "scratch");
  mkdirSync(scratch);
  const git = createGit({ git: Bun.which("git")!, bwrap: Bun.which("bwrap")! });
  const { signal } = new AbortController();
  const tools = { git, scratch, signal };
  const out = async (name: string) =>
    checkOut(readSource({ url: origin.url }), join(origin.root, name), "claude/x-1", {
      ...tools,
      mirrors: join(origin.root, "mirrors"),
      credential: async () => undefined,
    });
  const inside = (folder: string, ...args: string[]) =>
    Bun.spawnSync(["git", "-C", folder, ...args])
      .stdout.toString()
      .trim();
  return { origin, tools, out, inside, [Symbol.dispose]: () => origin[Symbol.dispose]() };
}

test("another checkout gets the files, commits, branch and index as they were", async () => {
  using at = await world();
  const first = await at.out("first");
  const keeper = await keepWorkspace(first, at.tools);
  writeFileSync(join(first.folder, "new.txt"), "new\n");
  at.inside(first.folder, "checkout", "-qb", "topic/one");
  at.inside(first.folder, "add", "new.txt");
  at.inside(first.folder, "commit", "-qm", "Add");
  writeFileSync(join(first.folder, "a.txt"), "changed\n");
  rmSync(join(first.folder, "sub"), { recursive: true });
  const bundle = (await keeper.bundle())!;
  expect(await keeper.bundle()).toBeUndefined();

  const second = await at.out("second");
  await restoreWorkspace(second, bundle, at.tools);
  const seen = (folder: string) => [
    at.inside(folder, "symbolic-ref", "HEAD"),
    at.inside(folder, "rev-parse", "HEAD", "refs/heads/claude/x-1"),
    at.inside(folder, "status", "--short"),
    readFileSync(join(folder, "a.txt"), "utf8"),
    at.inside(folder, "for-each-ref", "refs/keelson"),
  ];
  expect(seen(second.folder)).toEqual(seen(first.folder));
  expect(seen(second.folder)[0]).toBe("refs/heads/topic/one");
});

test("what a setup script left in the repository starts nothing outside, and a pipe in the place of the index keeps nobody waiting", async () => {
  using at = await world();
  const first = await at.out("first");
  const keeper = await keepWorkspace(first, at.tools);
  writeFileSync(join(first.folder, "a.txt"), "changed\n");
  const bundle = (await keeper.bundle())!;

  const second = await at.out("second");
  const mark = join(at.origin.root, "ran");
  const program = join(second.folder, "program");
  writeFileSync(program, `#!/bin/sh\necho ran > ${mark}\necho ran > /repository/ran\ncat\n`, { mode: 0o755 });
  at.inside(second.folder, "config", "filter.evil.smudge", `sh -c '${program} || /repository/program'`);
  at.inside(second.folder, "config", "core.fsmonitor", program);
  writeFileSync(join(second.folder, ".git/info/attributes"), "* filter=evil\n");
  await restoreWorkspace(second, bundle, at.tools);
  expect(existsSync(mark)).toBe(false);
  // The filter did run, where it reaches nothing.
  expect(existsSync(join(second.folder, "ran"))).toBe(true);
  expect(readFileSync(join(second.folder, "a.txt"), "utf8")).toBe("changed\n");

  const third = await at.out("third");
  rmSync(join(third.folder, ".git/index"));
  Bun.spawnSync(["mkfifo", join(third.folder, ".git/index")]);
  const ending = new AbortController();
  const waiting = keepWorkspace(third, { ...at.tools, signal: ending.signal }).catch((error: Error) => error);
  ending.abort(new Error("the lease was lost"));
  expect(await waiting).toMatchObject({ message: "the lease was lost" });
});
