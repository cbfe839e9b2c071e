// One executable: our sources, Bun, ripgrep and the sandbox's helper in one file. Knows how to build, not what to package.

import { join } from "node:path";
import type { BunPlugin } from "bun";
import { bunFor, isCurrent, programsFor, type Platform } from "./platform.ts";
import { root } from "./root.ts";

export const programEntry = join(root, "packages", "cli", "src", "bin.ts");

export interface CompileOptions {
  readonly entry: string;
  readonly outfile: string;
  readonly platform: Platform;
}

/** Compiles a program. Throws with the bundler's own words when it cannot. */
export async function compile({ entry, outfile, platform }: CompileOptions): Promise<void> {
  await Bun.build({
    entrypoints: [entry],
    target: "bun",
    format: "esm",
    minify: true,
    // Without splitting, modules behind `await import()` are parsed at every start.
    splitting: true,
    bytecode: true,
    plugins: [embedPrograms(await programsFor(platform))],
    compile: {
      outfile,
      target: platform.target,
      ...(isCurrent(platform) ? {} : { executablePath: await bunFor(platform) }),
      // By default an executable runs the `preload` scripts of a bunfig.toml in the current directory and takes
      // variables from its .env, before anybody could be asked whether the folder is trusted.
      autoloadBunfig: false,
      autoloadDotenv: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
    },
  });
}

/** Run from source the program carries no others and this module says so; in the executable it names them. */
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
