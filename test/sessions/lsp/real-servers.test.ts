// The servers of TypeScript and Python from npm, unchanged: every operation and the diagnostics after an edit, through
// the front door.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, type TemporaryHome } from "@keelson/testkit";
import { told } from "../front-door.ts";
import { question } from "./fake.ts";

const modules = join(import.meta.dir, "..", "..", "..", "node_modules");
const TYPESCRIPT = {
  command: "node",
  args: [join(modules, "typescript/bin/tsc"), "--lsp", "--stdio"],
  extensionToLanguage: { ".ts": "typescript" },
};
const PYTHON = {
  command: "node",
  args: [join(modules, "pyright/langserver.index.js"), "--stdio"],
  extensionToLanguage: { ".py": "python" },
};

function typescriptProject(home: TemporaryHome): void {
  home.write("tsconfig.json", { compilerOptions: { strict: true, noEmit: true, types: [] } });
  home.write(
    "shapes.ts",
    "export interface Shape {\n  area(): number;\n}\n" +
      "export class Square implements Shape {\n  area(): number {\n    return 4;\n  }\n}\n" +
      "export function total(shapes: Shape[]): number {\n  return shapes.length === 0 ? 0 : shapes[0]!.area();\n}\n",
  );
  home.write(
    "main.ts",
    'import { Square, total } from "./shapes.ts";\n\nexport function main(): number {\n  return total([new Square()]);\n}\n',
  );
}

function pythonProject(home: TemporaryHome): void {
  home.write(
    "shapes.py",
    "class Square:\n    def area(self) -> int:\n        return 4\n\n\ndef total(shapes: list[Square]) -> int:\n    return shapes[0].area()\n",
  );
  home.write("main.py", "from shapes import Square, total\n\n\ndef main() -> int:\n    return total([Square()])\n");
}

/** What the model reads as the result of each question. */
async function answers(home: TemporaryHome, calls: readonly ReturnType<typeof question>[]): Promise<readonly string[]> {
  await using model = await startMockModel([...calls.map((call) => ({ calls: [call] })), { text: "ok" }]);
  const { code, stderr } = await runKeelson(["-p", "go"], { home, url: model.url });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return model.requests.slice(1).map((request) => told(request)[0].content);
}

test("TypeScript 7: every operation", async () => {
  using home = temporaryHome();
  typescriptProject(home);
  home.settings({ lspServers: { typescript: TYPESCRIPT } });
  const said = await answers(home, [
    question("goToDefinition", "main.ts", 4, 10),
    question("findReferences", "shapes.ts", 9, 18),
    question("hover", "main.ts", 4, 11),
    question("documentSymbol", "shapes.ts"),
    question("workspaceSymbol", "main.ts", 4, 22),
    question("goToImplementation", "shapes.ts", 1, 20),
    question("prepareCallHierarchy", "main.ts", 4, 10),
    question("incomingCalls", "shapes.ts", 9, 18),
    question("outgoingCalls", "main.ts", 3, 18),
    question("hover", "main.ts", 2, 1),
  ]);
  expect(said).toEqual([
    "Found 1 definition\nshapes.ts:9:17: export function total(shapes: Shape[]): number {",
    "Found 3 references in 2 files\nshapes.ts:9:17: export function total(shapes: Shape[]): number {\n" +
      'main.ts:1:18: import { Square, total } from "./shapes.ts";\nmain.ts:4:10: return total([new Square()]);',
    "```typescript\n(alias) function total(shapes: Shape[]): number\n```",
    "Found 5 symbols in shapes.ts\n1:18 interface Shape\n  2:3 method area\n4:14 class Square\n  5:3 method area\n9:17 function total",
    "Found 1 symbol\nshapes.ts:4:14: class Square",
    "Found 1 implementation\nshapes.ts:4:14: export class Square implements Shape {",
    "Found 1 function\nshapes.ts:9:17: function total",
    "Found 1 caller\nmain.ts:3:17: function main, calls it at 4:10",
    "Found 2 called functions\nshapes.ts:9:17: function total, called at 4:10\nshapes.ts:4:14: class Square, called at 4:21",
    "No descriptions found: there is no name at main.ts:2:1. Point at a letter of the symbol's name.",
  ]);
});

test("pyright: every operation that it has", async () => {
  using home = temporaryHome();
  pythonProject(home);
  home.settings({ lspServers: { python: PYTHON } });
  const said = await answers(home, [
    question("goToDefinition", "main.py", 5, 12),
    question("findReferences", "shapes.py", 6, 5),
    question("hover", "main.py", 5, 12),
    question("documentSymbol", "shapes.py"),
    question("workspaceSymbol", "main.py", 5, 20),
    question("goToImplementation", "main.py", 5, 12),
    question("prepareCallHierarchy", "main.py", 5, 12),
    question("incomingCalls", "shapes.py", 6, 5),
    question("outgoingCalls", "main.py", 4, 5),
  ]);
  expect(said).toEqual([
    "Found 1 definition\nshapes.py:6:5: def total(shapes: list[Square]) -> int:",
    "Found 3 references in 2 files\nmain.py:1:28: from shapes import Square, total\n" +
      "main.py:5:12: return total([Square()])\nshapes.py:6:5: def total(shapes: list[Square]) -> int:",
    "```python\n(function) def total(shapes: list[Square]) -> int\n```",
    "Found 4 symbols in shapes.py\n1:7 class Square\n  2:9 method area\n6:5 function total\n  6:11 variable shapes",
    "Found 1 symbol\nshapes.py:1:7: class Square",
    'The language server "python" does not support goToImplementation',
    "Found 1 function\nshapes.py:6:5: function total",
    "Found 1 caller\nmain.py:4:5: function main, calls it at 5:12",
    "Found 2 called functions\nshapes.py:6:5: function total, called at 5:12\nshapes.py:1:7: class Square, called at 5:19",
  ]);
});

const BROKEN = [
  [
    "TypeScript 7",
    TYPESCRIPT,
    typescriptProject,
    "main.ts",
    "return total([new Square()]);",
    'return "four";',
    /^main\.ts:4:3: error: Type 'string' is not assignable to type 'number'\. \[ts 2322\]$/m,
  ],
  [
    "pyright",
    PYTHON,
    pythonProject,
    "main.py",
    "return total([Square()])",
    'return "four"',
    /^main\.py:5:12: error: Type "Literal\['four'\]" is not assignable to return type "int".* \[Pyright reportReturnType\]$/m,
  ],
] as const;

test.each(BROKEN)(
  "%s: an error that an edit brings is reported with a later result",
  async (_, server, write, file, before, after, expected) => {
    using home = temporaryHome();
    write(home);
    home.write("plugin/.claude-plugin/plugin.json", { name: "p", lspServers: { server } });
    let isBroken = false;
    await using model = await startMockModel((body, number) => {
      if (number === 1) return { calls: [{ name: "Read", input: { file_path: file } }] };
      if (number === 2)
        return { calls: [{ name: "Edit", input: { file_path: file, old_string: before, new_string: after } }] };
      isBroken = JSON.stringify((body["messages"] as unknown[]).at(-1)).includes("new-diagnostics");
      return isBroken ? { text: "ok" } : { calls: [{ name: "Bash", input: { command: "sleep 0.1" } }] };
    });
    const args = ["-p", "go", "--plugin-dir", "plugin", "--allowedTools", "Edit,Bash(sleep *)"];
    const { code } = await runKeelson(args, { home, url: model.url });
    expect({ code, isBroken }).toEqual({ code: 0, isBroken: true });
    expect(told(model.requests.at(-1)!).at(-1).text).toMatch(expected);
  },
);

test.each([
  [
    "TypeScript 7",
    TYPESCRIPT,
    typescriptProject,
    "main.ts",
    "shapes.ts",
    4,
    10,
    "moved.ts:9:17: export function total",
  ],
  ["pyright", PYTHON, pythonProject, "main.py", "shapes.py", 5, 12, "moved.py:6:5: def total"],
] as const)(
  "%s: what commands do to files is noticed",
  async (_, server, write, main, file, line, character, expected) => {
    using home = temporaryHome();
    write(home);
    home.settings({ lspServers: { server }, permissions: { allow: ["Bash"] } });
    const moved = file.replace("shapes", "moved");
    const command = `mv ${file} ${moved} && sed -i s/shapes/moved/ ${main}`;
    const ask = { calls: [question("goToDefinition", main, line, character)] };
    await using model = await startMockModel([
      ask,
      { calls: [{ name: "Bash", input: { command } }] },
      ask,
      { text: "ok" },
    ]);
    await runKeelson(["-p", "go"], { home, url: model.url });
    expect(told(model.requests.at(-1)!)[0].content).toStartWith(`Found 1 definition\n${expected}`);
  },
);
