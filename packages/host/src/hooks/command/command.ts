// Runs one command hook: writes its input to stdin and limits its output and time. Does not know events or parse replies.

import type * as Os from "node:os";
import { reportsSignal, type CommandHook, type HookRun } from "@keelson/protocol";
import type { Programs } from "../../programs/registry/programs.ts";
import { drain } from "../../shell/process/drain.ts";
import type { Groups } from "../../shell/process/groups.ts";
import type { OpenPipe } from "../../shell/process/pipe.ts";
import { isStopped } from "../../shell/process/process-table.ts";
import { shortageFixIn } from "../../shortage.ts";
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
  const signal = code !== null && reportsSignal(code) ? signalName(code - 128) : child.signal();
  const isKilled = code === null || reportsSignal(code);
  const killed = isKilled ? `It was killed by ${signal ?? "a signal"}` : undefined;
  const fix = isKilled ? NOT_OURS : code === 0 || code === 2 ? undefined : shortageFixIn(said);
  // A script goes on where a part of it failed, and ends well because that part found nothing.
  const complaint = code === 0 ? complaintIn(said) : undefined;
  const problems = [moved, killed, fix, complaint, truncationProblem(stdout, stderr)];
  const isCut = stdout.isCut();
  const printedOut = stdout.take().slice(announced.length());
  // What was dropped may have been a no, and large inputs make large answers.
  const isUnread = isCut && /^\s*(?:\{|$)/.test(printedOut);
  return run({
    outcome: code === 0 ? "success" : "error",
    ...(code === null ? {} : { exitCode: code }),
    stdout: printedOut,
    stderr: said,
    ...(fix !== undefined ? { prevented: "end" } : isUnread || complaint !== undefined ? { prevented: "unread" } : {}),
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

/** Only a whole line that ends as C libraries and runtimes word it: a program that goes on may print anything about its work. */
const COMPLAINT = new RegExp(
  [
    "too many open files(?: in system)?|resource temporarily unavailable|cannot allocate memory|no space left on device",
    "disk quota exceeded|argument list too long|cannot fork|pipe call failed|memory exhausted|can't start new thread",
    "failed to map segment from shared object|cannot open shared object file: error 24",
  ]
    .map((ends) => `^.*: (?:${ends})$`)
    .concat("^MemoryError(?:: .*)?$", "^Out of memory!$", "^memory allocation of \\d+ bytes failed.*$")
    .join("|"),
  "im",
);
/** As bash reports that the kernel or another program ended a part of a script. */
const PART_KILLED = /^.*: line \d+: +\d+ (?:Killed|Segmentation fault|Aborted|Bus error)\b.*$/m;

/** Of a program that ended well: what it lacked, and how to fix that. */
function complaintIn(said: string): string | undefined {
  const killed = PART_KILLED.exec(said)?.[0];
  if (killed !== undefined) return `It reported "${killed.slice(-200)}", so it may have missed what it looks for`;
  const line = COMPLAINT.exec(said)?.[0].slice(-200);
  const fix = line === undefined ? undefined : shortageFixIn(line);
  return fix && `It reported "${line}", so it may have missed what it looks for; ${fix}`;
}

/** The same for every signal: another program can also send those of a crash, and a lack of memory can cause a crash. */
const NOT_OURS =
  "Keelson did not send this signal; another program did, the program crashed, or the system ended it because memory ran out";

/** Loads `node:os`, half a millisecond, when a hook was killed. */
function signalName(number: number): string | null {
  const { constants } = require("node:os") as typeof Os;
  return Object.entries(constants.signals).find(([, each]) => each === number)?.[0] ?? null;
}

function truncationProblem(stdout: OutputHead, stderr: OutputHead): string | undefined {
  const cut = [...(stdout.isCut() ? ["stdout"] : []), ...(stderr.isCut() ? ["stderr"] : [])];
  return cut.length === 0 ? undefined : `It printed more than 1 MiB to ${cut.join(" and ")}; the rest was dropped`;
}

function withProblem(problems: readonly string[]): { readonly problem?: string } {
  return problems.length === 0 ? {} : { problem: problems.join(". ") };
}
