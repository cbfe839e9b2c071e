#!/usr/bin/env node
// Runs Keelson from source in the caller's directory, for `npm start` and `npx .`. The directory is not trusted, so its
// bunfig.toml and .env are ignored, and so are Bun's own variables.

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findBun } from "./bun.mjs";
import { passThrough, withoutBunVariables } from "./pass-through.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const isolation = ["--no-env-file", `--config=${join(root, "scripts", "empty.toml")}`, "--no-install"];
const program = join(root, "packages", "cli", "src", "bin.ts");

passThrough(findBun(), [...isolation, program, ...process.argv.slice(2)], {
  cwd: callersDirectory(),
  env: withoutBunVariables(),
});

/** npm runs scripts in the repository and sets INIT_CWD to the caller's directory. Ignores an INIT_CWD of another npm. */
function callersDirectory() {
  const startedByNpm = process.cwd() === root && process.env.npm_package_json === join(root, "package.json");
  return (startedByNpm && process.env.INIT_CWD) || process.cwd();
}
