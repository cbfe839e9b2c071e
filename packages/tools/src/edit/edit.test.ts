import { expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import fc from "fast-check";
import { readFileTool } from "../read/read.ts";
import { encode } from "../text-file/encoding.ts";
import { answer, call, toolWorld } from "../tool-world.test-support.ts";
import { editTool } from "./edit.ts";

const CURRENT = "(file state is current in your context — no need to Read it back)";

test("one occurrence is replaced, and the result has every field", async () => {
  using world = toolWorld();
  const path = world.put("a.txt", "one\ntwo\nthree\n");
  await call(readFileTool, { file_path: "a.txt" }, world.context);
  expect(await call(editTool, { file_path: "a.txt", old_string: "two", new_string: "2" }, world.context)).toEqual({
    filePath: path,
    oldString: "two",
    newString: "2",
    originalFile: "one\ntwo\nthree\n",
    structuredPatch: [{ oldStart: 1, oldLines: 3, newStart: 1, newLines: 3, lines: [" one", "-two", "+2", " three"] }],
    userModified: false,
    replaceAll: false,
  });
  expect(world.text("a.txt")).toBe("one\n2\nthree\n");
});

test("a second edit needs no second read", async () => {
  using world = toolWorld();
  const path = world.put("a.txt", "a b a");
  await call(readFileTool, { file_path: "a.txt" }, world.context);
  const edit = (old_string: string, new_string: string, replace_all?: boolean) =>
    answer(editTool, { file_path: "a.txt", old_string, new_string, replace_all }, world.context);
  expect(await edit("b", "$& c")).toBe(`The file ${path} has been updated successfully. ${CURRENT}`);
  expect(await edit("a", "x", true)).toBe(
    `The file ${path} has been updated. All occurrences were successfully replaced. ${CURRENT}`,
  );
  expect(world.text("a.txt")).toBe("x $& c x");
});

test("check() rejects an edit that cannot be done", async () => {
  using world = toolWorld();
  world.put("a.txt", "two two");
  world.put("unread.txt", "x");
  world.put("n.ipynb", "{}");
  await call(readFileTool, { file_path: "a.txt" }, world.context);
  const cases: [string, string, string, string][] = [
    [
      "a.txt",
      "two",
      "2",
      "Found 2 matches of the string to replace, but replace_all is false. To replace all occurrences, set replace_all to true. To replace only one occurrence, please provide more context to uniquely identify the instance.\nString: two",
    ],
    ["a.txt", "zzz", "2", "String to replace not found in file.\nString: zzz"],
    ["a.txt", "x", "x", "No changes to make: old_string and new_string are exactly the same."],
    ["a.txt", "", "x", "Cannot create new file - file already exists."],
    ["gone", "x", "y", `File does not exist. Note: your current working directory is ${world.cwd}.`],
    ["unread.txt", "x", "y", "File has not been read yet. Read it first before writing to it."],
    ["n.ipynb", "x", "y", "File is a Jupyter Notebook. Use the NotebookEdit to edit this file."],
  ];
  for (const [file_path, old_string, new_string, said] of cases) {
    expect(await answer(editTool, { file_path, old_string, new_string }, world.context)).toBe(`refused: ${said}`);
  }
  expect(world.text("a.txt")).toBe("two two");
});

test("an empty old_string creates a file, or fills an empty one", async () => {
  using world = toolWorld();
  world.put("empty.txt", "\n");
  const made = await call(editTool, { file_path: "sub/new.txt", old_string: "", new_string: "hi\n" }, world.context);
  expect(made).toMatchObject({ oldString: "", originalFile: "", replaceAll: false });
  await call(editTool, { file_path: "empty.txt", old_string: "", new_string: "hi\n" }, world.context);
  expect([world.text("sub/new.txt"), world.text("empty.txt")]).toEqual(["hi\n", "hi\n"]);
});

test("a file that changed on disk is not edited", async () => {
  using world = toolWorld();
  world.put("a.txt", "one", { ageSeconds: 60 });
  await call(readFileTool, { file_path: "a.txt" }, world.context);
  world.put("a.txt", "One", { ageSeconds: 30 });
  expect(await answer(editTool, { file_path: "a.txt", old_string: "O", new_string: "o" }, world.context)).toBe(
    "refused: File has been modified since read, either by the user or by a linter. Read it again before attempting to write it.",
  );
});

test("a file read under one path can be edited under another", async () => {
  using world = toolWorld();
  world.put("real.txt", "one");
  symlinkSync(world.path("real.txt"), world.path("link.txt"));
  await call(readFileTool, { file_path: "link.txt" }, world.context);
  await call(editTool, { file_path: "real.txt", old_string: "one", new_string: "two" }, world.context);
  await call(editTool, { file_path: "link.txt", old_string: "two", new_string: "three" }, world.context);
  expect(world.text("real.txt")).toBe("three");
});

test("straight quotes match curly ones, and the new text gets curly quotes", async () => {
  using world = toolWorld();
  world.put("a.txt", "He said “it’s fine” (‘yes’).");
  await call(readFileTool, { file_path: "a.txt" }, world.context);
  const { oldString } = await call(
    editTool,
    { file_path: "a.txt", old_string: `said "it's fine" ('yes')`, new_string: `wrote "that isn't it" ('no')` },
    world.context,
  );
  expect(oldString).toBe("said “it’s fine” (‘yes’)");
  expect(world.text("a.txt")).toBe("He wrote “that isn’t it” (‘no’).");
});

test("trailing spaces are removed from the new text, except in Markdown and at the very end", () => {
  const repaired = (file_path: string, new_string: string) => editTool.repair!({ file_path, new_string }).new_string;
  expect(repaired("a.ts", "x  \ny\t\r\nz ")).toBe("x\ny\r\nz ");
  expect(repaired("a.md", "x  \ny")).toBe("x  \ny");
  expect(editTool.repair!({ file_path: "a.ts", replace_all: true })).toEqual({ file_path: "a.ts", replace_all: true });
  expect(editTool.repair!({ file_path: "a.ts" })).toEqual({ file_path: "a.ts", replace_all: false });
});

test("a character missing from the file's encoding is reported, and nothing is written", async () => {
  using world = toolWorld();
  world.put("a.txt", Buffer.from("h\xe9", "latin1"));
  await call(readFileTool, { file_path: "a.txt" }, world.context);
  expect(await answer(editTool, { file_path: "a.txt", old_string: "h", new_string: "→" }, world.context)).toBe(
    'refused: The file is encoded as windows-1252, which has no "→". Omit that character, or rewrite the whole file with Write, which then saves it as UTF-8.',
  );
});

test("in a file with mixed line endings, other lines keep theirs", async () => {
  using world = toolWorld();
  world.put("a.txt", "a\r\nb\nc\r\nd\r\n");
  await call(readFileTool, { file_path: "a.txt" }, world.context);
  await call(editTool, { file_path: "a.txt", old_string: "b\nc", new_string: "B\nC" }, world.context);
  expect(world.text("a.txt")).toBe("a\r\nB\r\nC\r\nd\r\n");
});

test("an edit is a plain replacement, whatever the encoding and line endings", async () => {
  using world = toolWorld();
  const word = fc.constantFrom("a", "b", "é", " ", "\n", "$&", "'");
  const text = (size: number) => fc.array(word, { maxLength: size }).map((parts) => parts.join(""));
  const manner = fc.constantFrom(
    { encoding: "utf-8", bom: false, ending: "\n" } as const,
    { encoding: "utf-8", bom: true, ending: "\r\n" } as const,
    { encoding: "utf-16le", bom: true, ending: "\r\n" } as const,
    { encoding: "utf-16be", bom: true, ending: "\n" } as const,
    { encoding: "windows-1252", bom: false, ending: "\r\n" } as const,
  );
  const stored = (lf: string, { encoding, bom, ending }: { encoding: "utf-8"; bom: boolean; ending: string }) =>
    encode(lf.replaceAll("\n", ending), encoding, bom) as Uint8Array;
  let edits = 0;

  await fc.assert(
    fc.asyncProperty(text(30), text(3), text(6), manner, fc.boolean(), async (body, wanted, replacement, how, all) => {
      // Two line endings make the file's own unambiguous, and the letter survives only in the right encoding.
      const before = `é\n${body}\n`;
      const format = how as { encoding: "utf-8"; bom: boolean; ending: string };
      world.put("a.md", stored(before, format));
      await call(readFileTool, { file_path: "a.md" }, world.context);
      const said = await answer(
        editTool,
        { file_path: "a.md", old_string: wanted, new_string: replacement, replace_all: all },
        world.context,
      );
      const count = wanted === "" ? 0 : before.split(wanted).length - 1;
      const works = wanted !== replacement && (all ? count > 0 : count === 1);
      const after = works ? before.split(wanted).join(replacement) : before;
      expect(String(said).includes("has been updated")).toBe(works);
      expect(world.bytes("a.md")).toEqual(new Uint8Array(stored(after, format)));
      if (works) edits++;
    }),
    { numRuns: 1_000 },
  );
  expect(edits).toBeGreaterThan(50);
});
