// Which memory a folder gets, and how much of it is shown.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { load } from "../load/load.ts";
import { loadInstructions, memoryDirectory } from "./instructions.ts";
import { memoryHead } from "./memory.ts";
import { repositoryRoot } from "./files/repository.ts";

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-memory-")));
  for (const name of ["home", "main"]) mkdirSync(join(root, name));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(path: string, text: string | object = path): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof text === "string" ? text : JSON.stringify(text));
  return file;
}

function git(...argv: string[]) {
  const env = { PATH: process.env["PATH"]!, HOME: join(root, "home"), GIT_CONFIG_NOSYSTEM: "1" };
  const { exitCode, stderr } = Bun.spawnSync(["git", ...argv], { cwd: join(root, "main"), env });
  if (exitCode !== 0) throw new Error(stderr.toString());
}

function repository() {
  git("init", "-q");
  git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "one");
  git("worktree", "add", "-q", join(root, "tree"));
}

const projectDirectory = (path: string) => join(root, "home/.claude/projects", path.replace(/[^a-zA-Z0-9]/g, "-"));
const memoryOf = (path: string) => join(projectDirectory(join(root, path)), "memory");

function snapshot(cwd = "main", env: Record<string, string> = {}, flags = {}) {
  const places = { cwd: join(root, cwd), home: join(root, "home"), managedDir: join(root, "managed") };
  return load({ ...places, env, flags, platform: "linux" });
}

test("all worktrees and subfolders of a repository share one memory", () => {
  repository();
  mkdirSync(join(root, "main/deep/er"), { recursive: true });
  mkdirSync(join(root, "tree/sub"));
  for (const cwd of ["main", "main/deep/er", "tree", "tree/sub"])
    expect(memoryDirectory(snapshot(cwd), projectDirectory)).toBe(memoryOf("main"));
  mkdirSync(join(root, "alone"));
  expect(memoryDirectory(snapshot("alone"), projectDirectory)).toBe(memoryOf("alone"));
});

test("a folder that only claims to be a worktree gets its own memory", () => {
  repository();
  // It names a worktree of another folder, a fake one, or a missing one.
  const claims = [
    join(root, "main/.git/worktrees/tree"),
    join(root, "forged/fake"),
    join(root, "main/.git/worktrees/none"),
    join(root, "main/.git"),
    "../main/.git/worktrees/tree",
  ];
  for (const claim of claims) {
    put("forged/.git", `gitdir: ${claim}\n`);
    put("forged/fake/gitdir", `${join(root, "forged/.git")}\n`);
    put("forged/fake/commondir", `${join(root, "main/.git")}\n`);
    expect(repositoryRoot(join(root, "forged"))).toBe(join(root, "forged"));
  }
  rmSync(join(root, "forged/.git"));
  symlinkSync(join(root, "tree/.git"), join(root, "forged/.git"));
  expect(repositoryRoot(join(root, "forged"))).toBe(join(root, "forged"));
  rmSync(join(root, "forged/.git"));
  Bun.spawnSync(["mkfifo", join(root, "forged/.git")]);
  expect(repositoryRoot(join(root, "forged"))).toBe(join(root, "forged"));
});

test("memory can be turned off, and moved by trusted settings", () => {
  const off = { CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1" };
  expect(memoryDirectory(snapshot("main", off), projectDirectory)).toBeUndefined();
  expect(memoryDirectory(snapshot("main", {}, { bare: true }), projectDirectory)).toBeUndefined();
  put("main/.claude/settings.json", { autoMemoryDirectory: join(root, "taken/over") });
  expect(memoryDirectory(snapshot(), projectDirectory)).toBe(memoryOf("main"));
  put("home/.claude/settings.json", { autoMemoryDirectory: "~/notes/here" });
  expect(memoryDirectory(snapshot(), projectDirectory)).toBe(join(root, "home/notes/here"));
  for (const wide of ["/", "~/", "/etc", "relative/path"]) {
    put("home/.claude/settings.json", { autoMemoryDirectory: wide });
    expect(memoryDirectory(snapshot(), projectDirectory)).toBe(memoryOf("main"));
  }
  put("home/.claude/settings.json", { autoMemoryEnabled: false });
  expect(memoryDirectory(snapshot(), projectDirectory)).toBeUndefined();
});

test("the index is read as is, includes nothing, and cannot link out of its folder", () => {
  const folder = memoryOf("main").slice(root.length + 1);
  put(`${folder}/MEMORY.md`, "- [a](a.md) @a.md");
  put(`${folder}/a.md`);
  const open = () => loadInstructions(snapshot(), { projectDirectory });
  expect(open().files.map(({ text }) => text)).toEqual(["- [a](a.md) @a.md"]);
  rmSync(join(root, folder, "MEMORY.md"));
  symlinkSync(put("home/secret.md"), join(root, folder, "MEMORY.md"));
  expect(open().files).toEqual([]);
  expect(open().notices).toEqual([
    `Instruction file ${root}/${folder}/MEMORY.md: it links to ${root}/home/secret.md, outside the memory folder`,
  ]);
});

test("headOf() keeps 200 lines or 25 KB and adds a warning", () => {
  const lines = (count: number, line = "- a fact") => `${line}\n`.repeat(count);
  expect(memoryHead(lines(200))).toBe(lines(200));
  const long = memoryHead(lines(260)).split("\n");
  expect(long.length).toBe(202);
  expect(long.at(-1)).toStartWith("> WARNING: MEMORY.md is 260 lines (limit: 200). ");
  const wide = memoryHead(lines(100, "é".repeat(500)));
  expect(wide.split("\n").slice(0, -2)).toEqual(Array.from({ length: 24 }, () => "é".repeat(500)));
  expect(wide).toContain("> WARNING: MEMORY.md is 100.1 KB (limit: 25 KB). ");
  expect(memoryHead(lines(300, "x".repeat(200)))).toContain("is 300 lines (limit: 200) and 60.3 KB (limit: 25 KB). ");
  expect(Buffer.byteLength(memoryHead("é".repeat(20_000)))).toBeLessThan(25_300);
});
