// Finds the Bun that npm installed and runs it with the arguments given here.
// Works with install scripts disabled: the executable sits in a platform package, no linking needed.

import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { passThrough } from "./pass-through.mjs";

const here = dirname(fileURLToPath(import.meta.url));

/** The path of Bun's executable for this machine. */
export function findBun() {
  const modules = join(here, "..", "node_modules");
  const name = process.platform === "win32" ? "bun.exe" : "bun";
  const candidates = variants().map((variant) => join(modules, "@oven", variant, "bin", name));
  // Where Bun's own install script puts the executable; with scripts disabled a stub of a few hundred bytes sits there.
  candidates.push(join(modules, "bun", "bin", "bun.exe"));
  const found = candidates.find((path) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 1_000_000);
  if (found) return found;
  console.error("Bun was not found in node_modules. Run `npm ci` in the repository first.");
  process.exit(1);
}

function variants() {
  const os = process.platform === "win32" ? "windows" : process.platform;
  const arch = process.arch === "arm64" ? "aarch64" : process.arch;
  const base = `bun-${os}-${arch}`;
  return [base, `${base}-baseline`, `${base}-musl`, `${base}-musl-baseline`];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) passThrough(findBun(), process.argv.slice(2));
