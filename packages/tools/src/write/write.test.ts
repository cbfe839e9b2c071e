import { expect, test } from "bun:test";
import { readFileTool } from "../read/read.ts";
import { answer, call, toolWorld } from "../tool-world.test-support.ts";
import { writeTool } from "./write.ts";

const UNREAD = "refused: File has not been read yet. Read it, then repeat the call.";
const STALE =
  "refused: File has been modified since read, by the user or a program. Read it again, then repeat the call if it still makes sense.";

test("creates a new file with its folders, which may then be overwritten", async () => {
  using world = toolWorld();
  const path = world.path("x/y/a.txt");
  expect(await call(writeTool, { file_path: path, content: "one\n" }, world.context)).toEqual({
    type: "create",
    filePath: path,
    content: "one\n",
    structuredPatch: [],
    originalFile: null,
  });
  expect(await call(writeTool, { file_path: path, content: "two\n" }, world.context)).toEqual({
    type: "update",
    filePath: path,
    content: "two\n",
    structuredPatch: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-one", "+two"] }],
    originalFile: "one\n",
  });
  expect(world.text("x/y/a.txt")).toBe("two\n");
});

test("the result says whether the file was created or updated", async () => {
  using world = toolWorld();
  const path = world.path("a.txt");
  const write = (content: string) => answer(writeTool, { file_path: path, content }, world.context);
  expect(await write("")).toBe(`Created ${path} (empty).`);
  expect(await write("x\ny\n")).toBe(`Rewrote ${path}: now lines 1–2. The file is 2 lines longer.`);
  expect(await write("x\nz\n")).toBe(`Rewrote ${path}: now line 2.`);
  expect(await write("x\nz\n")).toBe(`Rewrote ${path}. It is as it was before.`);
  expect(await write("")).toBe(`Rewrote ${path}: removed 2 lines at the start.`);
});

test("an existing file must have been read, and a folder cannot be written", async () => {
  using world = toolWorld();
  world.put("a.txt", "one");
  world.put("folder/x", "");
  expect(await answer(writeTool, { file_path: "a.txt", content: "" }, world.context)).toBe(UNREAD);
  expect(await answer(writeTool, { file_path: "folder", content: "" }, world.context)).toBe(
    `refused: '${world.path("folder")}' is a folder, not a file`,
  );
  expect(world.text("a.txt")).toBe("one");
});

test("a changed file is not overwritten, unless our own command changed it or only its time changed", async () => {
  using world = toolWorld();
  const write = () => answer(writeTool, { file_path: "a.txt", content: "new" }, world.context);
  world.put("a.txt", "one", { ageSeconds: 90 });
  await call(readFileTool, { file_path: "a.txt" }, world.context);

  world.put("a.txt", "One", { ageSeconds: 60 });
  expect(await write()).toBe(STALE);
  world.put("a.txt", "longer", { ageSeconds: 60 });
  expect(await write()).toBe(STALE);
  world.put("a.txt", "one", { ageSeconds: 30 });
  expect(await write()).toStartWith("Rewrote ");

  const before = Date.now() - 10;
  world.put("a.txt", "by command");
  world.context.seen.commandRan(before, Date.now() + 10);
  expect(await write()).toStartWith("Rewrote ");
});

test("run() notices a change since check()", async () => {
  using world = toolWorld();
  world.put("a.txt", "one", { ageSeconds: 90 });
  await call(readFileTool, { file_path: "a.txt" }, world.context);
  await writeTool.check!({ file_path: "a.txt", content: "x" }, world.context);
  world.put("a.txt", "two", { ageSeconds: 60 });
  expect(writeTool.run({ file_path: "a.txt", content: "x" }, world.context)).rejects.toThrow("modified since read");
  expect(world.text("a.txt")).toBe("two");
});

test("an existing file keeps its encoding, byte order mark and line endings", async () => {
  using world = toolWorld();
  const cases: [Uint8Array, string, Uint8Array][] = [
    [Buffer.from("\ufeffa\r\nb\r\n"), "c\nd\n", Buffer.from("\ufeffc\r\nd\r\n")],
    [Buffer.from("a\r\nb\r\n"), "c\r\nd\n", Buffer.from("c\r\nd\n")],
    [Buffer.from("a\nb\n"), "c\r\nd\r\n", Buffer.from("c\r\nd\r\n")],
    [Buffer.from("\ufeffa\n", "utf16le"), "é\n", Buffer.from("\ufeffé\n", "utf16le")],
    [Buffer.from("\ufeffa\n", "utf16le").swap16(), "é\n", Buffer.from("\ufeffé\n", "utf16le").swap16()],
    [Buffer.from("h\xe9", "latin1"), "h\u00e9!", Buffer.from("h\xe9!", "latin1")],
    [Buffer.from("h\xe9", "latin1"), "→", Buffer.from("→")],
  ];
  for (const [before, content, after] of cases) {
    world.put("a.txt", before);
    await call(readFileTool, { file_path: "a.txt" }, world.context);
    await call(writeTool, { file_path: "a.txt", content }, world.context);
    expect(world.bytes("a.txt")).toEqual(new Uint8Array(after));
  }
});
