// `npm test`: every check and every test.

import { availableParallelism } from "node:os";
import { join } from "node:path";
import { programPath } from "./fresh-build.ts";
import { measureSlowness } from "./testing/machine-speed.ts";
import { memoryFolder } from "./testing/memory-folder.ts";
import { root } from "./root.ts";
import { fetchedFolders } from "./testing/fetched-packages.ts";
import { runSteps, type Step } from "./testing/run-steps.ts";

const bun = process.execPath;
const tool = (name: string) => join(root, "node_modules", ".bin", name);

/** As in bun.mjs: a test that takes this long hangs. */
const HANGS_AFTER_MS = 300_000;

const slowness = measureSlowness();
if (slowness > 1)
  console.log(`This machine is ${slowness.toFixed(1)} times slower than usual; all limits are longer to match`);

const folder = memoryFolder();
/** One more than there are cores: tests of programs wait more than they compute. */
const parallel = `--parallel=${availableParallelism() + 1}`;
const testing = (...args: string[]) => {
  const command = [bun, "test", ...args, `--timeout=${HANGS_AFTER_MS}`];
  return folder?.around(command) ?? command;
};

const steps: readonly Step[] = [
  { name: "format", command: [bun, "fmt", "--no-script", "--check"], limit: 60 },
  { name: "lint", command: [tool("oxlint"), "--deny-warnings"], limit: 60 },
  { name: "types", command: [bun, "check", "--no-script"], limit: 120 },
  { name: "types of the page", command: [bun, "check", "--no-script", "-p", "packages/web/app"], limit: 60 },
  { name: "types, second opinion", command: [tool("tsc"), "--noEmit"], limit: 180 },
  { name: "declarations", command: [tool("tsc"), "-p", "scripts/declarations.tsconfig.json"], limit: 120 },
  { name: "dead code", command: [bun, "--bun", tool("knip")], limit: 120 },
  { name: "fetched packages", command: [bun, "scripts/testing/fetched-packages.ts"], limit: 120 },
  { name: "build", command: [bun, "scripts/build.ts"], limit: 180 },
  {
    name: "tests",
    command: testing(parallel, "./packages", "./test", "./scripts", "./bench"),
    again: (files) => testing(...files.map((file) => `./${file}`)),
    // The built program starts in a fifth of the time that the source tree takes, and is what people run.
    env: {
      KEELSON_BIN: programPath,
      ...fetchedFolders,
      ...(folder ? { TMPDIR: folder.path } : {}),
    },
    limit: 1430,
    reportsTests: true,
  },
];

const code = await runSteps(steps, {
  print: (text) => console.log(text),
  slowness,
  wait: (seconds) => Bun.sleep(seconds * 1000),
  isCI: Boolean(process.env["CI"]),
});
folder?.remove();
// The limits of steps that ended in time are still being waited for.
process.exit(code);
