import { describe, expect, test } from "bun:test";
import { type CommandItem, matchCommands } from "./commands.ts";
import { FuzzyIndex, fuzzyScore } from "./fuzzy.ts";
import { mentionAt, mentionText } from "./mention.ts";

const COMMANDS: CommandItem[] = [
  { name: "add-dir", description: "Add a working directory", argumentHint: "<path>" },
  { name: "clear", description: "Start a new session" },
  { name: "compact", description: "Summarize the conversation" },
  { name: "config", description: "Change settings" },
  { name: "context", description: "Show what fills the context" },
  { name: "resume", aliases: ["continue"], description: "Open an earlier session" },
  { name: "usage", aliases: ["cost", "stats"], description: "Show tokens and cost" },
];

describe("fuzzy", () => {
  const paths = [
    "packages/tui/src/editor/prompt.ts",
    "packages/tui/src/editor/prompt-view.ts",
    "packages/prompt/src/index.ts",
    "docs/editor.md",
    "README.md",
    "src/FuzzyIndex.ts",
  ];

  test.each([
    ["prompt", "packages/tui/src/editor/prompt.ts"],
    ["pv", "packages/tui/src/editor/prompt-view.ts"],
    ["edprompt", "packages/tui/src/editor/prompt.ts"],
    ["readme", "README.md"],
    ["fi", "src/FuzzyIndex.ts"],
    ["prompt/index", "packages/prompt/src/index.ts"],
    ["tui prompt view", "packages/tui/src/editor/prompt-view.ts"],
  ])("%s finds %s first", (query, path) => {
    expect(new FuzzyIndex(paths).search(query, 3)[0]).toBe(path);
  });

  test("a longer query narrows what the shorter one found", () => {
    const index = new FuzzyIndex(paths);
    expect(index.search("ed", 9)).toContain("docs/editor.md");
    expect(index.search("edm", 9)).toEqual([
      "docs/editor.md",
      "README.md",
      "packages/tui/src/editor/prompt.ts",
      "packages/tui/src/editor/prompt-view.ts",
    ]);
    expect(index.search("re", 9)).toContain("README.md");
    expect(index.search("zzz", 9)).toEqual([]);
    expect(index.search("", 2)).toEqual(paths.slice(0, 2));
  });

  test("letters in another order do not match", () => {
    expect(fuzzyScore("tp", "prompt")).toBeUndefined();
    expect(fuzzyScore("a", "")).toBeUndefined();
  });
});

describe("commands", () => {
  test.each([
    ["co", ["config", "compact", "context", "usage", "resume"]],
    ["config", ["config"]],
    ["cost", ["usage"]],
    ["continue", ["resume"]],
    ["cx", ["context"]],
    ["summar", ["compact"]],
    ["nothing", []],
  ])("/%s", (query, names) => {
    const found = matchCommands(query, COMMANDS).map(({ name }) => name);
    expect(found.slice(0, names.length)).toEqual(names);
    if (names.length === 0) expect(found).toEqual([]);
  });
});

describe("mentions", () => {
  test.each([
    ["@", 1, { start: 0, query: "" }],
    ["see @src/a", 10, { start: 4, query: "src/a" }],
    ['see @"a b', 9, { start: 4, query: "a b" }],
    ["me@host", 7, undefined],
    ["@a b", 4, undefined],
    ["(@a", 3, { start: 1, query: "a" }],
  ])("%j", (line, offset, word) => {
    expect(mentionAt(line, offset)).toEqual(word!);
  });

  test.each([
    ["a.ts", "@a.ts ", false],
    ["src/", "@src/", true],
    ["a b.txt", '@"a b.txt" ', false],
    ["a b/", '@"a b/', true],
  ])("%s becomes %j", (value, text, open) => {
    expect(mentionText(value)).toEqual({ text, open });
  });
});
