// The built-in tools for files, through the whole program.

import { expect, test } from "bun:test";
import { readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, type ScriptedCall } from "@keelson/testkit";
import { STREAM, told, toolUseResults } from "../front-door.ts";
import { carryOut, read, shownBy } from "./carry-out.ts";

const UNREAD = "<tool_use_error>File has not been read yet. Read it, then repeat the call.</tool_use_error>";
const STALE =
  "<tool_use_error>File has been modified since read, by the user or a program. Read it again, then repeat the call if it still makes sense.</tool_use_error>";

const write = (file_path: string, content: string): ScriptedCall => ({ name: "Write", input: { file_path, content } });

const edit = (file_path: string, old_string: string, new_string: string, more: object = {}): ScriptedCall => ({
  name: "Edit",
  input: { file_path, old_string, new_string, ...more },
});

test("Read: text with line numbers, a range, an end that is not there", async () => {
  using home = temporaryHome();
  const filePath = home.write("a.txt", "one\r\ntwo\r\nthree\r\n");
  const outcome = await carryOut(home, [
    read("a.txt"),
    read(filePath, { offset: 2, limit: 1 }),
    // A number in quotes is a number.
    read("a.txt", { offset: "9" }),
  ]);
  expect(outcome).toEqual([
    {
      shown: "1\tone\n2\ttwo\n3\tthree\n4\t",
      result: {
        type: "text",
        file: { filePath, content: "one\ntwo\nthree\n", numLines: 4, startLine: 1, totalLines: 4 },
      },
    },
    {
      shown: "2\ttwo\n\n(The file goes on, to line 4. The next offset is 3.)",
      result: {
        type: "text",
        file: { filePath, content: "two", numLines: 1, startLine: 2, totalLines: 4, nextOffset: 3 },
      },
    },
    {
      shown: "(Nothing to show: the file has 4 lines, and the offset is 9.)",
      result: expect.objectContaining({ type: "text" }),
    },
  ]);
});

test("Read: what is not there, a folder, a device, a binary", async () => {
  using home = temporaryHome();
  home.write("notes.txt", "x");
  home.write("a.dat", new Uint8Array([0, 1, 2]));
  const shown = await shownBy(
    home,
    [read("note.txt"), read("."), read("/dev/zero"), read("a.dat")],
    ["--allowedTools", "Read"],
  );
  expect(shown).toEqual([
    `File does not exist. Note: your current working directory is ${home.project}. Did you mean notes.txt?`,
    expect.stringMatching(/^EISDIR: illegal operation on a directory, read '.+'$/),
    "<tool_use_error>Cannot read '/dev/zero': this device file would block or produce infinite output.</tool_use_error>",
    "<tool_use_error>This tool cannot read binary files. The file appears to be a binary .dat file. Please use appropriate tools for binary file analysis.</tool_use_error>",
  ]);
});

test("Read: an image is an image", async () => {
  using home = temporaryHome();
  home.write("dot.png", Buffer.from(PIXEL, "base64"));
  const [outcome] = await carryOut(home, [read("dot.png")]);
  expect(outcome).toEqual({
    shown: [{ type: "image", source: { type: "base64", data: PIXEL, media_type: "image/png" } }],
    result: {
      type: "image",
      file: expect.objectContaining({
        base64: PIXEL,
        type: "image/png",
        originalSize: Buffer.from(PIXEL, "base64").length,
      }),
    },
  });
});

test("Read: a PDF is a document beside its result", async () => {
  using home = temporaryHome();
  const filePath = home.write("a.pdf", "%PDF-1.4\nabc");
  const base64 = Buffer.from("%PDF-1.4\nabc").toString("base64");
  await using model = await startMockModel([{ calls: [read("a.pdf")] }, { text: "done" }]);

  const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });

  expect(unmarked(told(model.requests[1]!))).toEqual([
    {
      tool_use_id: "call_1_1",
      type: "tool_result",
      content: [{ type: "text", text: `PDF file read: ${filePath} (12 bytes)` }],
      is_error: false,
    },
    { type: "document", source: { type: "base64", media_type: "application/pdf", data: base64 } },
  ]);
  expect(toolUseResults(ended)).toEqual([{ type: "pdf", file: { filePath, base64, originalSize: 12 } }]);
});

const NOTEBOOK = {
  cells: [
    { cell_type: "code", id: "c1", source: ["print(1)"], metadata: {}, execution_count: 3, outputs: [OUTPUT("1\n")] },
    { cell_type: "markdown", id: "m1", source: ["# Title"], metadata: {} },
  ],
  metadata: { language_info: { name: "python" } },
  nbformat: 4,
  nbformat_minor: 5,
};

test("Read and NotebookEdit: cells are read by id, replaced, inserted and deleted", async () => {
  using home = temporaryHome();
  const path = home.write("n.ipynb", NOTEBOOK);
  const cell = (input: object): ScriptedCall => ({
    name: "NotebookEdit",
    input: { notebook_path: path, new_source: "", ...input },
  });
  const outcome = await carryOut(home, [
    cell({ cell_id: "c1", new_source: "print(2)" }),
    read("n.ipynb"),
    cell({ cell_id: "c1", new_source: "print(3)" }),
    cell({ cell_id: "c1", new_source: "y", cell_type: "markdown", edit_mode: "insert" }),
    cell({ cell_id: "m1", edit_mode: "delete" }),
    cell({ cell_id: "nope" }),
  ]);
  expect(outcome.map(({ shown }) => shown)).toEqual([
    UNREAD,
    [
      {
        type: "text",
        text: expect.stringMatching(
          /<cell id="c1">print\(1\)<\/cell id="c1">[^]*1[^]*<cell id="m1"><cell_type>markdown<\/cell_type># Title<\/cell id="m1">/,
        ),
      },
    ],
    "Updated cell c1",
    expect.stringMatching(/^Inserted cell \S+$/),
    "Deleted cell m1",
    '<tool_use_error>Cell with ID "nope" not found in notebook.</tool_use_error>',
  ]);
  expect(outcome[1]!.result).toMatchObject({
    type: "notebook",
    file: {
      filePath: path,
      cells: [
        { cellType: "code", cell_id: "c1" },
        { cellType: "markdown", cell_id: "m1" },
      ],
    },
  });
  expect(outcome[2]!.result).toMatchObject({
    new_source: "print(3)",
    cell_type: "code",
    language: "python",
    edit_mode: "replace",
    cell_id: "c1",
    error: "",
    notebook_path: path,
  });
  const { cells } = JSON.parse(home.read("n.ipynb"));
  expect(cells).toMatchObject([
    { id: "c1", cell_type: "code", execution_count: null, outputs: [] },
    { cell_type: "markdown" },
  ]);
  expect([cells[0].source, cells[1].source].map((source) => [source].flat().join(""))).toEqual(["print(3)", "y"]);
});

test("Write: a new file with its folders, over a file only when that was read and is unchanged", async () => {
  using home = temporaryHome();
  const deep = join(home.project, "deep/er/a.txt");
  const old = home.write("old.txt", "old\n");
  const outcome = await carryOut(home, [
    write(deep, "hello"),
    write("old.txt", "new"),
    read("old.txt"),
    () => {
      changeBehindItsBack(old, "somebody else\n");
      return write("old.txt", "new\n");
    },
    read("old.txt"),
    write("old.txt", "new\n"),
    // Its own writing counts as having seen it.
    write("old.txt", "newer\n"),
  ]);
  expect(outcome.map(({ shown }) => shown)).toEqual([
    `Created ${deep} (1 line).`,
    UNREAD,
    "1\told\n2\t",
    STALE,
    "1\tsomebody else\n2\t",
    `Rewrote ${old}: now line 1.`,
    `Rewrote ${old}: now line 1.`,
  ]);
  expect(outcome[0]!.result).toMatchObject({
    type: "create",
    filePath: deep,
    content: "hello",
    structuredPatch: [],
    originalFile: null,
  });
  expect(outcome[5]!.result).toMatchObject({
    type: "update",
    filePath: old,
    content: "new\n",
    originalFile: "somebody else\n",
    structuredPatch: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-somebody else", "+new"] }],
  });
  expect([readFileSync(deep, "utf8"), home.read("old.txt")]).toEqual(["hello", "newer\n"]);
});

test("Edit: read first, found once, or everywhere when asked; anything else changes nothing", async () => {
  using home = temporaryHome();
  const path = home.write("a.txt", "one two\r\ntwo\r\n");
  const outcome = await carryOut(home, [
    edit("a.txt", "one", "1"),
    read("a.txt", { limit: 1 }),
    edit("a.txt", "two", "2"),
    edit("a.txt", "zzz", "2"),
    edit("a.txt", "one", "one"),
    edit("gone.txt", "a", "b"),
    edit("a.txt", "one two\ntwo", "1 two\ntwo"),
    edit("a.txt", "two", "2", { replace_all: true }),
    () => {
      changeBehindItsBack(path, "rewritten\n");
      return edit("a.txt", "1", "one");
    },
  ]);
  expect(outcome.map(({ shown }) => shown)).toEqual([
    UNREAD,
    "1\tone two\n\n(The file goes on, to line 3. The next offset is 2.)",
    "<tool_use_error>Found 2 matches of the string to replace, on lines 1, 2. Add text around the one you mean to old_string, or set replace_all to change all of them.</tool_use_error>",
    "<tool_use_error>String to replace not found in file. Nothing in the file is like it: it may be in another file, or changed before.</tool_use_error>",
    "<tool_use_error>old_string and new_string are the same, so nothing would change.</tool_use_error>",
    `<tool_use_error>File does not exist. Note: your current working directory is ${home.project}.</tool_use_error>`,
    `Edited ${path}: now line 1.`,
    `Edited ${path}: now lines 1–2.`,
    STALE,
  ]);
  expect(outcome[6]!.result).toMatchObject({
    filePath: path,
    oldString: "one two\ntwo",
    newString: "1 two\ntwo",
    replaceAll: false,
    userModified: false,
    structuredPatch: [expect.objectContaining({ oldStart: 1 })],
  });
  expect(outcome[2]!.result).toStartWith("Error: Found 2 matches");
  expect(home.read("a.txt")).toBe("rewritten\n");
});

test("Edit: where it went wrong is said in the result, so that the next call can be right", async () => {
  using home = temporaryHome();
  const lines = [
    "function total(all) {",
    "\tlet sum = 0;",
    "\tfor (const each of all) sum += each.price;",
    "\treturn sum;",
    "}",
  ];
  const path = home.write("a.js", `${lines.join("\n")}\n`);
  const outcome = await carryOut(home, [
    read("a.js"),
    edit("a.js", "3\t\tfor (const each of all)", "x"),
    edit("a.js", "    let sum = 0;\n    for (const each of all) sum += each.price;", "x"),
    edit("a.js", "sum", "total"),
    () => {
      changeBehindItsBack(path, `// Sums.\n${lines.join("\n")}\n`);
      return edit("a.js", "each.price;", "each.price * each.count;");
    },
    write("a.js", "gone"),
  ]);
  expect(outcome.slice(1).map(({ shown }) => shown)).toEqual([
    "<tool_use_error>String to replace not found in file. It begins with line numbers, which Read adds and the file does not have. Without them: it is on line 3.</tool_use_error>",
    `<tool_use_error>String to replace not found in file. Lines 2–3 differ from it only in whitespace (line 2 is indented with 1 tab, not 4 spaces):\n2\t${lines[1]}\n3\t${lines[2]}</tool_use_error>`,
    "<tool_use_error>Found 3 matches of the string to replace, on lines 2, 3, 4. Add text around the one you mean to old_string, or set replace_all to change all of them.</tool_use_error>",
    `Edited ${path}: now line 4. The file had changed since you read it, but this text was still there once. Read it again before you rely on the rest.`,
    STALE,
  ]);
  expect(outcome[4]!.result).toMatchObject({ changedSinceRead: true, filePath: path });
  expect(home.read("a.js")).toBe(`// Sums.\n${lines.join("\n").replace("price;", "price * each.count;")}\n`);
});

test("Read: a file that is too long shows its first page, where it goes on, and what to do about a long line", async () => {
  using home = temporaryHome();
  const path = home.write("big.js", `start\n${"x".repeat(300_000)}\nend\n`);
  const shown = await shownBy(home, [read("big.js"), read("big.js", { offset: 2 }), read("big.js", { offset: 3 })]);
  expect(shown).toEqual([
    "1\tstart\n\n(Too long to show at once: this is line 1 of 4. Search with Grep for what you need, or go on with offset 2.)",
    `Line 2 is too long to show: it has 300000 characters. Look at a part of it with a command, such as sed -n '2p' '${path}' | cut -c1-2000, or with Grep and -o. The lines after it begin at offset 3.`,
    "3\tend\n4\t",
  ]);
});

test("Edit: line endings stay as they were", async () => {
  using home = temporaryHome();
  home.write("a.txt", "one\r\ntwo\r\n");
  await carryOut(home, [read("a.txt"), edit("a.txt", "one\ntwo", "1\n2")]);
  expect(home.read("a.txt")).toBe("1\r\n2\r\n");
});

test("Glob: oldest first, relative to where we are", async () => {
  using home = temporaryHome();
  for (const [at, name] of ["src/b.ts", "a.ts", "c.md"].entries()) {
    utimesSync(home.write(name, ""), 1_700_000_000 + at, 1_700_000_000 + at);
  }
  const outcome = await carryOut(home, [
    { name: "Glob", input: { pattern: "**/*.ts" } },
    { name: "Glob", input: { pattern: "*.zig" } },
    { name: "Glob", input: { pattern: "*", path: "nowhere" } },
  ]);
  expect(outcome.map(({ shown }) => shown)).toEqual([
    "src/b.ts\na.ts",
    "No files found",
    expect.stringContaining(`Directory does not exist: `),
  ]);
  expect(outcome[0]!.result).toMatchObject({
    filenames: ["src/b.ts", "a.ts"],
    numFiles: 2,
    truncated: false,
    durationMs: expect.any(Number),
  });
});

test("Grep: files, lines and counts", async () => {
  using home = temporaryHome();
  utimesSync(home.write("a.ts", "let x = 1;\nlet y = 2;\n"), 1_700_000_000, 1_700_000_000);
  utimesSync(home.write("b.ts", "const z = 3;\nlet w = 4;\n"), 1_700_000_100, 1_700_000_100);
  const grep = (pattern: string, more: object = {}): ScriptedCall => ({ name: "Grep", input: { pattern, ...more } });
  const outcome = await carryOut(home, [
    grep("let"),
    grep("let", { output_mode: "content", path: "a.ts" }),
    grep("LET", { output_mode: "content", "-i": true, head_limit: 1, glob: "b.*" }),
    grep("let", { output_mode: "count" }),
    grep("nothing like it"),
    grep("nothing like it", { output_mode: "content" }),
    grep("let|const", { output_mode: "content", path: "b.ts", head_limit: 1 }),
    grep("let", { head_limit: 1 }),
    grep("let", { output_mode: "content", offset: 9 }),
  ]);
  expect(outcome.map(({ shown }) => shown)).toEqual([
    "Found 2 files\nb.ts\na.ts",
    "1:let x = 1;\n2:let y = 2;",
    expect.stringMatching(/^b\.ts:2:let w = 4;/),
    expect.stringMatching(/^(a\.ts:2\nb\.ts:1|b\.ts:1\na\.ts:2)\n\nFound 3 total occurrences across 2 files\.$/),
    "No files found",
    "No matches found",
    "1:const z = 3;\n\n(Line 1 of 2. The next offset is 1.)",
    "Found 2 files\nb.ts\n\n(File 1 of 2. The next offset is 1.)",
    "No matches found\n\n(Offset 9 is past the end: there are 3 lines.)",
  ]);
  expect(outcome[0]!.result).toMatchObject({ mode: "files_with_matches", numFiles: 2, filenames: ["b.ts", "a.ts"] });
  expect(outcome[1]!.result).toMatchObject({ mode: "content", content: "1:let x = 1;\n2:let y = 2;", numLines: 2 });
  expect(outcome[3]!.result).toMatchObject({ mode: "count", numMatches: 3, numFiles: 2 });
});

const unmarked = (value: unknown) =>
  JSON.parse(JSON.stringify(value, (key, inner) => (key === "cache_control" ? undefined : inner)));

/** As an editor would: other content, and a time that cannot be mistaken for the old one. */
function changeBehindItsBack(path: string, content: string): void {
  writeFileSync(path, content);
  const later = Date.now() / 1000 + 5;
  utimesSync(path, later, later);
}

function OUTPUT(text: string) {
  return { output_type: "stream", name: "stdout", text: [text] };
}

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
