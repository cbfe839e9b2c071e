import { expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { validateInput } from "@keelson/engine";
import type { CodeFindings } from "@keelson/protocol";
import { answer, call, toolWorld } from "../tool-world.test-support.ts";
import { lspTool, type LspInput } from "./lsp.ts";

const INPUT: LspInput = { operation: "findReferences", filePath: "a.ts", line: 2, character: 3 };
const finding = (found: Partial<CodeFindings>) =>
  lspTool({ ask: async () => ({ encoding: "utf-16", word: "name", ...found }) });

test("a call reads the file, and is asked about from 0", async () => {
  using world = toolWorld();
  const path = world.put("a.ts", "one\ntwo\n");
  const asked: unknown[] = [];
  const tool = lspTool({
    async ask(question) {
      asked.push(question);
      return { encoding: "utf-16", word: "two", hover: " **two** \n" };
    },
  });
  expect(await tool.access(INPUT, world.context)).toEqual({ kind: "read", path });
  const input = { ...INPUT, operation: "hover" } as const;
  expect(await call(tool, input, world.context)).toEqual({
    operation: "hover",
    filePath: path,
    result: "**two**",
    resultCount: 1,
    fileCount: 1,
  });
  expect(asked).toEqual([{ operation: "hover", path, position: { line: 1, character: 2 } }]);
});

test("the input has four fields, all required; only documentSymbol does without a position", () => {
  const tool = finding({});
  expect(tool.input.json["required"]).toEqual(["operation", "filePath", "line", "character"]);
  expect(validateInput(tool, { operation: "documentSymbol", filePath: "a" })).toMatchObject({ ok: true });
  const lenient = { operation: "hover", file_path: "a.ts", line: "2", character: "3" };
  expect(validateInput(tool, lenient)).toEqual({ ok: true, input: { ...INPUT, operation: "hover" } });
  expect(validateInput(tool, { operation: "hover", filePath: "a" }).ok).toBe(false);
  expect(validateInput(tool, { ...INPUT, line: 0 }).ok).toBe(false);
  expect(validateInput(tool, { ...INPUT, operation: "rename" }).ok).toBe(false);
});

test("a missing file and a folder are refused before anything is asked", async () => {
  using world = toolWorld();
  world.put("src/a.ts", "");
  const tool = finding({});
  expect(await answer(tool, INPUT, world.context)).toStartWith("refused: File does not exist. ");
  expect(await answer(tool, { ...INPUT, filePath: "src" }, world.context)).toBe("refused: Path is not a file: src");
});

test("places are quoted if they are in the working directories; hidden files are left out", async () => {
  using world = toolWorld();
  using outside = toolWorld();
  const path = world.put("a.ts", `first\n  second ${"x".repeat(300)}\n`);
  const secret = world.put("secret.ts", "password\n");
  const library = outside.put("lib.d.ts", "declare\n");
  symlinkSync(library, world.path("link.ts"));
  const at = (file: string, line = 0) => ({ path: file, line, character: 2 });
  const places = [
    at(path),
    at(path, 1),
    at(secret),
    at(library),
    at(world.path("link.ts")),
    at("jdt://x"),
    at(path, 99),
  ];
  const context = { ...world.context, mayRead: (each: string) => each !== secret };
  expect(await answer(finding({ places }), INPUT, context)).toBe(
    [
      "Found 6 references in 4 files",
      "a.ts:1:3: first",
      `a.ts:2:3: second ${"x".repeat(193)}…`,
      `${library}:1:3`,
      "link.ts:1:3",
      "jdt://x:1:3",
      "a.ts:100:3",
    ].join("\n"),
  );
});

test("positions are shown in UTF-16, whatever the server counts", async () => {
  using world = toolWorld();
  const path = world.put("a.ts", "ä𝒳 name\n");
  const shown = async (encoding: CodeFindings["encoding"], character: number) =>
    (await call(finding({ encoding, places: [{ path, line: 0, character }] }), INPUT, world.context)).result;
  const expected = "Found 1 reference\na.ts:1:5: ä𝒳 name";
  expect([await shown("utf-8", 7), await shown("utf-16", 4), await shown("utf-32", 3)]).toEqual([
    expected,
    expected,
    expected,
  ]);
});

test("at most 200 are listed, and the rest is counted", async () => {
  using world = toolWorld();
  const path = world.put("a.ts", "x\n");
  const places = Array.from({ length: 300 }, (_, line) => ({ path, line, character: 0 }));
  const { result, resultCount } = await call(finding({ places, total: 9_000 }), INPUT, world.context);
  expect([resultCount, result.split("\n").length, result.split("\n").at(-1)]).toEqual([
    9_000,
    203,
    "(8800 more are not listed.)",
  ]);
});

test("symbols and calls: an outline, a list, callers and called functions", async () => {
  using world = toolWorld();
  const path = world.put("a.ts", "x\n");
  const symbol = { name: "f", kind: "function", path, line: 4, character: 0, depth: 0 };
  const inner = { ...symbol, name: "g", kind: "variable", depth: 2, detail: "of\n f", container: "f" };
  const at = Array.from({ length: 12 }, (_, line) => ({ line, character: 1 }));
  const said = async (operation: LspInput["operation"], found: Partial<CodeFindings>) =>
    (await call(finding(found), { ...INPUT, operation }, world.context)).result;
  expect(await said("documentSymbol", { symbols: [symbol, inner] })).toBe(
    "Found 2 symbols in a.ts\n5:1 function f\n    5:1 variable g (of f)",
  );
  expect(await said("workspaceSymbol", { symbols: [inner] })).toBe("Found 1 symbol\na.ts:5:1: variable g in f");
  expect(await said("incomingCalls", { calls: [{ symbol, at }] })).toBe(
    "Found 1 caller\na.ts:5:1: function f, calls it at 1:2, 2:2, 3:2, 4:2, 5:2, 6:2, 7:2, 8:2, 9:2, 10:2, …",
  );
  expect(await said("outgoingCalls", { calls: [{ symbol, at: at.slice(0, 1) }] })).toBe(
    "Found 1 called function\na.ts:5:1: function f, called at 1:2",
  );
});

test("nothing found: what was looked for, where, and what to do", async () => {
  using world = toolWorld();
  world.put("a.ts", "x\n");
  const said = (found: Partial<CodeFindings>, operation: LspInput["operation"] = "findReferences") =>
    answer(finding(found), { ...INPUT, operation }, world.context);
  expect([
    await said({}),
    await said({ word: "" }),
    await said({ hover: " " }, "hover"),
    await said({ symbols: [] }, "documentSymbol"),
    await said({ isBusy: true }),
  ]).toEqual([
    'No references found for "name" at a.ts:2:3',
    "No references found: there is no name at a.ts:2:3. Point at a letter of the symbol's name.",
    'No descriptions found for "name" at a.ts:2:3',
    "No symbols found in a.ts",
    'No references found for "name" at a.ts:2:3\n\n(The language server is still reading the project; ask again later.)',
  ]);
});
