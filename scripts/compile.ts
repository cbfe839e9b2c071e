// One executable: our sources, Bun and ripgrep in one file. Knows how to build, not what to package.

import { join } from "node:path";
import type { BunPlugin } from "bun";
import { bunFor, isCurrent, ripgrepFor, type Platform } from "./platform.ts";
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
    plugins: [embedRipgrep(await ripgrepFor(platform))],
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

/** Run from source the program has no ripgrep of its own and this module says so; in the executable it names one. */
function embedRipgrep(path: string): BunPlugin {
  return {
    name: "embed-ripgrep",
    setup(build) {
      build.onLoad({ filter: /[\\/]cli[\\/]src[\\/]shipped-ripgrep\.ts$/ }, () => ({
        loader: "js",
        contents: `import path from ${JSON.stringify(path)} with { type: "file" };\nexport const shippedRipgrep = path;\n`,
      }));
    },
  };
}
