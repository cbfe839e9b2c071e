// `npm test`: every check and every test, one after the other, ending in one line of totals.
// A failing step does not stop the others. A tool that is not installed is a skip, or in CI a failure.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "./root.ts";
import { readCounts, type Counts } from "./test-counts.ts";

interface Step {
  readonly name: string;
  readonly command: readonly string[];
  /** Limit in seconds. */
  readonly limit: number;
  /** How the step counts; one check unless said otherwise. */
  readonly count?: typeof readCounts;
}

const bun = process.execPath;
const tool = (name: string) => join(root, "node_modules", ".bin", name);

const steps: readonly Step[] = [
  { name: "format", command: [bun, "fmt", "--no-script", "--check"], limit: 60 },
  { name: "lint", command: [tool("oxlint"), "--deny-warnings"], limit: 60 },
  { name: "types", command: [bun, "check", "--no-script"], limit: 120 },
  { name: "types, second opinion", command: [tool("tsc"), "--noEmit"], limit: 180 },
  { name: "declarations", command: [tool("tsc"), "-p", "scripts/declarations.tsconfig.json"], limit: 120 },
  { name: "dead code", command: [bun, "--bun", tool("knip")], limit: 120 },
  { name: "build", command: [bun, "scripts/build.ts"], limit: 180 },
  {
    name: "tests",
    command: [
      bun,
      "test",
      "--parallel",
      "--only-failures",
      "--timeout=30000",
      "./packages",
      "./test",
      "./scripts",
      "./bench",
    ],
    limit: 1200,
    count: readCounts,
  },
];

const total = { passed: 0, failed: 0, skipped: 0 };
for (const step of steps) {
  console.log(`\n== ${step.name}`);
  const started = performance.now();
  const counts = await perform(step);
  total.passed += counts.passed;
  total.failed += counts.failed;
  total.skipped += counts.skipped;
  const verdict = counts.failed > 0 ? "FAILED" : counts.skipped > 0 && counts.passed === 0 ? "skipped" : "ok";
  console.log(`   ${verdict} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

// The last line is read by machines.
if (total.skipped > 0) console.log(`\n${total.skipped} skipped`);
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed > 0 ? 1 : 0);

async function perform({ command, limit, count = countOne }: Step): Promise<Counts> {
  const missing = command.find((word) => word.startsWith(tool("")) && !existsSync(word));
  if (missing) {
    console.log(`   "${missing}" is not installed; run \`npm ci\``);
    return Bun.env.CI ? { passed: 0, failed: 1, skipped: 0 } : { passed: 0, failed: 0, skipped: 1 };
  }
  const child = Bun.spawn([...command], {
    cwd: root,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: limit * 1000,
    killSignal: "SIGKILL",
  });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  const exitCode = (await child.exited, child.exitCode);
  const counts = count(`${out}\n${err}`, exitCode);
  if (counts.failed > 0) console.log(`${out}${err}`.trimEnd());
  if (child.signalCode) console.log(`   ended by ${child.signalCode}; the limit is ${limit} s`);
  return counts;
}

function countOne(_: string, exitCode: number | null): Counts {
  return exitCode === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 };
}
