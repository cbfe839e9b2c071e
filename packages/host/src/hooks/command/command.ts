// One command hook: its input on stdin, its two outputs kept to a size, its time limited. Knows no event and reads no reply.

import type { CommandHook, HookRun } from "@keelson/protocol";
import { drain } from "../../shell/process/drain.ts";
import type { Groups } from "../../shell/process/groups.ts";
import type { OpenPipe } from "../../shell/process/pipe.ts";
import { readAsyncLine, type AsyncLine } from "./async-line.ts";
import { hookArgv } from "./argv.ts";
import { keepHead, type OutputHead } from "./head.ts";
import { createTimeLimit } from "../limit.ts";
import { startHook } from "./start.ts";

export interface CommandHookOptions {
  readonly cwd: string;
  /** From `hookEnvironment`. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /**
   * The first line it printed says that it goes on by itself; called at once, and the line is left out of `stdout`. A
   * time it gave replaces `timeoutMs` from then on. Without a listener the line is output like any other.
   */
  onAsync?(timeoutMs: number | undefined): void;
  /** All that was printed so far, when there is more than last time; at most once a second. */
  onOutput?(stdout: string, stderr: string): void;
  readonly groups: Groups;
  readonly openPipe: OpenPipe | null;
  /** The session ends. */
  readonly closing: AbortSignal;
}

const PROGRESS_MS = 1_000;
const MIB = 1024 * 1024;

export async function runCommandHook(
  handler: CommandHook,
  input: string,
  options: CommandHookOptions,
): Promise<HookRun> {
  const start = performance.now();
  const run = (end: Omit<HookRun, "durationMs">): HookRun => ({
    ...end,
    durationMs: Math.round(performance.now() - start),
  });
  if (options.signal.aborted || options.closing.aborted) return run(cancelled("interrupted", options.timeoutMs));

  const argv = hookArgv(handler, options.env, options.cwd);
  if ("problem" in argv) return run(notStarted(argv.problem, 127));
  const child = startHook(argv.argv, `${input}\n`, options);
  if ("problem" in child) return run(notStarted(child.problem, child.code));
  const { pid, exited, moved } = child;
  options.groups.add(pid);
  void exited.then(() => options.groups.leaderEnded(pid));

  using limit = createTimeLimit(options.timeoutMs, [options.signal, options.closing]);
  const stdout = keepHead(MIB);
  const stderr = keepHead(MIB);
  const announced = watchForAsyncLine(stdout, options.onAsync, (ms) => limit.restart(ms));
  using _progress = reportProgress(stdout, stderr, options.onOutput);
  const printed = Promise.all([
    drain({ exited, output: child.stdout }, { push: (chunk) => announced.push(chunk) }),
    drain({ exited, output: child.stderr }, stderr),
  ]);

  const end = await Promise.race([printed, limit.reached]);
  if (!Array.isArray(end)) {
    // Not waited for: one that ignores TERM would hold up the session for as long as it is given to end.
    void options.groups.end(pid);
    stdout.take();
    stderr.take();
    return run(cancelled(end, limit.ms));
  }
  const [code] = end;
  const problems = [moved, code === null ? "It was ended by a signal" : undefined, truncationProblem(stdout, stderr)];
  return run({
    outcome: code === 0 ? "success" : "error",
    ...(code === null ? {} : { exitCode: code }),
    stdout: stdout.take().slice(announced.length()),
    stderr: stderr.take(),
    ...withProblem(problems.filter((problem) => problem !== undefined)),
  });
}

/** Watches the beginning of stdout until it is known whether it announces that the hook goes on by itself. */
function watchForAsyncLine(stdout: OutputHead, onAsync: CommandHookOptions["onAsync"], restart: (ms: number) => void) {
  let found: AsyncLine | "not yet" | "none" = onAsync ? "not yet" : "none";
  return {
    push(chunk: Uint8Array) {
      stdout.push(chunk);
      if (found !== "not yet") return;
      found = readAsyncLine(stdout);
      if (typeof found === "string") return;
      if (found.timeoutMs !== undefined) restart(found.timeoutMs);
      onAsync?.(found.timeoutMs);
    },
    /** How much of stdout was not output but the announcement. */
    length: () => (typeof found === "string" ? 0 : found.length),
  };
}

function reportProgress(stdout: OutputHead, stderr: OutputHead, onOutput: CommandHookOptions["onOutput"]): Disposable {
  let told = 0;
  const timer =
    onOutput &&
    setInterval(() => {
      const size = stdout.size() + stderr.size();
      if (size === told) return;
      told = size;
      onOutput(stdout.text(), stderr.text());
    }, PROGRESS_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function cancelled(why: "timeout" | "interrupted", timeoutMs: number): Omit<HookRun, "durationMs"> {
  const problem =
    why === "timeout"
      ? `It took longer than ${timeoutMs / 1_000} s and was ended; give it a larger \`timeout\` if it needs one`
      : "It was ended because the work it belonged to was interrupted";
  return { outcome: "cancelled", stdout: "", stderr: "", problem };
}

/** With the exit code a shell would give, so that a program that is gone looks the same with and without a shell. */
function notStarted(problem: string, exitCode: number | undefined): Omit<HookRun, "durationMs"> {
  return { outcome: "error", ...(exitCode === undefined ? {} : { exitCode }), stdout: "", stderr: problem, problem };
}

function truncationProblem(stdout: OutputHead, stderr: OutputHead): string | undefined {
  const cut = [...(stdout.isCut() ? ["stdout"] : []), ...(stderr.isCut() ? ["stderr"] : [])];
  return cut.length === 0 ? undefined : `It printed more than 1 MiB to ${cut.join(" and ")}; the rest was dropped`;
}

function withProblem(problems: readonly string[]): { readonly problem?: string } {
  return problems.length === 0 ? {} : { problem: problems.join(". ") };
}
