// Writes the npm package @keelson/sdk: ESM for Node, Bun and Deno, with declarations. Both include the other packages of
// this repository, so its only dependencies are zod and the program, of the same version.

import { realpathSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { root } from "../root.ts";

const packages = join(root, "packages");

/** Entry points and their sources. */
const entries = {
  ".": "sdk/src/index.ts",
  "./core": "sdk/src/core.ts",
  "./stores": "sdk/src/stores.ts",
  "./sdk-tools": "sdk/src/tool-types/sdk-tools.ts",
};

/** Throws the error of the bundler or the compiler if it fails. */
export async function writeSdkPackage(target: string, version: string): Promise<string> {
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  await Promise.all([writeModules(target), writeDeclarations(target)]);
  await Bun.write(join(target, "package.json"), `${JSON.stringify(manifest(version), null, 2)}\n`);
  await Bun.write(join(target, "README.md"), await readme());
  await copyFile(join(root, "LICENSE"), join(target, "LICENSE"));
  return target;
}

/** The SDK's README without links to files that exist only in the repository. */
async function readme(): Promise<string> {
  const paragraphs = (await Bun.file(join(packages, "sdk", "README.md")).text()).trimEnd().split("\n\n");
  return `${paragraphs.filter((text) => !/\]\(\.\.\/|^Start at /.test(text)).join("\n\n")}\n`;
}

function manifest(version: string): object {
  const exports = Object.entries(entries).map(([name, source]) => [
    name,
    { types: `./types/${inPackage(source, ".d.ts")}`, default: `./${inModules(source, ".js")}` },
  ]);
  return {
    name: "@keelson/sdk",
    version,
    license: "MIT",
    description: "Drives Keelson, an open agent runtime, from an application",
    type: "module",
    exports: {
      ...Object.fromEntries(exports),
      // As applications for the official package may write it.
      "./sdk-tools.js": Object.fromEntries(exports)["./sdk-tools"],
      "./package.json": "./package.json",
    },
    files: ["*.js", ...foldersOf(Object.values(entries)), "types"],
    sideEffects: false,
    engines: { node: ">=20" },
    dependencies: { keelson: version, zod: "^4.0.0" },
  };
}

/** Where the modules of entry points are, besides the root of the package. */
function foldersOf(sources: readonly string[]): readonly string[] {
  return sources.map((source) => dirname(inModules(source, ".js"))).filter((folder) => folder !== ".");
}

async function writeModules(target: string): Promise<void> {
  await Bun.build({
    entrypoints: Object.values(entries).map((source) => join(packages, source)),
    root: join(packages, "sdk", "src"),
    outdir: target,
    target: "node",
    format: "esm",
    splitting: true,
    external: ["zod", "zod/*"],
  });
}

/** Keeps only the declarations that an entry point reaches; the compiler writes one per source. */
async function writeDeclarations(target: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "keelson-sdk-types-"));
  try {
    await compileDeclarations(folder);
    const waiting = Object.values(entries);
    const taken = new Set(waiting);
    for (let source = waiting.pop(); source !== undefined; source = waiting.pop()) {
      const here = source;
      const text = await Bun.file(join(folder, inPackage(here, ".d.ts"))).text();
      const rewritten = text.replace(/(from |import\()"(\.{1,2}\/[^"]+|@keelson\/[^"]+)"/g, (_, before, specifier) => {
        const meant = sourceOf(specifier, here);
        if (!taken.has(meant)) waiting.push(meant);
        taken.add(meant);
        const path = relative(dirname(here), inPackage(meant, ".js"));
        return `${before}"${path.startsWith(".") ? path : `./${path}`}"`;
      });
      await Bun.write(join(target, "types", inPackage(here, ".d.ts")), rewritten);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function compileDeclarations(outDir: string): Promise<void> {
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const config = join(root, "scripts", "npm", "sdk-declarations.tsconfig.json");
  const child = Bun.spawn(["node", tsc, "--project", config, "--outDir", outDir], { stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (code !== 0) throw new Error(`Could not compile the SDK's declarations:\n${stdout}${stderr}`);
}

/** The source file of an import, as a path under packages/. */
function sourceOf(specifier: string, from: string): string {
  if (specifier.startsWith(".")) return join(dirname(from), specifier);
  return relative(packages, realpathSync(Bun.resolveSync(specifier, join(packages, "sdk"))));
}

const inPackage = (source: string, extension: string) => source.replace(/\.ts$/, extension);
const inModules = (source: string, extension: string) => relative("sdk/src", inPackage(source, extension));
