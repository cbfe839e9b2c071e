// @keelson/sdk as people install it: what goes to npm, beside zod and the program and nothing else. It installs offline from
// its archives, runs on Node and Bun, goes through a bundler, and compiles; where KEELSON_OFFICIAL_SDK names a folder with the official package installed,
// the same application compiles against that, too.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startMockModel, temporaryHome, testUnless } from "@keelson/testkit";
import { freshBuild } from "../scripts/fresh-build.ts";
import { writePlatformPackage, writeThinPackage } from "../scripts/npm/npm-packages.ts";
import { currentPlatform } from "../scripts/platform.ts";
import { writeSdkPackage } from "../scripts/npm/sdk-package.ts";
import { door } from "./sessions/sdk/door.ts";

const root = join(import.meta.dir, "..");
const folder = mkdtempSync(join(tmpdir(), "keelson-sdk-package-"));
const installed = join(folder, "node_modules", "@keelson", "sdk");
const official = process.env["KEELSON_OFFICIAL_SDK"];
const OFFICIAL = "@anthropic-ai/claude-agent-sdk";

afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(async () => {
  const built = await writeSdkPackage(join(folder, "built"), "1.2.3");
  cpSync(built, installed, { recursive: true });
  for (const name of ["zod", "@types/node", "undici-types"]) {
    mkdirSync(join(folder, "node_modules", name, ".."), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
  }
});

test("the package needs zod and the program, and nothing else", async () => {
  const manifest = await Bun.file(join(installed, "package.json")).json();
  expect(manifest).toEqual({
    name: "@keelson/sdk",
    version: "1.2.3",
    license: "MIT",
    description: expect.any(String),
    type: "module",
    exports: {
      ".": { types: "./types/sdk/src/index.d.ts", default: "./index.js" },
      "./core": { types: "./types/sdk/src/core.d.ts", default: "./core.js" },
      "./stores": { types: "./types/sdk/src/stores.d.ts", default: "./stores.js" },
      "./sdk-tools": { types: "./types/sdk/src/tool-types/sdk-tools.d.ts", default: "./tool-types/sdk-tools.js" },
      "./sdk-tools.js": { types: "./types/sdk/src/tool-types/sdk-tools.d.ts", default: "./tool-types/sdk-tools.js" },
      "./package.json": "./package.json",
    },
    files: ["*.js", "tool-types", "types"],
    sideEffects: false,
    engines: { node: ">=20" },
    dependencies: { keelson: "1.2.3", zod: "^4.0.0" },
  });
  expect(existsSync(join(installed, "LICENSE"))).toBe(true);
  const readme = readFileSync(join(installed, "README.md"), "utf8");
  expect(readme).toStartWith("# @keelson/sdk\n");
  expect(readme).not.toContain("](../");

  const files = readdirSync(installed, { recursive: true, encoding: "utf8" }).filter((path) =>
    /\.(?:js|d\.ts)$/.test(path),
  );
  const specifiers = files.flatMap((path) =>
    [
      ...readFileSync(join(installed, path), "utf8").matchAll(
        /^(?:import|export|\}).* from "([^"]+)"|import\("([^"]+)"\)/gm,
      ),
    ].map(([, named, lazy]) => named ?? lazy!),
  );
  const foreign = new Set(specifiers.filter((specifier) => !/^(?:node:|\.\.?\/)/.test(specifier)));
  expect([...foreign]).toEqual(["zod/mini"]);
});

const program = `
  import * as sdk from "@keelson/sdk";
  import * as stores from "@keelson/sdk/stores";
  import "@keelson/sdk/sdk-tools";
  import { z } from "zod";

  const say = (value) => console.log(JSON.stringify(value));
  main(JSON.parse(process.argv[2]));

  async function main(given) {
    const sessionStore = new stores.InMemorySessionStore();
    const shout = sdk.tool("shout", "Says it louder", { text: z.string() }, async ({ text }) => ({
      content: [{ type: "text", text: text.toUpperCase() }],
    }));
    const running = sdk.query({
      prompt: "shout hello",
      options: {
        ...given,
        sessionStore,
        mcpServers: { voice: sdk.createSdkMcpServer({ name: "voice", tools: [shout] }) },
        canUseTool: async (name, input) => (say([name, input]), { behavior: "allow", updatedInput: input }),
        hooks: { Stop: [{ hooks: [async ({ hook_event_name }) => (say(hook_event_name), {})] }] },
      },
    });
    let sessionId;
    for await (const message of running) {
      sessionId = message.session_id ?? sessionId;
      if (message.type === "result") say(message.result);
    }
    const messages = await sdk.getSessionMessages(sessionId, { dir: given.cwd, sessionStore });
    say(messages.map(({ type }) => type));
  }
`;

const said = [["mcp__voice__shout", { text: "hello" }], "Stop", "done", ["user", "assistant", "user", "assistant"]];

/** Runs a module of the application's folder; what it printed, and what the model read of the tool. */
async function play(command: string[]): Promise<{ readonly lines: unknown[]; readonly shouted: unknown }> {
  using home = temporaryHome();
  await using model = await startMockModel([
    { calls: [{ name: "mcp__voice__shout", input: { text: "hello" } }] },
    { text: "done" },
  ]);
  const child = Bun.spawn([...command, JSON.stringify(door(home, model))], {
    cwd: folder,
    env: { ...home.env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (code !== 0) throw new Error(`It ended with ${code}: ${stderr}`);
  const [result] = model.requests[1]!.body.messages.at(-1)!.content as { content: unknown }[];
  return {
    lines: stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
    shouted: result?.content,
  };
}

const works = { lines: said, shouted: [{ type: "text", text: "HELLO" }] };

describe("a query with a tool, a question, a hook and a store", () => {
  test.each([
    ["Node", [Bun.which("node")!]],
    ["Bun", [process.execPath, "run"]],
  ])("runs on %s", async (_, runtime) => {
    await Bun.write(join(folder, "program.mjs"), program);
    expect(await play([...runtime, "program.mjs"])).toEqual(works);
  });

  test.each([
    ["ESM", "esm", "mjs"],
    ["CommonJS", "cjs", "cjs"],
  ] as const)("runs on Node after a bundler made %s of it", async (_, format, extension) => {
    const outdir = join(folder, format);
    await Bun.write(join(folder, "entry.mjs"), program);
    await Bun.build({
      entrypoints: [join(folder, "entry.mjs")],
      outdir,
      naming: `[name].${extension}`,
      target: "node",
      format,
      minify: true,
    });
    expect(await play([Bun.which("node")!, join(outdir, `entry.${extension}`)])).toEqual(works);
  });
});

describe("the archives that go to npm", () => {
  const project = join(folder, "installed");
  const platform = currentPlatform();

  /** Runs npm without a registry and without the user's files. */
  const npm = async (args: readonly string[], cwd: string) => {
    const registry = "http://127.0.0.1:1";
    const child = Bun.spawn(["npm", ...args, "--offline", "--no-audit", "--no-fund", `--registry=${registry}`], {
      cwd,
      env: { PATH: process.env["PATH"], HOME: folder, npm_config_cache: join(folder, "cache") },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    if (code !== 0) throw new Error(`npm ${args[0]} ended with ${code}: ${stderr}`);
    return stdout.trim();
  };

  beforeAll(async () => {
    mkdirSync(project);
    const thin = await writeThinPackage(join(folder, "npm"), "1.2.3");
    const heavy = await writePlatformPackage(join(folder, "npm"), "1.2.3", platform, await freshBuild());
    const sources = [join(folder, "built"), thin, heavy, join(root, "node_modules", "zod")];
    const archives: string[] = [];
    for (const source of sources) archives.push(await npm(["pack", source, "--ignore-scripts"], project));
    await Bun.write(join(project, "package.json"), JSON.stringify({ name: "application", private: true }));
    await npm(["install", ...archives.map((archive) => `./${archive}`)], project);
  });

  test("bring every entry point", async () => {
    const { exports } = await Bun.file(join(project, "node_modules", "@keelson", "sdk", "package.json")).json();
    const entries = Object.keys(exports).map((name) => name.replace(/^\./, "@keelson/sdk"));
    expect(entries).toEqual(
      ["", "/core", "/stores", "/sdk-tools", "/sdk-tools.js", "/package.json"].map((name) => `@keelson/sdk${name}`),
    );
    for (const { types, default: module } of Object.values<any>(exports)) {
      if (types === undefined) continue;
      for (const path of [types, module])
        expect(existsSync(join(project, "node_modules/@keelson/sdk", path))).toBe(true);
    }
    const source = `
      const names = ${JSON.stringify(entries.slice(0, -1))};
      const [root, core] = await Promise.all(names.map((name) => import(name)));
      console.log(JSON.stringify(Object.entries(core).map(([name, value]) => value === root[name])));
    `;
    await Bun.write(join(project, "entries.mjs"), source);
    const child = Bun.spawn([Bun.which("node")!, "entries.mjs"], { cwd: project, stdout: "pipe", stderr: "inherit" });
    const same = JSON.parse(await child.stdout.text());
    expect([...new Set(same)]).toEqual([true]);
    expect(same.length).toBeGreaterThan(20);
  });

  test("bring the program, which query() starts on Node", async () => {
    using home = temporaryHome();
    await using model = await startMockModel([{ text: "from the installed program" }]);
    const source = `
      import { query } from "@keelson/sdk";
      for await (const message of query({ prompt: "hi" }))
        if (message.type === "result") console.log(message.result);
    `;
    await Bun.write(join(project, "application.mjs"), source);
    const child = Bun.spawn([Bun.which("node")!, "application.mjs"], {
      cwd: project,
      // No variable names the program, and it is not on the path.
      env: { ...home.env, KEELSON_BIN: "", ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test-key" },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    expect({ stdout, stderr, code }).toEqual({ stdout: "from the installed program\n", stderr: "", code: 0 });
  });
});

describe("an application compiles, with every declaration checked,", () => {
  test("against the package", async () => {
    expect(await compile(folder, "@keelson/sdk", { skipLibCheck: false })).toBe("");
  });

  test("and does not when it is wrong", async () => {
    const wrong = `\nexport const no: Options = { model: 5 };\n`;
    expect(await compile(folder, "@keelson/sdk", { skipLibCheck: false }, wrong)).toContain("TS2322");
  });

  const present = official !== undefined && existsSync(join(official, "node_modules", OFFICIAL, "package.json"));
  const absent = present
    ? null
    : "npm could not fetch the official SDK into the folder that KEELSON_OFFICIAL_SDK names";
  testUnless(absent, test)("against the official package", async () => {
    // Its own declarations name packages that need not be there.
    expect(await compile(official!, OFFICIAL, { skipLibCheck: true })).toBe("");
  });
});

/** What the compiler has against the application when it imports from this package. */
async function compile(where: string, sdk: string, options: object, more = ""): Promise<string> {
  const source = await Bun.file(join(root, "packages", "sdk", "src", "application.test-support.ts")).text();
  const text = source.replace('"./index.ts"', `"${sdk}"`).replace('"./tool-types/sdk-tools.ts"', `"${sdk}/sdk-tools"`);
  const place = mkdtempSync(join(where, "compile-"));
  try {
    await Bun.write(join(place, "application.mts"), text + more);
    const types = { typeRoots: [join(root, "node_modules", "@types")], types: ["node"] };
    const target = { target: "es2022", lib: ["es2023", "esnext.disposable"], module: "nodenext" };
    const compilerOptions = { ...target, ...types, ...options, strict: true, noEmit: true, preserveSymlinks: true };
    await Bun.write(join(place, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["application.mts"] }));
    const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
    const child = Bun.spawn([Bun.which("node")!, tsc, "--project", place], { stdout: "pipe", stderr: "pipe" });
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    return stdout + stderr;
  } finally {
    rmSync(place, { recursive: true });
  }
}
