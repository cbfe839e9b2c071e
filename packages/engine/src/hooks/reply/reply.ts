// Turns a finished handler's exit code, stdout and stderr into a reply. Never throws, whatever the bytes are. Outputs
// the event ignores are dropped here, so later code need not know about them.

import {
  isObject,
  reportsSignal,
  tryParse,
  type HookPermission,
  type HookRun,
  type HookVerdict,
} from "@keelson/protocol";
import { EVENT_FACTS } from "../event-facts.ts";
import { isUnblockable, readOutput } from "./output.ts";
import { readStdout, type Stdout } from "./stdout.ts";
import { blockText, bounded, unmetCondition, detail, problemText, successText, type FiredHook } from "./text.ts";

export interface HookReply {
  /** A block of any kind is `deny`. */
  readonly verdict?: HookVerdict;
  /** The reason, in the form the model reads. */
  readonly reason?: string;
  readonly context: readonly string[];
  readonly input?: unknown;
  readonly output?: unknown;
  readonly stop?: string;
  readonly permission?: HookPermission;
  readonly fields?: Readonly<Record<string, unknown>>;
  /** For people, never for the model. */
  readonly systemMessage?: string;
  /** The handler continues in the background; `readBackgroundReply` reads its result later. */
  readonly async?: { readonly timeoutMs?: number };
  /** Known outputs that this event ignores. */
  readonly ignored?: readonly string[];
  /** An error that stops nothing: one sentence for people. */
  readonly problem?: string;
}

export function readReply(run: HookRun, about: FiredHook): HookReply {
  const { handler } = about;
  if (handler.type === "command" && (handler.async || handler.asyncRewake)) return { context: [], async: {} };
  if (run.outcome === "cancelled") return cancelled(run, about);
  if (run.prevented && !hasReplied(run)) return prevented(run, about);
  if (handler.type === "prompt" || handler.type === "agent") return readModelAnswer(run, about);
  const stdout = readStdout(run.stdout);
  if (stdout.kind === "async") return { context: [], async: stdout.announced };
  return withNote(readHandlerOutput(run, stdout, about), run, about);
}

/** The handler succeeded, but there is still something to report, such as output that was not kept. */
function withNote(reply: HookReply, { outcome, exitCode, problem }: HookRun, about: FiredHook): HookReply {
  if (problem === undefined || reply.problem !== undefined || (outcome !== "success" && exitCode !== 2)) return reply;
  return { ...reply, problem: problemText(about, `reported a problem: ${problem}`) };
}

/** A handler that did not finish. Its output is ignored (test/conformance/hooks/rows/pre-tool-use.ts). */
function cancelled({ problem }: HookRun, about: FiredHook): HookReply {
  const { event, handler } = about;
  const guards = handler.type === "callback" && (event === "PreToolUse" || event === "UserPromptSubmit");
  if (guards || blocksOnFailure(about)) return block({ context: [] }, about, problem ?? "was cancelled");
  // An agent that used up its turns is dropped silently.
  if (handler.type === "agent" && problem === undefined) return { context: [] };
  return { context: [], problem: hookFailure(about, problem, "was cancelled") };
}

/** It was run to its end, and what it printed is its answer. */
const hasReplied = ({ prevented, exitCode, stdout }: HookRun) =>
  (prevented === "end" || prevented === "unread") &&
  exitCode !== undefined &&
  !reportsSignal(exitCode) &&
  readStdout(stdout).kind === "json";

/**
 * A handler that could not do its work. Whoever can use up descriptors or memory, or replace its program, could otherwise
 * switch off a guard, so it counts as a no wherever a handler may say no.
 */
function prevented({ prevented: cause, problem = "it was not started" }: HookRun, about: FiredHook): HookReply {
  const failure = hookFailure(about, problem, "failed");
  const why = `This hook could not be run, so what it guards is blocked. ${problem}`;
  if (EVENT_FACTS[about.event].permission)
    return {
      context: [],
      problem: failure,
      permission: { behavior: "deny", message: blockText(about, why, { raw: true }) },
    };
  // A program that changed stays so until the session is restarted, and one that prints too much does so again.
  const isForever = (cause === "changed" || cause === "unread") && NEVER_ON_FAILURE.has(about.event);
  return mayBlock(about) && !isForever
    ? { ...block({ context: [] }, about, why), problem: failure }
    : { context: [], problem: failure };
}

function readHandlerOutput(run: HookRun, stdout: Stdout, about: FiredHook): HookReply {
  const { event } = about;
  const output = readOutput(stdout.kind === "json" ? stdout.json : {}, about);
  const code = run.exitCode ?? (run.outcome === "success" ? 0 : undefined);
  // Exit code 2 blocks whatever the JSON allows; a deny with its own reason may stand.
  if (code === 2 && !(output.verdict === "deny" && output.reason !== undefined))
    return mayBlock(about) ? block(output, about, stderrOf(run)) : withProblem(output, ignoredExitCode(run, about));

  const wrong = code === 0 ? outputProblem(stdout, about) : code === 2 ? undefined : exited(run);
  if (wrong !== undefined) {
    const fatal = event === "WorktreeCreate" || blocksOnFailure(about);
    if (fatal && output.verdict !== "deny") return block(output, about, run.stderr.trim() || run.problem || wrong);
    // If a handler replied in JSON, its exit code does not matter.
    return stdout.kind === "json"
      ? withReason(output, about)
      : withProblem(output, hookFailure(about, run.problem, wrong));
  }
  if (event === "WorktreeCreate") return worktree(stdout, about, output);
  if (stdout.kind === "text" && EVENT_FACTS[event].plainText)
    return { ...output, context: [successText(about, stdout.text)] };
  return withReason(output, about);
}

/** The reply of a prompt or agent hook: yes, or no with a reason. */
function readModelAnswer(run: HookRun, about: FiredHook): HookReply {
  const { event, handler } = about;
  const answer = run.outcome === "success" ? tryParse(run.stdout) : undefined;
  if (!isObject(answer) || typeof answer["ok"] !== "boolean") {
    const what =
      run.outcome === "success" ? "returned an answer that could not be read" : `failed${detail(run.stderr)}`;
    return { context: [], problem: hookFailure(about, run.problem, what) };
  }
  if (answer["ok"]) return { context: [] };
  const { permission, stops, blockGoesOn, blockStops } = EVENT_FACTS[event];
  const why = typeof answer["reason"] === "string" && answer["reason"] !== "" ? answer["reason"] : NO_REASON;
  // Since 2.1.210, a prompt hook's no ends the turn unless `continueOnBlock` is set; an agent hook's no does not. For
  // Stop and SubagentStop, no means "not done yet" and the model keeps working.
  const ends = handler.type === "prompt" && handler.continueOnBlock !== true && blockGoesOn !== true && stops;
  return {
    ...(mayBlock(about) && { verdict: "deny", reason: unmetCondition(about, why) }),
    context: [],
    ...((ends || blockStops) && { stop: bounded(why) }),
    ...(permission && { permission: { behavior: "deny", message: bounded(why) } }),
  };
}

/** The last line that is not empty is the new folder, unless the JSON names one. */
function worktree(stdout: Stdout, about: FiredHook, output: HookReply): HookReply {
  if (output.fields?.["worktreePath"] !== undefined) return output;
  const path = stdout.kind === "text" ? stdout.text.split("\n").at(-1)!.trim() : "";
  if (path === "") return block(output, about, "did not name a folder for the worktree");
  return { ...output, fields: { ...output.fields, worktreePath: path } };
}

/** The same as exit code 2. Only for events that can be blocked. */
function block({ input: _, ...output }: HookReply, about: FiredHook, why: string): HookReply {
  return withReason({ ...output, verdict: "deny", reason: blockText(about, why, { raw: true }) }, about);
}

/** A deny always has a reason, and a stop if it ends the run. */
function withReason(reply: HookReply, about: FiredHook): HookReply {
  if (reply.verdict !== "deny") return reply;
  const reason = reply.reason ?? blockText(about, NO_REASON, { raw: false });
  const stop = reply.stop ?? (EVENT_FACTS[about.event].blockStops ? reason : undefined);
  return { ...reply, reason, ...(stop !== undefined && { stop }) };
}

function withProblem(output: HookReply, problem: string): HookReply {
  return { ...output, problem: output.problem === undefined ? problem : `${output.problem}; ${problem}` };
}

function mayBlock(about: FiredHook): boolean {
  return EVENT_FACTS[about.event].exit2 === "blocks" && !isUnblockable(about);
}

/** Where a block means "keep working", a broken handler would keep the model working forever. */
const NEVER_ON_FAILURE = new Set(["Stop", "SubagentStop", "TaskCompleted", "TeammateIdle"]);

function blocksOnFailure(about: FiredHook): boolean {
  const { event, handler } = about;
  return "onFailure" in handler && handler.onFailure === "block" && !NEVER_ON_FAILURE.has(event) && mayBlock(about);
}

const NO_REASON = "A hook refused this without giving a reason";

export function stderrOf({ stdout, stderr }: HookRun): string {
  const text = stdout.trim();
  // Scripts that print the reason to the wrong stream still mean it. The last text is the reference's.
  return stderr.trim() || (text.startsWith("{") ? "" : text) || "No stderr output";
}

export function exited({ exitCode, stderr }: HookRun): string {
  return `${exitCode === undefined ? "failed" : `exited with code ${exitCode}`}${detail(stderr)}`;
}

const ignoredExitCode = (run: HookRun, about: FiredHook) =>
  problemText(about, `exited with code 2, which does not block ${about.label}${detail(run.stderr)}`);

/** What is wrong with the output of a handler that succeeded. */
function outputProblem(stdout: Stdout, { handler }: FiredHook): string | undefined {
  if (stdout.kind === "broken") return "printed JSON that could not be read";
  const spoken = handler.type === "http" || handler.type === "callback";
  return spoken && stdout.kind === "text" ? "answered with something other than a JSON object" : undefined;
}

export function hookFailure(about: FiredHook, problem: string | undefined, what: string): string {
  return problemText(about, problem === undefined ? what : `failed: ${problem}`);
}
