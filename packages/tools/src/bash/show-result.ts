// The words around what a command printed. Pure.

import { cutMiddle, kilobytes, type ShellResult } from "@keelson/engine";

const FAILURE_CHARS = 10_000;

/** Blank lines in front and blanks at the end say nothing. */
export function trimOutput(text: string): string {
  return text.replace(/^(?:[^\S\n]*\n)+/, "").trimEnd();
}

/** What the model reads of a command that failed: the code, what happened, and both ends of the output. */
export function failureText(result: ShellResult, timeoutMs: number): string {
  const code = result.timedOut ? 143 : (result.code ?? 137);
  return [
    `Exit code ${code}`,
    ...(result.timedOut ? [`Command timed out after ${duration(timeoutMs)}`] : []),
    ...(!result.timedOut && result.code === null ? ["The shell was ended by a signal"] : []),
    ...someLines(headAndTail(result)),
  ].join("\n");
}

/** Beginning and end of output that is too long to show and could not be kept in a file either. */
export function cutText(result: ShellResult): string {
  return `${result.text}\n\n… cut here: ${kilobytes(result.size)} in all, and the rest could not be saved …\n\n${result.tail}`;
}

function headAndTail(result: ShellResult): string {
  if (result.tail === "") return cutMiddle(trimOutput(result.text), FAILURE_CHARS);
  const head = trimOutput(result.text.slice(0, FAILURE_CHARS - result.tail.length));
  const where = result.path ? `; all of it is in ${result.path}` : "";
  return `${head}\n\n… cut here: ${kilobytes(result.size)} in all${where} …\n\n${result.tail.trimEnd()}`;
}

function someLines(text: string): string[] {
  return text === "" ? [] : [text];
}

export function duration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 60) return `${Number(seconds.toFixed(1))}s`;
  return `${Math.floor(seconds / 60)}m ${Math.round(seconds % 60)}s`;
}
