#!/usr/bin/env node
// The `keelson` command of the npm package: finds the executable for this machine and runs it.

import { createRequire } from "node:module";
import { passThrough, withoutBunVariables } from "./pass-through.mjs";

passThrough(findExecutable(), process.argv.slice(2), { env: withoutBunVariables() });

function findExecutable() {
  const name = `keelson-${process.platform}-${process.arch}`;
  const file = process.platform === "win32" ? "keelson.exe" : "keelson";
  try {
    return createRequire(import.meta.url).resolve(`${name}/bin/${file}`);
  } catch {
    console.error(`The package "${name}" is not installed; reinstall keelson without --omit=optional`);
    process.exit(1);
  }
}
