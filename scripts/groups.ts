// Modules that are always loaded together become one before the program is compiled. The splitting of Bun makes a chunk of
// every set of modules that the same lazy imports share: what each session needs came in 70 chunks, at 30 µs each.

import { dirname, isAbsolute, join } from "node:path";
import type { BunPlugin } from "bun";
import { root } from "./root.ts";

/** What is loaded in a row. Modules that they import statically belong to the first that does. */
const groups: Readonly<Record<string, readonly string[]>> = {
  start: ["cli/src/start.ts"],
  config: ["config/src/index.ts"],
  session: ["stdio/src/index.ts", "stdio/src/stream-json.ts", "stdio/src/text.ts", "runtime/src/index.ts"],
  // The lead of a team and served tools need it without a terminal.
  requests: ["client/src/requests.ts"],
  terminal: ["cli/src/interactive.ts", "tui/src/index.ts", "cli/src/interactive/run.ts"],
};

const packages = join(root, "packages");
/** The compiler replaces it. */
const shippedPrograms = join(packages, "cli", "src", "shipped-programs.ts");

/** A module of a group: where its exports are, and what they are called there. */
interface Member {
  readonly group: string;
  readonly exports: readonly { readonly name: string; readonly alias: string }[];
}

/** Replaces each module of a group with its exports in the one module of that group. */
export async function groupModules(): Promise<BunPlugin> {
  const members = new Map<string, Member>();
  const sources = new Map<string, string>();
  for (const [name, entries] of Object.entries(groups)) {
    const group = join(packages, `${name}.group.js`);
    const paths = await importedBy(
      entries.map((entry) => join(packages, entry)),
      members,
    );
    for (const path of paths) members.set(path, { group, exports: await exportsOf(path, members.size) });
    sources.set(group, await joined(paths, members));
  }
  return {
    name: "group-modules",
    setup(build) {
      build.onResolve({ filter: /\.group\.js$/ }, ({ path }) => ({ path }));
      build.onLoad({ filter: /\.group\.js$/ }, ({ path }) => ({ loader: "js", contents: sources.get(path)! }));
      build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const member = members.get(path);
        return member && { loader: "js", contents: exportLine(member.exports, "alias", "name", member.group) };
      });
    },
  };
}

/** Puts texts into the modules that import them. Otherwise the compiler makes a file of each, and a start reads twenty. */
export const inlineTexts: BunPlugin = {
  name: "inline-texts",
  setup(build) {
    build.onLoad({ filter: /\.md$/ }, async ({ path }) => ({
      loader: "js",
      contents: `export default ${JSON.stringify(await Bun.file(path).text())};`,
    }));
  },
};

const transpiler = new Bun.Transpiler({ loader: "ts" });

/** These modules and our own ones that they import statically, unless an earlier group has them. */
async function importedBy(entries: readonly string[], earlier: ReadonlyMap<string, Member>): Promise<string[]> {
  const found = new Set<string>();
  const visit = async (path: string): Promise<void> => {
    if (found.has(path) || earlier.has(path) || !isOwn(path)) return;
    found.add(path);
    for (const { path: name, kind } of transpiler.scanImports(await Bun.file(path).text()))
      if (kind === "import-statement") await visit(resolve(name, path));
  };
  for (const entry of entries) await visit(entry);
  return [...found];
}

const isOwn = (path: string) => path.startsWith(packages) && path.endsWith(".ts") && path !== shippedPrograms;

const resolve = (name: string, from: string) => (isOwn(name) ? name : Bun.resolveSync(name, dirname(from)));

async function exportsOf(path: string, number: number): Promise<Member["exports"]> {
  const { exports } = transpiler.scan(await Bun.file(path).text());
  return exports.map((name) => ({ name, alias: `${name}$${number}` }));
}

function exportLine(exports: Member["exports"], from: "name" | "alias", to: "name" | "alias", path: string): string {
  if (exports.length === 0) return `import ${JSON.stringify(path)};\n`;
  return `export { ${exports.map((each) => `${each[from]} as ${each[to]}`).join(", ")} } from ${JSON.stringify(path)};\n`;
}

/** One module of these. What they import otherwise, or lazily, stays an import. */
async function joined(paths: readonly string[], members: ReadonlyMap<string, Member>): Promise<string> {
  const entry = join(packages, "entry.js");
  const contents = paths.map((path) => exportLine(members.get(path)!.exports, "name", "alias", path)).join("");
  const inside = new Set(paths);
  const plugin: BunPlugin = {
    name: "join-modules",
    setup(build) {
      build.onResolve({ filter: /.*/ }, ({ path, importer, kind }) => {
        if (path === entry) return { path };
        const target = resolve(path, importer);
        if (!isAbsolute(target)) return undefined;
        const isJoined = kind === "import-statement" && (inside.has(target) || target.endsWith(".md"));
        return { path: target, external: !isJoined };
      });
      build.onLoad({ filter: /[\\/]entry\.js$/ }, () => ({ loader: "js", contents }));
    },
  };
  const { outputs } = await Bun.build({
    entrypoints: [entry],
    target: "bun",
    format: "esm",
    plugins: [plugin, inlineTexts],
  });
  // The bundler calls `require` so where it leaves one alone. The next build is to see it.
  return (await outputs[0]!.text()).replaceAll("__require(", "require(");
}
