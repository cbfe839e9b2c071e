import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createSearch } from "@keelson/host";
import { scratchCopy } from "./scratch-copy.ts";

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-original-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(path: string, text = path): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const search = createSearch({ env: process.env });
const copyOf = (signal = new AbortController().signal) => scratchCopy(root, search, signal);
const filesIn = (dir: string) =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name).slice(dir.length + 1))
    .toSorted();

test("scratchCopy() copies what git would show and the hooks in .claude, and lists what it left out", async () => {
  put(".gitignore", "node_modules\n.claude/\n*.log\n");
  chmodSync(put("src/run.sh"), 0o755);
  put(".env");
  put(".claude/hooks/guard.sh");
  put("node_modules/x/index.js");
  put("debug.log");
  symlinkSync("/etc/hostname", join(root, "link"));
  mkdirSync(join(root, "empty"));
  truncateSync(put("large.bin"), 17 * 1024 * 1024);

  const copy = await copyOf();
  try {
    expect(filesIn(copy.dir)).toEqual([".claude/hooks/guard.sh", ".env", ".gitignore", "src/run.sh"]);
    expect(statSync(join(copy.dir, "src/run.sh")).mode & 0o777).toBe(0o755);
    expect({ files: copy.files, leftOut: copy.leftOut, transcript: readFileSync(copy.transcript, "utf8") }).toEqual({
      files: 4,
      leftOut: [
        "1 file larger than 16 MB",
        expect.stringMatching(/^(debug\.log|empty|link|node_modules|, ){7} \(ignored, empty or links\)$/),
      ],
      transcript: "",
    });
    expect(statSync(dirname(copy.dir)).mode & 0o777).toBe(0o700);
    writeFileSync(join(copy.dir, "src/run.sh"), "changed");
    expect(readFileSync(join(root, "src/run.sh"), "utf8")).toBe("src/run.sh");
  } finally {
    await copy.remove();
  }
  expect(existsSync(dirname(copy.dir))).toBe(false);
});

test("git works in the copy and leaves the original alone", async () => {
  const git = (cwd: string, ...words: string[]) =>
    Bun.spawnSync(["git", ...words], { cwd, env: { PATH: process.env["PATH"], HOME: root, GIT_CONFIG_NOSYSTEM: "1" } });
  git(root, "init", "-q");
  put("a.txt");
  git(root, "add", "a.txt");
  const copy = await copyOf();
  try {
    expect(git(copy.dir, "status", "--porcelain").stdout.toString()).toBe("A  a.txt\n");
    git(copy.dir, "rm", "-q", "--cached", "a.txt");
    expect(git(root, "status", "--porcelain").stdout.toString()).toBe("A  a.txt\n");
    expect(copy.leftOut).toEqual([]);
  } finally {
    await copy.remove();
  }
});

test.each([
  ["a worktree", () => put(".git", "gitdir: /elsewhere\n"), "the git repository, which is in another folder"],
  [
    "a repository of another folder",
    () => put(".git/config", "[core]\n\tworktree = /elsewhere\n"),
    "the git repository, whose worktree is another folder",
  ],
])("the repository of %s is not copied, because hooks would change the real one", async (_, make, leftOut) => {
  make();
  const copy = await copyOf();
  await copy.remove();
  expect({ leftOut: copy.leftOut, files: copy.files }).toEqual({ leftOut: [leftOut], files: 0 });
});

test("an aborted copy is removed", async () => {
  put("a.txt");
  const scratch = () => readdirSync(tmpdir()).filter((name) => name.startsWith("keelson-hooks-"));
  const before = new Set(scratch());
  await expect(copyOf(AbortSignal.abort())).rejects.toThrow("abort");
  expect(scratch().filter((name) => !before.has(name) && existsSync(join(tmpdir(), name, "project/a.txt")))).toEqual(
    [],
  );
});
