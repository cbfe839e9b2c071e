// Runs the steps of `npm test` one after the other and ends in one line of totals. A failing step does not stop the
// others. A step that reaches its limit is stopped, and what it reported until then still counts.

import { existsSync } from "node:fs";
import { root } from "../root.ts";
import { failedTests, readCounts, skippedTests, withoutPasses, type Counts } from "./test-output.ts";

export interface Step {
  readonly name: string;
  readonly command: readonly string[];
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Seconds, on a machine like ours. */
  readonly limit: number;
  /** `bun test`, which reports each test; any other step is one check. */
  readonly reportsTests?: boolean;
  /** Of a step that reports tests: runs these files alone. */
  readonly again?: (files: readonly string[]) => readonly string[];
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
  const unsteady: string[] = [];
  for (const step of steps) {
    print(`\n== ${step.name}`);
    const started = performance.now();
    const { counts, skips, isCut, passedAgain } = await runStep(step, options);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    total.passed += counts.passed;
    total.failed += counts.failed;
    total.skipped += counts.skipped;
    skipped.push(...skips);
    unsteady.push(...passedAgain);
    if (isCut) stopped.push(`"${step.name}" was stopped after ${seconds} s, before it was finished`);
    const verdict = counts.failed > 0 ? "FAILED" : counts.skipped > 0 && counts.passed === 0 ? "skipped" : "ok";
    print(`   ${verdict} in ${seconds} s`);
  }
  if (total.skipped > 0) print(`\n${total.skipped} skipped:\n${skipped.map((skip) => `  ${skip}`).join("\n")}`);
  if (unsteady.length > 0)
    print(`\nFailed at first, passed alone; mend these tests:\n${unsteady.map((name) => `  ${name}`).join("\n")}`);
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
  /** The tests that failed at first and passed when their files were run alone. */
  readonly passedAgain: readonly string[];
}

const GRACE_MS = 5_000;
/**
 * More failures than this are no accident of timing. Of more than 20,000 tests, many wait for browsers, databases and fleets of
 * processes; those that only a busy machine fails pass alone, and the report names them.
 */
const FEW = 10;

/** A few tests of many thousands that fail while everything else runs beside them get a second chance alone. */
async function runStep(step: Step, options: StepOptions): Promise<Outcome> {
  const first = await runOnce(step, options);
  const files = new Set(first.failures.map(({ file }) => file));
  const isAccident =
    first.counts.failed > 0 && first.counts.failed === first.failures.length && first.failures.length <= FEW;
  if (!step.again || first.isCut || !isAccident) return { ...first, passedAgain: [] };
  options.print(`   once more, alone: ${[...files].join(" ")}`);
  const second = await runOnce({ ...step, command: step.again([...files]) }, options);
  if (second.isCut || second.counts.failed > 0) return { ...first, passedAgain: [] };
  const { passed, failed, skipped } = first.counts;
  return {
    ...first,
    counts: { passed: passed + failed, failed: 0, skipped },
    passedAgain: first.failures.map(({ file, name }) => `${file}: ${name}`),
  };
}

interface Run extends Omit<Outcome, "passedAgain"> {
  readonly failures: ReturnType<typeof failedTests>;
}

async function runOnce(step: Step, { print, slowness, wait, isCI }: StepOptions): Promise<Run> {
  const { name, command, reportsTests = false } = step;
  const missing = command.find((word) => word.startsWith(`${root}/`) && !existsSync(word));
  if (missing !== undefined) {
    const reason = `"${missing}" is not installed; run \`npm ci\``;
    if (isCI) print(`   ${reason}`);
    const counts = isCI ? { passed: 0, failed: 1, skipped: 0 } : { passed: 0, failed: 0, skipped: 1 };
    return { counts, skips: isCI ? [] : [`${name} [${reason}]`], isCut: false, failures: [] };
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
  const [skips, failures] = reportsTests ? [skippedTests(output), failedTests(output)] : [[], []];
  return { counts, skips, isCut, failures };
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
