import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { answer, call, toolWorld, type World } from "../tool-world.test-support.ts";
import type { GrepInput } from "./args.ts";
import { grepTool } from "./grep.ts";

function tree(world: World): void {
  mkdirSync(world.path(".git"));
  world.put(".git/config", "needle");
  world.put(".gitignore", "ignored.txt\n");
  world.put("ignored.txt", "needle");
  world.put("b.ts", "one\nneedle two needle\nthree\n\n\n\nNeedle\n", { ageSeconds: 30 });
  world.put("src/a.ts", "x\nneedle\n", { ageSeconds: 20 });
  world.put(".hidden/c.py", "needle\n", { ageSeconds: 10 });
}

const ask = (world: World, input: Omit<GrepInput, "pattern"> & { pattern?: string }) =>
  answer(grepTool, { pattern: "needle", ...input }, world.context);

test("lists matching files newest first, without ignored ones", async () => {
  using world = toolWorld();
  tree(world);
  expect(await call(grepTool, { pattern: "needle" }, world.context)).toEqual({
    mode: "files_with_matches",
    filenames: [".hidden/c.py", "src/a.ts", "b.ts"],
    numFiles: 3,
    totalFiles: 3,
  });
  expect(await ask(world, {})).toBe("Found 3 files\n.hidden/c.py\nsrc/a.ts\nb.ts");
  expect(await ask(world, { head_limit: 2 })).toBe(
    "Found 3 files\n.hidden/c.py\nsrc/a.ts\n\n(Files 1–2 of 3. The next offset is 2.)",
  );
  expect(await ask(world, { head_limit: 1, offset: 1 })).toBe(
    "Found 3 files\nsrc/a.ts\n\n(File 2 of 3. The next offset is 2.)",
  );
  expect(await ask(world, { pattern: "nothing" })).toBe("No files found");
});

test("content shows lines ordered by file, with a dash before context lines", async () => {
  using world = toolWorld();
  tree(world);
  const content = (input: object) => ask(world, { output_mode: "content", ...input });
  expect(await content({})).toBe(".hidden/c.py:1:needle\nb.ts:2:needle two needle\nsrc/a.ts:2:needle");
  expect(await content({ "-n": false, "-o": true, path: "src" })).toBe("src/a.ts:needle");
  expect(await content({ "-i": true, "-C": 1, glob: "*.ts" })).toBe(
    "b.ts-1-one\nb.ts:2:needle two needle\nb.ts-3-three\n--\nb.ts-6-\nb.ts:7:Needle\n--\nsrc/a.ts-1-x\nsrc/a.ts:2:needle",
  );
  expect(await content({ path: "b.ts", "-A": 1 })).toBe("2:needle two needle\n3-three");
  expect(await content({ path: "b.ts", "-B": 1, "-n": false })).toBe("one\nneedle two needle");
  expect(await content({ head_limit: 1, offset: 1 })).toBe(
    "b.ts:2:needle two needle\n\n(Line 2 of 3. The next offset is 2.)",
  );
  expect(await content({ pattern: "nothing" })).toBe("No matches found");
  expect(await call(grepTool, { pattern: "needle", output_mode: "content", head_limit: 2 }, world.context)).toEqual({
    mode: "content",
    numFiles: 0,
    filenames: [],
    content: ".hidden/c.py:1:needle\nb.ts:2:needle two needle",
    numLines: 2,
    appliedLimit: 2,
    totalLines: 3,
  });
});

test("count shows matches per file and the total", async () => {
  using world = toolWorld();
  tree(world);
  const count = (input: object) => ask(world, { output_mode: "count", ...input });
  expect(await count({ "-i": true })).toBe(
    ".hidden/c.py:1\nb.ts:2\nsrc/a.ts:1\n\nFound 4 total occurrences across 3 files.",
  );
  expect(await count({ path: "src/a.ts" })).toBe("src/a.ts:1\n\nFound 1 total occurrence across 1 file.");
  expect(await count({ head_limit: 1 })).toBe(
    ".hidden/c.py:1\n\nFound 1 total occurrence across 1 file.\n\n(File 1 of 3. The next offset is 1.)",
  );
  expect(await count({ pattern: "nothing" })).toBe("No matches found");
});

test("a search through a link shows paths as they were requested", async () => {
  using world = toolWorld();
  world.put("real/a.ts", "needle\n");
  symlinkSync("real", world.path("link"));
  symlinkSync("real/a.ts", world.path("b.ts"));
  expect(await ask(world, { path: "link" })).toBe("Found 1 file\nlink/a.ts");
  expect(await ask(world, { path: "link", output_mode: "content" })).toBe("link/a.ts:1:needle");
  expect(await ask(world, { path: "link", glob: "real/*", output_mode: "content" })).toBe("link/a.ts:1:needle");
  expect(await ask(world, { path: "b.ts", output_mode: "count" })).toStartWith("b.ts:1\n");
});

test("a glob with a slash is relative to the working directory, wherever the search starts", async () => {
  using world = toolWorld();
  for (const name of ["src/a.ts", "src/deep/b.ts"]) world.put(name, "needle");
  expect(await ask(world, { path: "src", glob: "src/*.ts" })).toBe("Found 1 file\nsrc/a.ts");
  expect(await ask(world, { path: "src", glob: "**/deep/*.ts" })).toBe("Found 1 file\nsrc/deep/b.ts");
  expect(await ask(world, { path: "src", glob: "deep/*.ts" })).toBe("No files found");
});

test("type, glob and path narrow the search", async () => {
  using world = toolWorld();
  tree(world);
  expect(await ask(world, { type: "py" })).toBe("Found 1 file\n.hidden/c.py");
  expect(await ask(world, { glob: "*.py, *.js" })).toBe("Found 1 file\n.hidden/c.py");
  expect(await ask(world, { glob: "*.{py,ts} !b.ts" })).toBe("Found 2 files\n.hidden/c.py\nsrc/a.ts");
  expect(await ask(world, { path: world.path("src") })).toBe("Found 1 file\nsrc/a.ts");
  const inside = { ...world.context, workspace: { ...world.context.workspace, cwd: world.path("src") } };
  expect(await answer(grepTool, { pattern: "needle", path: "..", glob: "b.ts" }, inside)).toBe(
    `Found 1 file\n${world.path("b.ts")}`,
  );
  expect(grepTool.access({ pattern: "x", path: ".." }, inside)).toEqual({ kind: "read", path: world.cwd });
});

test("a pattern may match across lines, start with a dash, and match in long lines", async () => {
  using world = toolWorld();
  world.put("a.txt", `one\ntwo\n--flag\n${"x".repeat(900)}long\n`);
  const content = (input: object) => ask(world, { output_mode: "content", path: "a.txt", ...input });
  expect(await content({ pattern: "one.two", multiline: true })).toBe("1:one\n2:two");
  expect(await content({ pattern: "--flag" })).toBe("3:--flag");
  expect(await content({ pattern: "^x+" })).toBe(`4:${"x".repeat(500)} [... omitted end of long line]`);
});

test("unusual file names are shown unchanged", async () => {
  using world = toolWorld();
  world.put("a:1:b-2-.txt", "needle\n");
  world.put("-dash.txt", "needle\n");
  expect(await ask(world, { output_mode: "content" })).toBe("-dash.txt:1:needle\na:1:b-2-.txt:1:needle");
  expect(await ask(world, { output_mode: "content", path: "-dash.txt" })).toBe("1:needle");
});

test("explains why a path or pattern cannot be searched", async () => {
  using world = toolWorld();
  world.put("a.txt", "x");
  expect(await ask(world, { path: "none" })).toBe(
    `refused: Path does not exist: none. Note: your current working directory is ${world.cwd}.`,
  );
  expect(await ask(world, { path: "/dev/zero" })).toBe("refused: Path is not a file or folder: /dev/zero");
  expect(await ask(world, { path: "/proc/self/environ" })).toBe(
    "refused: Cannot search '/proc/self/environ': /proc contains running processes, not files.",
  );
  expect(await ask(world, { pattern: "a(" })).toBe(
    "failed: regex parse error:\n    (?:a()\n    ^\nerror: unclosed group",
  );
  expect(await ask(world, { type: "zork" })).toBe("failed: unrecognized file type: zork");
  expect(await ask(world, { pattern: "a\\nb" })).toContain("Set multiline to true");
  expect(await ask(world, { pattern: "a(?=b)" })).toContain("Look-around and backreferences are not supported");
  expect(await ask(world, { pattern: "a".repeat(200_000) })).toBe("failed: The pattern is too long; shorten it");
});

test("a search from the root stays on one file system, which excludes /proc", async () => {
  using world = toolWorld();
  let asked: readonly string[] = [];
  const run = async (args: readonly string[]) => {
    asked = args;
    return { code: 1, stdout: "", stderr: "", cut: false, timedOut: false };
  };
  await answer(grepTool, { pattern: "x", path: "/" }, { ...world.context, search: { run } });
  expect(asked).toContain("--one-file-system");
  await answer(grepTool, { pattern: "x" }, { ...world.context, search: { run } });
  expect(asked).not.toContain("--one-file-system");
});

test("output that was cut short loses its incomplete last line and gets a note", async () => {
  using world = toolWorld();
  const search = {
    run: async () => ({ code: 0, stdout: "a.ts\0:1\0:x\na.ts\0:2", stderr: "", cut: true, timedOut: false }),
  };
  expect(await answer(grepTool, { pattern: "x", output_mode: "content" }, { ...world.context, search })).toBe(
    "a.ts:1:x\n\n(Too many matches; there may be more. Narrow the pattern, the glob or the path.)",
  );
});

test("files that must not be read are omitted in every mode and from counts", async () => {
  using world = toolWorld();
  tree(world);
  world.put("secrets/key.txt", "one\nneedle\nthree\n", { ageSeconds: 5 });
  world.put("secrets/torn\nname.txt", "needle\n");
  world.put("open/torn\nname.txt", "needle\n", { ageSeconds: 1 });
  const asked: string[] = [];
  const mayRead = (path: string) => asked.push(path) > 0 && !path.includes("secrets");
  const context = { ...world.context, mayRead };
  const search = (input: object) => answer(grepTool, { pattern: "needle", glob: "!*.ts", ...input }, context);

  expect(await search({})).toBe("Found 2 files\nopen/torn\nname.txt\n.hidden/c.py");
  expect(await search({ output_mode: "content", "-C": 1 })).toBe(
    ".hidden/c.py:1:needle\n--\nopen/torn\nname.txt:1:needle",
  );
  const counted = await call(grepTool, { pattern: "needle", glob: "!*.ts", output_mode: "count" }, context);
  expect(counted).toMatchObject({ numFiles: 2, numMatches: 2, totalFiles: 2 });
  expect(await search({ output_mode: "content", path: "secrets/key.txt" })).toBe("No matches found");
  expect(await search({ output_mode: "count", path: "secrets" })).toBe("No matches found");

  asked.length = 0;
  await search({ output_mode: "content", glob: "*.py", "-C": 1 });
  expect(asked).toEqual([world.path(".hidden/c.py")]);
});
