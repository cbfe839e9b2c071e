import { expect, test } from "bun:test";
import fc from "fast-check";
import type { CodeOperation } from "@keelson/protocol";
import { findingsOf } from "./findings.ts";

const range = (line: number, character = 0) => ({
  start: { line, character },
  end: { line, character: character + 1 },
});
const at = (line: number, character = 0, path = "/p/a b.ts") => ({ path, line, character });
const uri = "file:///p/a%20b.ts";

test("places come as one location, a list, or links; the name is what a link points at", () => {
  expect(findingsOf("goToDefinition", { uri, range: range(1, 2) }, "")).toEqual({ places: [at(1, 2)] });
  expect(
    findingsOf(
      "findReferences",
      [
        { uri, range: range(1) },
        { uri, range: range(1) },
      ],
      "",
    ),
  ).toEqual({ places: [at(1)] });
  const link = { targetUri: uri, targetRange: range(1), targetSelectionRange: range(2, 7) };
  expect(findingsOf("goToImplementation", [link], "")).toEqual({ places: [at(2, 7)] });
  expect(findingsOf("goToDefinition", [{ uri: "jdt://x", range: range(1) }], "")).toEqual({
    places: [at(1, 0, "jdt://x")],
  });
  expect(
    [null, [], "x", [{ uri }], [{ uri, range: { start: { line: -1, character: 0 } } }]].map((answer) =>
      findingsOf("goToDefinition", answer, ""),
    ),
  ).toEqual(Array.from({ length: 5 }, () => ({ places: [] })));
});

test.each([
  ["markup", { kind: "markdown", value: "**x**" }, "**x**"],
  ["a text", "x", "x"],
  ["code", { language: "ts", value: "x" }, "```ts\nx\n```"],
  ["a list", ["a", { language: "ts", value: "b" }], "a\n\n```ts\nb\n```"],
  ["nothing", undefined, ""],
])("hover as %s", (_, contents, expected) => {
  expect(findingsOf("hover", { contents }, "")).toEqual({ hover: expected });
});

test("symbols come as a tree of the document or as a flat list", () => {
  const child = { name: "b", kind: 6, range: range(2), selectionRange: range(2, 4), children: [] };
  const tree = [{ name: "a", kind: 5, detail: "d", range: range(1), selectionRange: range(1, 3), children: [child] }];
  expect(findingsOf("documentSymbol", tree, "/p/a b.ts")).toEqual({
    symbols: [
      { name: "a", kind: "class", detail: "d", depth: 0, ...at(1, 3) },
      { name: "b", kind: "method", depth: 1, ...at(2, 4) },
    ],
  });
  const flat = [{ name: "c", kind: 99, containerName: "x", location: { uri, range: range(3) } }];
  const expected = { symbols: [{ name: "c", kind: "symbol", container: "x", depth: 0, ...at(3) }] };
  expect([findingsOf("documentSymbol", flat, "/q"), findingsOf("workspaceSymbol", flat, "/q")]).toEqual([
    expected,
    expected,
  ]);
  const fileOnly = [{ name: "c", kind: 12, location: { uri } }];
  expect(findingsOf("workspaceSymbol", fileOnly, "")).toEqual({
    symbols: [{ name: "c", kind: "function", depth: 0, ...at(0) }],
  });
});

test("calls name the other end and each place once", () => {
  const item = { name: "f", kind: 12, uri, range: range(1), selectionRange: range(1, 9) };
  const symbol = { name: "f", kind: "function", depth: 0, ...at(1, 9) };
  const fromRanges = [range(4), range(4), range(5)];
  const places = [
    { line: 4, character: 0 },
    { line: 5, character: 0 },
  ];
  expect(findingsOf("incomingCalls", [{ from: item, fromRanges }], "/q")).toEqual({ calls: [{ symbol, at: places }] });
  expect(findingsOf("outgoingCalls", [{ to: item, fromRanges }], "/q")).toEqual({
    calls: [{ symbol, at: places }],
    callsIn: "/q",
  });
});

test("more than 5,000 are counted and cut", () => {
  const many = Array.from({ length: 6_000 }, (_, line) => ({ uri, range: range(line) }));
  const { places, total } = findingsOf("findReferences", many, "");
  expect([places?.length, total]).toEqual([5_000, 6_000]);
});

test("no answer makes it throw", () => {
  const keys = [
    "uri",
    "targetUri",
    "range",
    "start",
    "line",
    "name",
    "kind",
    "location",
    "children",
    "from",
    "contents",
    "value",
  ];
  const answers = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom(null, 1, -1, "", "file:///x", "file://%", true),
      fc.array(tie("any")),
      tie("object"),
    ),
    object: fc.dictionary(fc.constantFrom(...keys), tie("any")),
  }));
  fc.assert(
    fc.property(
      fc.constantFrom<CodeOperation>(
        "findReferences",
        "hover",
        "documentSymbol",
        "workspaceSymbol",
        "incomingCalls",
        "outgoingCalls",
      ),
      answers.any,
      (operation, answer) => {
        findingsOf(operation, answer, "/p");
      },
    ),
  );
});
