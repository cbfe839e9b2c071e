// Runs the steps of `npm test` one after the other and ends in one line of totals. A failing step does not stop the
// others. A step that reaches its limit is stopped, and what it reported until then still counts.

import { existsSync } from "node:fs";
import { root } from "./root.ts";
import { readCounts, skippedTests, withoutPasses, type Counts } from "./test-output.ts";

export interface Step {
  readonly name: string;
  readonly command: readonly string[];
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Seconds, on a machine like ours. */
  readonly limit: number;
  /** `bun test`, which reports each test; any other step is one check. */
  readonly reportsTests?: boolean;
}

export interface StepOptions {
  readonly print: (text: string) => void;
  /** How many times slower than ours this machine is. */
  readonly slowness: number;
  /** Resolves when the limit of a step is reached. */
  readonly wait: (seconds: number) => Promise<unknown>;
  /** A missing tool is a failure in CI, elsewhere a skip. */
  readonly isCI: boolean;
}

/** The exit code. The last line printed is read by machines. */
export async function runSteps(steps: readonly Step[], options: StepOptions): Promise<number> {
  const { print } = options;
  const total = { passed: 0, failed: 0, skipped: 0 };
  const skipped: string[] = [];
  const stopped: string[] = [];
  for (const step of steps) {
    print(`\n== ${step.name}`);
    const started = performance.now();
    const { counts, skips, isCut } = await runStep(step, options);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    total.passed += counts.passed;
    total.failed += counts.failed;
    total.skipped += counts.skipped;
    skipped.push(...skips);
    if (isCut) stopped.push(`"${step.name}" was stopped after ${seconds} s, before it was finished`);
    const verdict = counts.failed > 0 ? "FAILED" : counts.skipped > 0 && counts.passed === 0 ? "skipped" : "ok";
    print(`   ${verdict} in ${seconds} s`);
  }
  if (total.skipped > 0) print(`\n${total.skipped} skipped:\n${skipped.map((skip) => `  ${skip}`).join("\n")}`);
  if (stopped.length > 0) print(`\n${stopped.join("\n")}`);
  print(`\n${total.passed} passed, ${total.failed} failed`);
  return total.failed > 0 ? 1 : 0;
}

interface Outcome {
  readonly counts: Counts;
  /** The tests that were skipped, with their reasons. */
  readonly skips: readonly string[];
  /** It reached its limit. */
  readonly isCut: boolean;
}

const GRACE_MS = 5_000;

async function runStep(step: Step, { print, slowness, wait, isCI }: StepOptions): Promise<Outcome> {
  const { name, command, reportsTests = false } = step;
  const missing = command.find((word) => word.startsWith(`${root}/`) && !existsSync(word));
  if (missing !== undefined) {
    const reason = `"${missing}" is not installed; run \`npm ci\``;
    if (isCI) print(`   ${reason}`);
    const counts = isCI ? { passed: 0, failed: 1, skipped: 0 } : { passed: 0, failed: 0, skipped: 1 };
    return { counts, skips: isCI ? [] : [`${name} [${reason}]`], isCut: false };
  }
  // With any of these set, `bun test` hides the tests that pass.
  const env = { ...process.env, AGENT: undefined, CLAUDECODE: undefined, REPL_ID: undefined, ...step.env };
  const child = Bun.spawn([...command], { cwd: root, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const pieces: string[] = [];
  const reading = Promise.all([collect(child.stdout, pieces), collect(child.stderr, pieces)]);
  const limit = Math.ceil(step.limit * slowness);
  const isCut = await Promise.race([child.exited.then(() => false), wait(limit).then(() => true)]);
  if (isCut) {
    print(`   stopped: the limit is ${limit} s`);
    await stop(child);
  }
  // What a stopped step started itself may keep its output open.
  await (isCut ? Promise.race([reading, Bun.sleep(GRACE_MS)]) : reading);
  const output = pieces.join("");
  const exitCode = isCut ? null : child.exitCode;
  const counts = reportsTests ? readCounts(output, exitCode) : countOne(exitCode);
  if (counts.failed > 0) print(reportsTests ? withoutPasses(output) : output.trim());
  if (child.signalCode && !isCut) print(`   ended by ${child.signalCode}`);
  return { counts, skips: reportsTests ? skippedTests(output) : [], isCut };
}

async function collect(stream: ReadableStream<Uint8Array>, pieces: string[]): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of stream) pieces.push(decoder.decode(chunk, { stream: true }));
}

/** `bun test` reports which files are still running when it gets SIGTERM. */
async function stop(child: Bun.Subprocess): Promise<void> {
  child.kill("SIGTERM");
  await Promise.race([child.exited, Bun.sleep(GRACE_MS)]);
  child.kill("SIGKILL");
  await child.exited;
}

function countOne(exitCode: number | null): Counts {
  return exitCode === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 };
}
