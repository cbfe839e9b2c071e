// The package map: who may import whom. The rows are the rule; everything here compares the tree with them.

import { expect, test } from "bun:test";
import { dirname, join, relative, resolve, sep } from "node:path";

const root = dirname(import.meta.dir);

/** A package may import from rows beneath its own. */
const rows: readonly (readonly string[])[] = [
  ["protocol"],
  ["engine", "disk", "client"],
  ["model", "tools", "mcp", "config", "host", "store"],
  ["runtime"],
  ["stdio", "sdk", "tui", "acp", "web"],
  ["routines"],
  ["cli"],
];
/**
 * Front ends know messages and nothing else; the SDK also reads the session files it lists for an application. Routines start the
 * program as a child.
 */
const frontEnds: Readonly<Record<string, readonly string[]>> = {
  stdio: ["protocol"],
  tui: ["protocol", "client"],
  sdk: ["protocol", "client", "store"],
  acp: ["protocol", "client"],
  web: ["protocol", "client"],
  routines: ["protocol", "client", "disk", "engine", "config", "web"],
};

/** What a package must not even mention. The engine may take paths apart: that touches nothing. */
const browser = [/\bBun\./, /["'](node|bun):/, /\b(?:from|import)\s*\(?["']bun["']/, /\bprocess\./, /\bBuffer\b/];
const forbidden: Readonly<Record<string, readonly RegExp[]>> = {
  protocol: browser,
  client: [...browser, /\bDate\.now\(/, /\bMath\.random\(/],
  engine: [
    /\bBun\./,
    /["'](node:(?!path\b)|bun:)/,
    /\b(?:from|import)\s*\(?["']bun["']/,
    /\bfetch\(/,
    /\bprocess\./,
    /\bDate\.now\(/,
    /\bMath\.random\(/,
  ],
};

const packages = [...new Bun.Glob("packages/*/package.json").scanSync({ cwd: root })].map(
  (path) => path.split(sep)[1] as string,
);
const sources = packages.flatMap((name) => sourcesOf(name));

test("every package has its place in a row", () => {
  expect(packages.toSorted()).toEqual([...rows.flat(), "testkit"].toSorted());
});

test.each(packages)("%s declares only what lies beneath it", async (name) => {
  const { dependencies = {} } = await manifest(name);
  const upward = ownPackages(Object.keys(dependencies)).filter((other) => !mayImport(name, other));
  expect(upward).toEqual([]);
});

test("every import is declared, goes downwards and stops at the other package's door", async () => {
  const wrong: string[] = [];
  const forTests = Object.keys((await manifestAt(root)).devDependencies ?? {});
  for (const source of sources) {
    const declared = await doorsOf(await manifest(source.package));
    if (source.isTest) for (const name of forTests) declared.set(name, null);
    for (const path of await importsOf(source.path)) {
      const complaint = judge(source, path, declared);
      if (complaint) wrong.push(`${source.shown} imports "${path}": ${complaint}`);
    }
  }
  expect(wrong).toEqual([]);
});

test.each(Object.keys(forbidden))("%s touches nothing of the world outside", async (name) => {
  const wrong: string[] = [];
  for (const source of sources.filter((source) => source.package === name && !source.isTest)) {
    const code = withoutComments(await Bun.file(source.path).text());
    for (const pattern of forbidden[name] ?? []) {
      const found = pattern.exec(code);
      if (found) wrong.push(`${source.shown} uses ${found[0]}`);
    }
  }
  expect(wrong).toEqual([]);
});

test("the rules catch what they are for", () => {
  const engine = { package: "engine", path: join(root, "packages/engine/src/a.ts"), shown: "a.ts", isTest: false };
  const inTest = { ...engine, path: join(root, "packages/engine/src/a.test.ts"), isTest: true };
  const stdio = { ...engine, package: "stdio", path: join(root, "packages/stdio/src/a.ts") };
  const every = new Map([
    ["@keelson/protocol", ["."]],
    ["@keelson/host", ["."]],
    ["@keelson/engine", [".", "./command"]],
    ["ignore", null],
  ]);
  const runtime = { ...engine, package: "runtime", path: join(root, "packages/runtime/src/a.ts") };
  const cases = [
    [engine, "@keelson/protocol", undefined],
    [engine, "./b.ts", undefined],
    [engine, "ignore", undefined],
    [engine, "ignore/deep.js", undefined],
    [engine, "@keelson/host", "not in a lower row"],
    [engine, "@keelson/engine", "not in a lower row"],
    [engine, "@keelson/store", "not in its package.json"],
    [engine, "diff", "not in its package.json"],
    [engine, "@keelson/protocol/src/json.ts", "reaches past its exports"],
    [engine, "../../protocol/src/json.ts", "leaves its package"],
    [engine, "@keelson/testkit", "only tests may"],
    [engine, "./b", "needs its extension"],
    [runtime, "@keelson/engine/command", undefined],
    [runtime, "@keelson/engine/other", "reaches past its exports"],
    [inTest, "@keelson/testkit", undefined],
    [inTest, "bun:test", undefined],
    [stdio, "@keelson/protocol", undefined],
    [stdio, "@keelson/engine", "a front end knows messages only"],
  ] as const;
  expect(cases.map(([source, path]) => [path, judge(source, path, every)])).toEqual(
    cases.map(([, path, complaint]) => [path, complaint]),
  );
});

interface Source {
  readonly package: string;
  readonly path: string;
  readonly shown: string;
  readonly isTest: boolean;
}

/** Why this import is wrong; undefined when it is right. */
function judge(source: Source, path: string, doors: Doors): string | undefined {
  if (/^(node|bun):|^bun$/.test(path)) return undefined;
  if (path.startsWith(".")) {
    if (!/\.\w+$/.test(path)) return "needs its extension";
    const home = join(root, "packages", source.package, "src") + sep;
    return resolve(dirname(source.path), path).startsWith(home) ? undefined : "leaves its package";
  }
  const module = path.split("/", path.startsWith("@") ? 2 : 1).join("/");
  const [other] = ownPackages([module]);
  if (other === "testkit") {
    return source.isTest || source.package === "testkit" ? undefined : "only tests may";
  }
  const open = doors.get(module);
  if (open === undefined) return "not in its package.json";
  if (other === undefined || open === null) return undefined;
  if (!open.includes(`.${path.slice(module.length)}`)) return "reaches past its exports";
  if (source.isTest || mayImport(source.package, other)) return undefined;
  return source.package in frontEnds ? "a front end knows messages only" : "not in a lower row";
}

function mayImport(name: string, other: string): boolean {
  if (name in frontEnds) return frontEnds[name]!.includes(other);
  // testkit plays the world to the engine, so it may know the engine's ports.
  const own = name === "testkit" ? 2 : rows.findIndex((row) => row.includes(name));
  const others = rows.findIndex((row) => row.includes(other));
  return others >= 0 && others < own;
}

function ownPackages(modules: readonly string[]): string[] {
  return modules.flatMap((module) => (module.startsWith("@keelson/") ? [module.slice("@keelson/".length)] : []));
}

function sourcesOf(name: string): Source[] {
  const folder = join(root, "packages", name);
  return [...new Bun.Glob("src/**/*.ts").scanSync({ cwd: folder, absolute: true })].map((path) => ({
    package: name,
    path,
    shown: relative(root, path),
    isTest: /\.test\.ts$|\.test-support\.ts$|\/test-support\//.test(path),
  }));
}

/** Every import, type-only ones too: what is only named at compile time still binds two packages together. */
async function importsOf(path: string): Promise<Set<string>> {
  const code = await Bun.file(path).text();
  const written = code.matchAll(/^(?:import|export)\b[^;"']*?\bfrom\s*["']([^"']+)["']/gm);
  const atRunTime = new Bun.Transpiler({ loader: "ts" }).scanImports(code);
  return new Set([...[...written].map((match) => match[1] as string), ...atRunTime.map((found) => found.path)]);
}

/** What a package declares, and through which doors it may be entered; null where that is not ours to say. */
type Doors = ReadonlyMap<string, readonly string[] | null>;

async function doorsOf({ dependencies = {}, devDependencies = {} }: Manifest): Promise<Map<string, string[] | null>> {
  const doors = new Map<string, string[] | null>();
  for (const module of Object.keys({ ...dependencies, ...devDependencies })) {
    const [own] = ownPackages([module]);
    doors.set(module, own ? Object.keys((await manifest(own)).exports ?? {}) : null);
  }
  return doors;
}

interface Manifest {
  readonly exports?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

async function manifest(name: string): Promise<Manifest> {
  return manifestAt(join(root, "packages", name));
}

async function manifestAt(folder: string): Promise<Manifest> {
  return Bun.file(join(folder, "package.json")).json();
}

function withoutComments(code: string): string {
  return code.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "");
}
