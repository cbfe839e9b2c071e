// Checks docs/sdk.md and docs/migration.md against the SDK: every TypeScript block is part of an example or compiles,
// blocks marked `run` print the output below them, and what the tables name exists.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as sdk from "@keelson/sdk";
import * as stores from "@keelson/sdk/stores";
import { runKeelson, startMockModel, temporaryHome, testUnless } from "@keelson/testkit";
import { openDocShell } from "../scripts/docs/doc-shell.ts";
import { root } from "../scripts/root.ts";

const read = (path: string) => readFileSync(join(root, path), "utf8");
const PAGES = ["docs/sdk.md", "docs/migration.md"];

/** The model's replies in blocks marked `model=…`; the offline model answers in the others. */
const MODELS: Readonly<Record<string, Parameters<typeof startMockModel>[0]>> = {
  push: [
    { calls: [{ name: "Bash", input: { command: "git push" } }] },
    ({ messages }) => ({ text: `I was told: ${/Not on a Friday/.exec(JSON.stringify(messages))?.[0]}` }),
  ],
  question: [
    {
      calls: [
        {
          name: "AskUserQuestion",
          input: {
            questions: [
              {
                question: "Which database?",
                header: "Database",
                options: ["Postgres", "SQLite"].map((label) => ({ label, description: label })),
                multiSelect: false,
              },
            ],
          },
        },
      ],
    },
    ({ messages }) => ({ text: `Then ${/Which database\?\W+(\w+)/.exec(lastOf(messages))?.[1]} it is.` }),
  ],
  overloaded: [{ status: 529 }, { text: "Here I am." }],
};

const lastOf = (messages: unknown) => JSON.stringify((messages as unknown[]).at(-1));

interface Block {
  readonly place: string;
  readonly file: string;
  readonly code: string;
  /** The words after `ts` on the fence. */
  readonly words: Readonly<Record<string, string | undefined>>;
  /** The `text output` block right after it, if any. */
  readonly output: string | undefined;
}

/**
 * `ts` compiles. `ts run` runs, with `model=…` for scripted replies. `ts from=…` is copied from that file.
 * `ts official` is written for the official SDK and compiles with the import changed.
 */
function blocksIn(page: string): Block[] {
  const fenced = /^```ts((?: [\w=./-]+)*)\n([\s\S]*?)^```\n(?:\n(`{3,})text output\n([\s\S]*?)^\3\n)?/gm;
  const text = read(page);
  return Array.from(text.matchAll(fenced), ({ index, 1: words, 2: code, 4: output }) => {
    const line = text.slice(0, index).split("\n").length;
    const file = `${page.replaceAll(/\W/g, "-")}-${line}.ts`;
    const given = words!.split(" ").map((word) => [word.split("=")[0], word.split("=")[1] ?? ""]);
    return { place: `${page}:${line}`, file, code: code!, words: Object.fromEntries(given), output };
  });
}

const blocks = PAGES.flatMap(blocksIn);
const own = blocks.filter(({ words }) => words["from"] === undefined);
const quoted = blocks.filter(({ words }) => words["from"] !== undefined);

const folder = mkdtempSync(join(tmpdir(), "keelson-docs-sdk-"));
afterAll(() => rmSync(folder, { recursive: true }));
symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
for (const { file, code } of own) {
  writeFileSync(join(folder, file), code.replaceAll("@anthropic-ai/claude-agent-sdk", "@keelson/sdk"));
}

test("the pages have blocks of every kind", () => {
  expect([own.length > 5, quoted.length > 5, own.filter(({ words }) => "run" in words).length > 5]).toEqual([
    true,
    true,
    true,
  ]);
});

test("the blocks compile, and the examples too", async () => {
  const config = {
    extends: join(root, "tsconfig.json"),
    compilerOptions: { typeRoots: [join(root, "node_modules", "@types")] },
    include: [join(folder, "*.ts"), join(root, "examples/sdk/*.ts"), join(root, "types")],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const tsc = Bun.spawn([join(root, "node_modules/.bin/tsc"), "-p", join(folder, "tsconfig.json")], { stdout: "pipe" });
  expect({ problems: await tsc.stdout.text(), code: await tsc.exited }).toEqual({ problems: "", code: 0 });
});

/** Ignores indentation, which differs on the page. */
const lines = (code: string) =>
  code
    .trim()
    .split("\n")
    .map((line) => line.trim())
    .join("\n");

test.each(quoted.map(({ place, words, code }) => [place, words["from"]!, code] as const))(
  "the block at %s is copied from %s",
  (_, from, code) => expect(lines(read(from))).toContain(lines(code)),
);

for (const { place, file, words, output } of own.filter(({ words }) => "run" in words)) {
  test(`the block at ${place} runs`, async () => {
    const script = words["model"] === undefined ? undefined : MODELS[words["model"]]!;
    await using model = script && (await startMockModel(script));
    using shell = openDocShell();
    const { code, stdout, stderr } = await shell.run(
      `'${process.execPath}' '${join(folder, file)}'`,
      model ? { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test-key" } : {},
    );
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: output ?? stdout, stderr: "" });
  });
}

/** The cells of the tables in a part of a page. */
function rowsOf(page: string, title: string): readonly string[][] {
  const part = read(page).split(`\n## ${title}\n`)[1]!.split("\n## ")[0]!;
  const rows = part.split("\n").filter((line) => line.startsWith("|") && !/^\|[ |:-]+\|$/.test(line));
  return rows.map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}
const namesIn = (cell: string) => Array.from(cell.matchAll(/`(\w+)/g), ([, name]) => name!);

test("what the tables of the guide name exists", () => {
  const optionNames = read("packages/sdk/src/options/options.ts");
  const methods = read("packages/sdk/src/query/query-object.ts");
  const exported = new Set([...Object.keys(sdk), ...Object.keys(stores)]);
  const isKnown = (name: string) =>
    exported.has(name) || new RegExp(`^  ${name}\\??[:(]`, "m").test(`${optionNames}\n${methods}`);
  const tables = ["Permissions", "Sessions", "Session stores", "Budgets and limits", "Concurrency and warm starts"];
  const named = tables.flatMap((title) => rowsOf("docs/sdk.md", title).flatMap(([first]) => namesIn(first!)));
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !isKnown(name))).toEqual([]);
});

test("the table of errors has every class, with its errorClass", () => {
  const rows = rowsOf("docs/sdk.md", "Errors and retries").slice(1);
  const source = read("packages/sdk/src/errors.ts");
  const classes = Array.from(
    source.matchAll(/class (\w+)[\s\S]*?errorClass: ErrorClass = "(\w+)"/g),
    ([, ...found]) => found,
  );
  expect(rows.map(([name, kind]) => [...namesIn(name!), ...namesIn(kind!)]).toSorted()).toEqual(classes.toSorted());
});

const missing = rowsOf("docs/migration.md", "Not supported yet");
const rowsThatSay = (word: string) =>
  missing.filter(([, today]) => today!.startsWith(word)).flatMap(([what]) => namesIn(what!));

test("options listed without effect are used nowhere but in the code that reads them", () => {
  const files = [...new Bun.Glob("packages/{engine,runtime,tools}/src/**/*.ts").scanSync(root)];
  const others = files.filter((file) => !file.includes(".test") && !file.endsWith("controls/handlers/initialize.ts"));
  const code = others.map(read).join("\n");
  // Ordinary words, which also occur with other meanings.
  const isOrdinary = (name: string) => ["agents", "skills", "thinking", "snapshot"].includes(name);
  const names = rowsThatSay("no effect").filter((name) => !isOrdinary(name));
  expect(names.length).toBeGreaterThan(2);
  expect(names.filter((name) => new RegExp(`\\b${name}\\b`).test(code))).toEqual([]);
});

test("what is listed as missing is not exported", () => {
  const names = rowsThatSay("not exported");
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => name in sdk)).toEqual([]);
  const { exports } = JSON.parse(read("packages/sdk/package.json")) as { exports: object };
  const entries = missing.flatMap(([what]) => Array.from(what!.matchAll(/`\/(\w+)`/g), ([, name]) => `./${name}`));
  expect(entries).toHaveLength(3);
  expect(entries.filter((name) => name in exports)).toEqual([]);
});

const python = Bun.which("python3");

testUnless(python ? null : "python3 is not installed", test)("the Python on the page is Python", async () => {
  const [, code] = /^```python\n([\s\S]*?)^```$/m.exec(read("docs/migration.md"))!;
  const check = Bun.spawn([python!, "-c", "import ast, sys; ast.parse(sys.stdin.read())"], {
    stdin: new Blob([code!]),
  });
  expect(await check.exited).toBe(0);
});

test("the page shows the version that clients ask for", async () => {
  using home = temporaryHome();
  const { stdout } = await runKeelson(["-v"], { home });
  expect(read("docs/migration.md")).toContain(`\`${stdout.trim()}\``);
});
