#!/usr/bin/env node
// Runs Keelson from source, for `npm start` and `npx .`, in the directory it was called from.
// A folder is not trusted with our process: its bunfig.toml, its .env and Bun's own steering variables are kept out.

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findBun } from "./bun.mjs";
import { passThrough, withoutBunSteering } from "./pass-through.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const isolation = ["--no-env-file", `--config=${join(root, "scripts", "empty.toml")}`, "--no-install"];
const program = join(root, "packages", "cli", "src", "bin.ts");

passThrough(findBun(), [...isolation, program, ...process.argv.slice(2)], {
  cwd: callersDirectory(),
  env: withoutBunSteering(),
});

/** npm moves scripts to the repository and notes where they were called; an INIT_CWD from any other npm is not ours. */
function callersDirectory() {
  const startedByNpm = process.cwd() === root && process.env.npm_package_json === join(root, "package.json");
  return (startedByNpm && process.env.INIT_CWD) || process.cwd();
}
