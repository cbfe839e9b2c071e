// Compiles Keelson into one executable with Bun, ripgrep and the sandbox helper. Knows nothing about packaging.

import type { BunPlugin } from "bun";
import { buildPages } from "../packages/web/src/page/build-page.ts";
import { groupModules, inlineTexts } from "./groups.ts";
import { bunFor, isCurrent, programsFor, type Platform } from "./platform.ts";

export interface CompileOptions {
  readonly entry: string;
  readonly outfile: string;
  readonly platform: Platform;
  /** What `recordOrder` has written for any platform. */
  readonly order?: readonly string[];
}

/** At the start, code runs for the first and often for the only time: in the interpreter, not through the compiler. */
const START_JIT_POLICY = 16;

/** Compiles a program. Throws the bundler's error if it fails. */
export async function compile({ entry, outfile, platform, order = [] }: CompileOptions): Promise<void> {
  await Bun.build({
    entrypoints: [entry],
    target: "bun",
    format: "esm",
    minify: true,
    // Without splitting, modules behind `await import()` would be parsed at every start.
    splitting: true,
    bytecode: true,
    plugins: [embedPrograms(await programsFor(platform)), await embedPage(), await groupModules(), inlineTexts],
    compile: {
      outfile,
      target: platform.target,
      // From when on it is the usual one: cli/start.ts and runtime/model/compile-policy.ts.
      jitPolicy: START_JIT_POLICY,
      bytecodeOrder: order.length > 0 && [...order],
      ...(isCurrent(platform) ? {} : { executablePath: await bunFor(platform) }),
      // By default, an executable runs `preload` scripts from bunfig.toml and loads .env from the current directory,
      // before the user could be asked whether to trust it.
      autoloadBunfig: false,
      autoloadDotenv: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
    },
  });
}

/** Replaces shipped-programs.ts, which lists no programs when run from source, with one that embeds them. */
function embedPrograms(programs: object): BunPlugin {
  const imports = Object.entries(programs).map(
    ([name, path]) => `import ${name} from ${JSON.stringify(path)} with { type: "file" };`,
  );
  return {
    name: "embed-programs",
    setup(build) {
      build.onLoad({ filter: /[\\/]cli[\\/]src[\\/]shipped-programs\.ts$/ }, () => ({
        loader: "js",
        contents: `${imports.join("\n")}\nexport const shippedPrograms = { ${Object.keys(programs).join(", ")} };\n`,
      }));
    },
  };
}

/** Replaces built-page.ts, which builds the pages when run from source, with one that has them. */
async function embedPage(): Promise<BunPlugin> {
  const contents = `export const builtPages = async () => (${JSON.stringify(await buildPages())});\n`;
  return {
    name: "embed-page",
    setup(build) {
      build.onLoad({ filter: /[\\/]web[\\/]src[\\/]page[\\/]built-page\.ts$/ }, () => ({ loader: "js", contents }));
    },
  };
}
