import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { answer, call, toolWorld, type World } from "../tool-world.test-support.ts";
import { globTool } from "./glob.ts";

function tree(world: World): void {
  const names = ["a.ts", "src/b.ts", "src/deep/c.ts", ".hidden/d.ts", "node_modules/x/e.ts", "src/f.js", "!bang.ts"];
  names.forEach((name, index) => world.put(name, "", { ageSeconds: 100 - index }));
  mkdirSync(world.path(".git"));
  world.put(".gitignore", "node_modules\nf.js\n", { ageSeconds: 200 });
  symlinkSync(world.path("a.ts"), world.path("link.ts"));
}

test("lists files oldest first at any depth, including hidden and ignored ones but not links", async () => {
  using world = toolWorld();
  tree(world);
  const { durationMs: _, ...output } = await call(globTool, { pattern: "*.ts" }, world.context);
  expect(output).toEqual({
    filenames: ["a.ts", "src/b.ts", "src/deep/c.ts", ".hidden/d.ts", "node_modules/x/e.ts", "!bang.ts"],
    numFiles: 6,
    truncated: false,
    totalMatches: 6,
    countIsComplete: true,
  });
});

test("matches patterns of every form", async () => {
  using world = toolWorld();
  tree(world);
  const cases: [string, string | undefined, string[]][] = [
    ["src/*.ts", undefined, ["src/b.ts"]],
    ["src/**/*.ts", undefined, ["src/b.ts", "src/deep/c.ts"]],
    ["**/*.{ts,js}", "src", ["src/b.ts", "src/deep/c.ts", "src/f.js"]],
    ["./*.ts", undefined, ["a.ts", "!bang.ts"]],
    ["../*.ts", "src", ["a.ts", "!bang.ts"]],
    ["!bang.ts", undefined, ["!bang.ts"]],
    ["src/b.ts", undefined, ["src/b.ts"]],
    ["src/", undefined, ["src/b.ts", "src/deep/c.ts", "src/f.js"]],
    [world.path("src/*.js"), undefined, ["src/f.js"]],
    ["no/such/*.ts", undefined, ["No files found"]],
    ["*.nope", undefined, ["No files found"]],
  ];
  for (const [pattern, path, lines] of cases) {
    expect([pattern, await answer(globTool, { pattern, path }, world.context)]).toEqual([pattern, lines.join("\n")]);
  }
});

test("paths outside the working directory are absolute, and access() has the searched folder", async () => {
  using world = toolWorld();
  tree(world);
  const inside = { ...world.context, workspace: { ...world.context.workspace, cwd: world.path("src") } };
  expect(await answer(globTool, { pattern: "../a.ts" }, inside)).toBe(world.path("a.ts"));
  expect(globTool.access({ pattern: "../*.ts" }, inside)).toEqual({ kind: "read", path: world.cwd });
  expect(globTool.access({ pattern: "*.ts", path: "deep" }, inside)).toEqual({
    kind: "read",
    path: world.path("src/deep"),
  });
});

test("the environment can exclude ignored and hidden files", async () => {
  using ignoring = toolWorld({ CLAUDE_CODE_GLOB_NO_IGNORE: "false" });
  tree(ignoring);
  expect(await answer(globTool, { pattern: "*.{ts,js}" }, ignoring.context)).toBe(
    ["a.ts", "src/b.ts", "src/deep/c.ts", ".hidden/d.ts", "!bang.ts"].join("\n"),
  );
  expect(await answer(globTool, { pattern: "src/*.js" }, ignoring.context)).toBe("No files found");
  using bare = toolWorld({ CLAUDE_CODE_GLOB_HIDDEN: "false" });
  tree(bare);
  expect(await answer(globTool, { pattern: "*.ts", path: "." }, bare.context)).not.toContain(".hidden");
});

test("lists a hundred files and counts the rest", async () => {
  using world = toolWorld();
  for (let index = 0; index < 130; index++) world.put(`${index}.txt`, "", { ageSeconds: 1_000 - index });
  const lines = String(await answer(globTool, { pattern: "*.txt" }, world.context)).split("\n");
  expect(lines.slice(0, 2)).toEqual(["0.txt", "1.txt"]);
  expect(lines.slice(100)).toEqual(["(100 of 130 files are listed. Narrow the pattern or the path for the other 30.)"]);
});

test("explains why a folder or pattern cannot be searched", async () => {
  using world = toolWorld();
  world.put("file", "");
  const glob = (pattern: string, path?: string) => answer(globTool, { pattern, path }, world.context);
  expect(await glob("*", "none")).toBe(
    `refused: Directory does not exist: none. Note: your current working directory is ${world.cwd}.`,
  );
  expect(await glob("*", "file")).toBe("refused: Path is not a directory: file");
  expect(await glob("{a")).toStartWith("failed: error parsing glob '{a': unclosed alternate group");
  expect(await glob("a\0b")).toBe("failed: The pattern contains a NUL character");
});

test("says when a search timed out", async () => {
  using world = toolWorld();
  const search = { run: async () => ({ code: 0, stdout: "a.ts\0b.t", stderr: "", cut: false, timedOut: true }) };
  world.put("a.ts", "");
  expect(await answer(globTool, { pattern: "*" }, { ...world.context, search })).toBe(
    "a.ts\n(The search timed out; more files may match.)",
  );
});

test("files that must not be read are neither listed nor counted", async () => {
  using world = toolWorld();
  tree(world);
  const context = { ...world.context, mayRead: (path: string) => !path.startsWith(world.path("src/")) };
  const { durationMs: _, ...output } = await call(globTool, { pattern: "*.ts" }, context);
  expect(output).toEqual({
    filenames: ["a.ts", ".hidden/d.ts", "node_modules/x/e.ts", "!bang.ts"],
    numFiles: 4,
    truncated: false,
    totalMatches: 4,
    countIsComplete: true,
  });
});
