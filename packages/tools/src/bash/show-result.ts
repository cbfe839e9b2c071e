// Formats the output of a command for the model. Pure.

import { cutMiddle, kilobytes, type ShellResult } from "@keelson/engine";

const FAILURE_CHARS = 10_000;

/** Removes leading blank lines and trailing whitespace. */
export function trimOutput(text: string): string {
  return text.replace(/^(?:[^\S\n]*\n)+/, "").trimEnd();
}

interface TimeLimit {
  readonly timeoutMs: number;
  /** The largest timeout that a call may ask for. */
  readonly longestMs: number;
  /** Whether commands may run in the background. */
  readonly background: boolean;
}

/** The error text for a failed command: exit code, reason, and the start and end of the output. */
export function failureText(result: ShellResult, limit: TimeLimit): string {
  const code = result.timedOut ? 143 : (result.code ?? 137);
  const output = headAndTail(result);
  return [
    `Exit code ${code}`,
    ...(result.timedOut ? [`Command timed out after ${duration(limit.timeoutMs)}`, ...moreTime(limit)] : []),
    ...(!result.timedOut && result.code === null ? ["The shell was killed by a signal"] : []),
    ...(output === "" ? [] : [output]),
  ].join("\n");
}

/** How to let the command finish. */
function moreTime({ timeoutMs, longestMs, background }: TimeLimit): string[] {
  const ways = [
    ...(timeoutMs < longestMs ? [`set timeout to more than ${timeoutMs} (at most ${longestMs})`] : []),
    ...(background ? ["use run_in_background"] : []),
  ];
  return ways.length === 0 ? [] : [`If it needs more time, ${ways.join(" or ")}.`];
}

/** The start and end of output that is too long to show and could not be saved to a file. */
export function cutOutput(result: ShellResult): string {
  return `${result.text}\n\n… output cut: ${kilobytes(result.size)} in total, the full output could not be saved …\n\n${result.tail}`;
}

function headAndTail(result: ShellResult): string {
  if (result.tail === "") return cutMiddle(trimOutput(result.text), FAILURE_CHARS);
  const head = trimOutput(result.text.slice(0, FAILURE_CHARS - result.tail.length));
  const where = result.path ? `, full output in ${result.path}` : "";
  return `${head}\n\n… output cut: ${kilobytes(result.size)} in total${where} …\n\n${result.tail.trimEnd()}`;
}

export function duration(ms: number): string {
  if (ms < 100) return `${ms}ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${Number(seconds.toFixed(1))}s`;
  return `${Math.floor(seconds / 60)}m ${Math.round(seconds % 60)}s`;
}
