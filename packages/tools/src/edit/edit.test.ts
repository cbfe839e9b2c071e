import { expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import fc from "fast-check";
import { readFileTool } from "../read/read.ts";
import { encode } from "../text-file/encoding.ts";
import { answer, call, toolWorld } from "../tool-world.test-support.ts";
import { writeTool } from "../write/write.ts";
import { editTool } from "./edit.ts";
import { whyNotFound } from "./nearest.ts";

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
  expect(await edit("b", "$& c")).toBe(`Edited ${path}: now line 1.`);
  expect(await edit("a", "x", true)).toBe(`Edited ${path}: now line 1.`);
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
      "Found 2 matches of the string to replace, on line 1. Add text around the one you mean to old_string, or set replace_all to change all of them.",
    ],
    [
      "a.txt",
      "zzz",
      "2",
      "String to replace not found in file. Nothing in the file is like it: it may be in another file, or changed before.",
    ],
    ["a.txt", "x", "x", "old_string and new_string are the same, so nothing would change."],
    [
      "a.txt",
      "",
      "x",
      "Cannot create the file: it already exists. Put the text to replace into old_string, or replace the whole file with Write.",
    ],
    ["gone", "x", "y", `File does not exist. Note: your current working directory is ${world.cwd}.`],
    ["unread.txt", "x", "y", "File has not been read yet. Read it, then repeat the call."],
    ["n.ipynb", "x", "y", "The file is a Jupyter notebook. Use NotebookEdit to change it."],
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

const STALE =
  "File has been modified since read, by the user or a program. Read it again, then repeat the call if it still makes sense.";
const CHANGED =
  "The file had changed since you read it, but this text was still there once. Read it again before you rely on the rest.";

test("a file that changed on disk is edited where the text is still unique, and the model is told", async () => {
  using world = toolWorld();
  const path = world.put("a.txt", "one\ntwo\n", { ageSeconds: 60 });
  await call(readFileTool, { file_path: "a.txt" }, world.context);
  world.put("a.txt", "zero\none\ntwo\ntwo\n", { ageSeconds: 30 });
  const edit = (old_string: string, replace_all?: boolean) =>
    answer(editTool, { file_path: "a.txt", old_string, new_string: `<${old_string}>`, replace_all }, world.context);
  expect(await edit("two")).toBe(`refused: ${STALE}`);
  expect(await edit("two", true)).toBe(`refused: ${STALE}`);
  expect(await edit("three")).toBe(`refused: ${STALE}`);
  expect(await edit("one")).toBe(`Edited ${path}: now line 2. ${CHANGED}`);
  expect(world.text("a.txt")).toBe("zero\n<one>\ntwo\ntwo\n");
  // The model has still not seen the rest, so it may not replace it.
  expect(await answer(writeTool, { file_path: "a.txt", content: "all\n" }, world.context)).toBe(`refused: ${STALE}`);
  expect(await edit("zero")).toBe(`Edited ${path}: now line 1. ${CHANGED}`);
  await call(readFileTool, { file_path: "a.txt" }, world.context);
  expect(await edit("two", true)).toBe(`Edited ${path}: now lines 3–4.`);
});

test("a file that changes while the call waits for approval is not edited", async () => {
  using world = toolWorld();
  world.put("a.txt", "one\ntwo\n", { ageSeconds: 60 });
  await call(readFileTool, { file_path: "a.txt" }, world.context);
  const input = { file_path: "a.txt", old_string: "one", new_string: "1" };
  await editTool.check!(input, world.context);
  world.put("a.txt", "one\nTWO\n", { ageSeconds: 30 });
  expect(editTool.run(input, world.context)).rejects.toThrow("modified since read");
  await editTool.check!(input, world.context);
  world.put("a.txt", "one\nthree\n", { ageSeconds: 20 });
  expect(editTool.run(input, world.context)).rejects.toThrow("modified since read");
  expect(world.text("a.txt")).toBe("one\nthree\n");
});

test("success names the lines that changed, as they are numbered after it", async () => {
  using world = toolWorld();
  const path = world.put("a.txt", Array.from({ length: 30 }, (_, at) => `line ${at + 1}\n`).join(""));
  await call(readFileTool, { file_path: "a.txt" }, world.context);
  const edit = (old_string: string, new_string: string, replace_all?: boolean) =>
    answer(editTool, { file_path: "a.txt", old_string, new_string, replace_all }, world.context);
  expect(await edit("line 6\n", "six\nand\nmore\n")).toBe(`Edited ${path}: now lines 6–8. The file is 2 lines longer.`);
  expect(await edit("line 9\nline 10\n", "")).toBe(`Edited ${path}: removed 2 lines after line 10.`);
  expect(await edit("line 1\nline 2\n", "")).toBe(`Edited ${path}: removed 2 lines at the start.`);
  expect(await edit("line 3\n", "third\n")).toBe(`Edited ${path}: now line 1.`);
  expect(await edit("line 2", "row 2", true)).toBe(`Edited ${path}: now lines 18–27.`);
});

test("when the text is not found, the place that is most like it is named, and what differs", async () => {
  using world = toolWorld();
  const lines = [
    "function total() {",
    "\tfor (const each of all) {",
    '\t\tsum += each["price"];',
    "\t}",
    "\treturn sum;",
    "}",
  ];
  world.put("a.js", `${lines.join("\n")}\n`);
  await call(readFileTool, { file_path: "a.js" }, world.context);
  const context = { ...world.context, mayRead: () => true };
  const edit = async (old_string: string) => {
    const said = String(await answer(editTool, { file_path: "a.js", old_string, new_string: "x" }, context));
    expect(said).toStartWith("refused: String to replace not found in file. ");
    return said.slice("refused: String to replace not found in file. ".length);
  };
  expect(await edit("3\t\t\tsum += each")).toBe(
    "It begins with line numbers, which Read adds and the file does not have. Without them: it is on line 3.",
  );
  expect(await edit("3\tsum += each['price'];")).toBe(
    `It begins with line numbers, which Read adds and the file does not have. Without them: Line 3 differs from it only in quotes, dashes, backslashes or whitespace:\n3\t${lines[2]}`,
  );
  expect(await edit("    for (const each of all) {\n        sum += each")).toBe(
    `Lines 2–3 differ from it only in whitespace (line 2 is indented with 1 tab, not 4 spaces):\n2\t${lines[1]}\n3\t${lines[2]}`,
  );
  expect(await edit("for(const each of all) {")).toBe(`Line 2 differs from it only in whitespace:\n2\t${lines[1]}`);
  expect(await edit("sum += each['price'];")).toBe(
    `Line 3 differs from it only in quotes, dashes, backslashes or whitespace:\n3\t${lines[2]}`,
  );
  expect(await edit("\t}\n\treturn total;\n}")).toBe(
    `The place most like it is line 5. The file has:\n5\t${lines[4]}\nwhere old_string has:\n\treturn total;`,
  );
  expect(await edit("function totals() {")).toBe(
    `The place most like it is line 1. The file has:\n1\t${lines[0]}\nwhere old_string has:\nfunction totals() {`,
  );
  expect(await edit("import x from 'y'")).toBe(
    "Nothing in the file is like it: it may be in another file, or changed before.",
  );
  context.mayRead = () => false;
  expect(await edit("function totals() {")).toBe("Read the file again.");
});

test("looking for the nearest place takes bounded time and shows little of long lines", () => {
  const long = "const value = 1; ".repeat(100_000);
  const said = whyNotFound(
    `${long}\n${"x = 1;\n".repeat(200_000)}`,
    `${"const value = 2; ".repeat(2_000)}\n${"x = 2;\n".repeat(500)}`,
  );
  expect(said.length).toBeLessThan(1_000);
  expect(whyNotFound("a".repeat(5_000_000), "b")).toBe("Read the part that you want to change, and copy it as it is.");
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
      expect(String(said).startsWith("Edited ")).toBe(works);
      expect(world.bytes("a.md")).toEqual(new Uint8Array(stored(after, format)));
      if (works) edits++;
    }),
    { numRuns: 1_000 },
  );
  expect(edits).toBeGreaterThan(50);
});
