// Runs one command hook: writes its input to stdin and limits its output and time. Does not know events or parse replies.

import type { CommandHook, HookRun } from "@keelson/protocol";
import type { Programs } from "../../programs/registry/programs.ts";
import { drain } from "../../shell/process/drain.ts";
import type { Groups } from "../../shell/process/groups.ts";
import type { OpenPipe } from "../../shell/process/pipe.ts";
import { isStopped } from "../../shell/process/process-table.ts";
import { isFromOutside, shortageFixIn } from "../../shortage.ts";
import { readAsyncLine, type AsyncLine } from "./async-line.ts";
import { hookArgv, pythonVariables } from "./argv.ts";
import { keepHead, type OutputHead } from "./head.ts";
import { createTimeLimit } from "../limit.ts";
import { startHook, type StartFailure } from "./start.ts";

export interface CommandHookOptions {
  readonly cwd: string;
  /** From `hookEnvironment`. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /**
   * Called as soon as the first line says that the hook will run in the background. The line is removed from `stdout`,
   * and its timeout, if any, replaces `timeoutMs`. Without a listener the line is ordinary output.
   */
  onAsync?(timeoutMs: number | undefined): void;
  /** Called at most once a second with all output so far, if there is more than last time. */
  onOutput?(stdout: string, stderr: string): void;
  readonly groups: Groups;
  readonly openPipe: OpenPipe | null;
  /** Where the program of the hook is looked up. */
  readonly programs: Programs;
  /** Aborts when the session ends. */
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

  const argv = hookArgv(handler, options);
  if ("problem" in argv) {
    return run({ ...notStarted({ ...argv, code: 127 }), ...(argv.isChanged ? { prevented: "changed" } : {}) });
  }
  const env = { ...options.env, ...pythonVariables(handler, options.programs) };
  const child = startHook(argv.argv, `${input}\n`, { ...options, env });
  if ("problem" in child) return run(notStarted(child));
  const { pid, exited, moved } = child;
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
    const stopped = end === "timeout" && isStopped(pid);
    // Do not wait: a hook that ignores TERM would block the session until it is killed.
    void options.groups.end(pid);
    stdout.take();
    stderr.take();
    return run(stopped ? STOPPED : cancelled(end, limit.ms));
  }
  const [code] = end;
  const said = stderr.take();
  const signal = code === KILLED ? "SIGKILL" : child.signal();
  const killed = code === null || code === KILLED ? `It was killed by ${signal ?? "a signal"}` : undefined;
  const fix = shortageAtEnd(code, signal, said);
  const problems = [moved, killed, fix, truncationProblem(stdout, stderr)];
  const isCut = stdout.isCut();
  const printedOut = stdout.take().slice(announced.length());
  // What was dropped may have been a no, and large inputs make large answers.
  const isUnread = isCut && /^\s*(?:\{|$)/.test(printedOut);
  return run({
    outcome: code === 0 ? "success" : "error",
    ...(code === null ? {} : { exitCode: code }),
    stdout: printedOut,
    stderr: said,
    ...(fix !== undefined ? { prevented: "end" } : isUnread ? { prevented: "unread" } : {}),
    ...withProblem(problems.filter((problem) => problem !== undefined)),
  });
}

/** Checks the start of stdout until it is clear whether the hook will run in the background. */
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
    /** The length of the line, which is not output. */
    length: () => (typeof found === "string" ? 0 : found.length),
  };
}

function reportProgress(stdout: OutputHead, stderr: OutputHead, onOutput: CommandHookOptions["onOutput"]): Disposable {
  let reported = 0;
  const timer =
    onOutput &&
    setInterval(() => {
      const size = stdout.size() + stderr.size();
      if (size === reported) return;
      reported = size;
      onOutput(stdout.text(), stderr.text());
    }, PROGRESS_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function cancelled(why: "timeout" | "interrupted", timeoutMs: number): Omit<HookRun, "durationMs"> {
  const problem =
    why === "timeout"
      ? `It took longer than ${timeoutMs / 1_000} s and was stopped; increase its \`timeout\` if it needs more time`
      : "It was stopped because the run was interrupted";
  return { outcome: "cancelled", stdout: "", stderr: "", problem };
}

/** Uses the exit code a shell would give, so a missing program looks the same with and without a shell. */
function notStarted({ problem, code, starved }: StartFailure): Omit<HookRun, "durationMs"> {
  const exit = code === undefined ? {} : { exitCode: code };
  return { outcome: "error", ...exit, stdout: "", stderr: problem, problem, ...(starved && { prevented: "start" }) };
}

const STOPPED: Omit<HookRun, "durationMs"> = {
  outcome: "error",
  stdout: "",
  stderr: "",
  problem: "Another program stopped it with a signal, and it did not continue in time",
  prevented: "end",
};

/** The exit code of a shell whose program was killed with SIGKILL. */
const KILLED = 137;

/** How to fix what kept a hook from finishing. A hook that succeeded or that blocks has decided. */
function shortageAtEnd(code: number | null, signal: string | null, stderr: string): string | undefined {
  if (code === 0 || code === 2) return undefined;
  if (isFromOutside(signal))
    return "Keelson did not send this signal; another program did, or the system because memory ran out";
  return shortageFixIn(stderr);
}

function truncationProblem(stdout: OutputHead, stderr: OutputHead): string | undefined {
  const cut = [...(stdout.isCut() ? ["stdout"] : []), ...(stderr.isCut() ? ["stderr"] : [])];
  return cut.length === 0 ? undefined : `It printed more than 1 MiB to ${cut.join(" and ")}; the rest was dropped`;
}

function withProblem(problems: readonly string[]): { readonly problem?: string } {
  return problems.length === 0 ? {} : { problem: problems.join(". ") };
}
