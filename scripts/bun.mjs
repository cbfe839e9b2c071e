// Runs the Bun that npm installed, with the given arguments. Works with install scripts disabled, because the
// executable is in a platform package and needs no linking.

import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { passThrough } from "./pass-through.mjs";

const here = dirname(fileURLToPath(import.meta.url));

/** The path of the Bun executable for this machine. */
export function findBun() {
  const modules = join(here, "..", "node_modules");
  const name = process.platform === "win32" ? "bun.exe" : "bun";
  const candidates = variants().map((variant) => join(modules, "@oven", variant, "bin", name));
  // Bun's install script puts the executable here; with scripts disabled, it is a stub of a few hundred bytes.
  candidates.push(join(modules, "bun", "bin", "bun.exe"));
  const found = candidates.find((path) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 1_000_000);
  if (found) return found;
  console.error("Bun is not installed in node_modules; run `npm ci` first");
  process.exit(1);
}

function variants() {
  const os = process.platform === "win32" ? "windows" : process.platform;
  const arch = process.arch === "arm64" ? "aarch64" : process.arch;
  const base = `bun-${os}-${arch}`;
  return [base, `${base}-baseline`, `${base}-musl`, `${base}-musl-baseline`];
}

/** A test that takes five minutes hangs, however slow the machine is. Bun's own limit is five seconds. */
const TEST_LIMIT = "--timeout=300000";

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [command, ...rest] = process.argv.slice(2);
  passThrough(findBun(), command === "test" ? ["test", TEST_LIMIT, ...rest] : process.argv.slice(2));
}
