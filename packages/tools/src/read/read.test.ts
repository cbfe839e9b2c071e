import { expect, test } from "bun:test";
import { symlinkSync, utimesSync } from "node:fs";
import { answer, call, toolWorld } from "../tool-world.test-support.ts";
import { readFileTool } from "./read.ts";

test("lines are numbered, a final newline starts one more line, and CRLF is shown as LF", async () => {
  using world = toolWorld();
  world.put("a.txt", "one\r\ntwo\r\n");
  expect(await call(readFileTool, { file_path: "a.txt" }, world.context)).toEqual({
    type: "text",
    file: { filePath: world.path("a.txt"), content: "one\ntwo\n", numLines: 3, startLine: 1, totalLines: 3 },
  });
  world.put("b.txt", "one\ntwo");
  expect(await answer(readFileTool, { file_path: world.path("b.txt") }, world.context)).toBe("1\tone\n2\ttwo");
});

test("offset and limit select lines", async () => {
  using world = toolWorld();
  world.put("a.txt", "1\n2\n3\n4\n");
  const read = (range: { offset?: number; limit?: number }) =>
    answer(readFileTool, { file_path: "a.txt", ...range }, world.context);
  expect(await read({ offset: 2, limit: 2 })).toBe(
    "2\t2\n3\t3\n\n(The file goes on, to line 5. The next offset is 4.)",
  );
  expect(await read({ offset: 2, limit: 3 })).toBe("2\t2\n3\t3\n4\t4");
  expect(await read({ offset: 4 })).toBe("4\t4\n5\t");
  expect(await read({ offset: 5 })).toBe("5\t");
  expect(await read({ offset: 0, limit: 2 })).toBe(
    "0\t1\n1\t2\n\n(The file goes on, to line 5. The next offset is 3.)",
  );
  expect(await read({ limit: 99 })).toBe("1\t1\n2\t2\n3\t3\n4\t4\n5\t");
  expect(await read({ offset: 6 })).toBe("(Nothing to show: the file has 5 lines, and the offset is 6.)");
});

test("repair() drops a negative offset, an empty page range and an unknown flag", () => {
  expect(readFileTool.repair!({ file_path: "a", offset: -1, pages: "", allow_large: true })).toEqual({
    file_path: "a",
  });
});

test("of an empty file the model reads that it is empty", async () => {
  using world = toolWorld();
  world.put("a.txt", "");
  expect(await answer(readFileTool, { file_path: "a.txt" }, world.context)).toBe("(The file is empty.)");
});

test("the same lines are not shown twice unless the file changes", async () => {
  using world = toolWorld();
  world.put("a.txt", "one\ntwo", { ageSeconds: 60 });
  const unchanged = "The file has not changed since you read it; the earlier result still holds.";
  const read = (limit?: number) => answer(readFileTool, { file_path: "a.txt", limit }, world.context);

  expect(await read()).toBe("1\tone\n2\ttwo");
  expect(await read()).toBe(unchanged);
  expect(await read(1)).toBe("1\tone\n\n(The file goes on, to line 2. The next offset is 2.)");
  expect(await read(1)).toBe(unchanged);
  expect(await read()).toBe("1\tone\n2\ttwo");

  utimesSync(world.path("a.txt"), 1, 1);
  expect(await read()).toBe(unchanged);
  world.put("a.txt", "one\nTWO", { ageSeconds: 30 });
  expect(await read()).toBe("1\tone\n2\tTWO");
});

test("a file the model wrote is still shown once", async () => {
  using world = toolWorld();
  const path = world.put("a.txt", "one");
  const stat = (await world.context.files.stat(path))!;
  world.context.seen.set(path, { mtimeMs: stat.mtimeMs, size: stat.size, hash: "written", by: "write" });
  expect(await answer(readFileTool, { file_path: path }, world.context)).toBe("1\tone");
});

test("of a text that is too long, the first page is shown, and where it goes on", async () => {
  using world = toolWorld();
  const line = "x".repeat(99);
  const path = world.put("big.txt", `${line}\n`.repeat(4_400));
  const read = (range: { offset?: number; limit?: number } = {}) =>
    answer(readFileTool, { file_path: "big.txt", ...range }, world.context) as Promise<string>;
  const note = (first: number, last: number) =>
    `\n\n(Too long to show at once: these are lines ${first}–${last} of 4401. Search with Grep for what you need, or go on with offset ${last + 1}.)`;

  const whole = await read();
  expect([whole.slice(0, 101), whole.slice(whole.indexOf("\n\n"))]).toEqual([`1\t${line}`, note(1, 320)]);
  expect(world.context.seen.get(path)?.range).toEqual({ offset: 1, limit: 320 });
  expect(await read({ offset: 321 })).toEndWith(`640\t${line}${note(321, 640)}`);
  expect(await read({ offset: 4_399, limit: 1 })).toBe(
    `4399\t${line}\n\n(The file goes on, to line 4401. The next offset is 4400.)`,
  );
  expect(world.context.seen.get(path)?.range).toEqual({ offset: 4_399, limit: 1 });
});

test("the token limit can be set", async () => {
  using world = toolWorld({ CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS: "2" });
  world.put("a.txt", "012\n345\n789");
  expect(await answer(readFileTool, { file_path: "a.txt" }, world.context)).toBe(
    "1\t012\n2\t345\n\n(Too long to show at once: these are lines 1–2 of 3. Search with Grep for what you need, or go on with offset 3.)",
  );
});

test("a line that is too long to show has to be taken apart by a command", async () => {
  using world = toolWorld();
  const path = world.put("it's.min.js", `start\n${"é".repeat(150_000)}\nend`);
  const read = (offset?: number) => answer(readFileTool, { file_path: "it's.min.js", offset }, world.context);
  expect(await read()).toBe(
    "1\tstart\n\n(Too long to show at once: this is line 1 of 3. Search with Grep for what you need, or go on with offset 2.)",
  );
  expect(await read(2)).toBe(
    `failed: Line 2 is too long to show: it has 150000 characters. Look at a part of it with a command, such as sed -n '2p' '${path.replace("'", "'\\''")}' | cut -c1-2000, or with Grep and -o. The lines after it begin at offset 3.`,
  );
  expect(await read(3)).toBe("3\tend");
});

test("explains why a file cannot be read", async () => {
  using world = toolWorld();
  world.put("a.txt", "x");
  world.put("sub/x", "x");
  world.put("data.dat", "text, but by its name binary");
  world.put("blob", Uint8Array.from([1, 0, 2]));
  world.put("blob.foo", Uint8Array.from([1, 0, 2]));
  const note = `Note: your current working directory is ${world.cwd}.`;
  const rest = "Please use appropriate tools for binary file analysis.";
  const cases = {
    "a.tx": `failed: File does not exist. ${note} Did you mean a.txt?`,
    "nothing-like-it.md": `failed: File does not exist. ${note}`,
    "no/such/folder": `failed: File does not exist. ${note}`,
    sub: `failed: EISDIR: illegal operation on a directory, read '${world.path("sub")}'`,
    "data.dat": `refused: This tool cannot read binary files. The file appears to be a binary .dat file. ${rest}`,
    blob: `failed: This tool cannot read binary files. The file appears to be a binary file. ${rest}`,
    "blob.foo": `failed: This tool cannot read binary files. The file appears to be a binary .foo file. ${rest}`,
    "/dev/zero": "refused: Cannot read '/dev/zero': this device file would block or produce infinite output.",
  };
  for (const [file_path, said] of Object.entries(cases)) {
    expect(await answer(readFileTool, { file_path }, world.context)).toBe(said);
  }
});

test("suggests only names that need no approval", async () => {
  using world = toolWorld();
  using elsewhere = toolWorld();
  world.put("secret-a.txt", "x");
  world.put("secret-bb.txt", "x");
  elsewhere.put("secret-c.txt", "x");
  symlinkSync(elsewhere.cwd, world.path("away"));
  symlinkSync(elsewhere.path("secret-c.txt"), world.path("secret-z.txt"));
  const hidden = new Set<string>();
  const context = { ...world.context, mayRead: (path: string) => !hidden.has(path) };
  const suggested = async (file_path: string) => {
    return /Did you mean (.*)\?/.exec(String(await answer(readFileTool, { file_path }, context)))?.[1];
  };
  // The third similar name is a link to a file outside.
  expect(["secret-a.txt", "secret-bb.txt"]).toContain((await suggested("secret-zz.txt"))!);
  hidden.add(world.path("secret-bb.txt"));
  expect(await suggested("secret-zz.txt")).toBe("secret-a.txt");
  hidden.add(world.path("secret-a.txt"));
  expect(await suggested("secret-zz.txt")).toBeUndefined();
  expect(await suggested(elsewhere.path("secret-d.txt"))).toBeUndefined();
  expect(await suggested("away/secret-d.txt")).toBeUndefined();
  const wider = { ...context.workspace, directories: [world.cwd, elsewhere.cwd] };
  expect(
    String(await answer(readFileTool, { file_path: "away/secret-d.txt" }, { ...context, workspace: wider })),
  ).toContain("Did you mean secret-c.txt?");
});

test("reads other encodings, and SVG as text", async () => {
  using world = toolWorld();
  world.put("le.txt", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("hé\r\nx", "utf16le")]));
  world.put("latin.txt", Buffer.from("hé", "latin1"));
  world.put("bom.txt", "\ufeffa");
  world.put("a.svg", "<svg/>");
  const read = (file_path: string) => answer(readFileTool, { file_path }, world.context);
  expect([await read("le.txt"), await read("latin.txt"), await read("bom.txt"), await read("a.svg")]).toEqual([
    "1\thé\n2\tx",
    "1\thé",
    "1\ta",
    "1\t<svg/>",
  ]);
});

test("reading a range is enough to edit the file", async () => {
  using world = toolWorld();
  const path = world.put("a.txt", "one\ntwo");
  await call(readFileTool, { file_path: "a.txt", offset: 2, limit: 1 }, world.context);
  expect(world.context.seen.get(path)).toMatchObject({ by: "read", size: 7, range: { offset: 2, limit: 1 } });
});

test("access() has the absolute path", () => {
  using world = toolWorld();
  expect(readFileTool.access({ file_path: "../x" }, world.context)).toEqual({
    kind: "read",
    path: world.path("../x"),
  });
});

test.each([
  [16_384, 2_048],
  [65_536, 8_192],
  [128_000, undefined],
  [undefined, undefined],
])("in a window of %p tokens, a file that fills much of it is shown page by page", async (window, tokens) => {
  using world = toolWorld();
  const lines = Array.from({ length: 3_000 }, (_, at) => `line ${at + 1} of many`);
  world.put("long.txt", lines.join("\n"));
  const whole = Buffer.byteLength(lines.join("\n")) / 4;
  const shown = String(await answer(readFileTool, { file_path: "long.txt" }, { ...world.context, window }));
  const [, next] = /go on with offset (\d+)\.\)$/.exec(shown) ?? [];
  expect(next === undefined).toBe(tokens === undefined || tokens >= whole);
  if (next === undefined) return;
  const page = lines.slice(0, Number(next) - 1).join("\n").length / 4;
  expect([page <= tokens!, page > tokens! * 0.9]).toEqual([true, true]);
});
