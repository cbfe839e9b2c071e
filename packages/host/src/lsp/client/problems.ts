// Diagnostics as `CodeProblem`s, and which of them are new. Pure.

import { isObject, type CodeProblem } from "@keelson/protocol";

const SEVERITIES = ["error", "warning", "info", "hint"] as const;
/** Of one file. */
const MOST_PROBLEMS = 1_000;
const MAX_MESSAGE = 1_000;

/** What has no message or no position is left out. Without a severity, a problem counts as an error. */
export function problemsOf(items: unknown): readonly CodeProblem[] {
  if (!Array.isArray(items)) return [];
  return items.slice(0, MOST_PROBLEMS).flatMap((item): CodeProblem[] => {
    if (!isObject(item) || !isObject(item["range"]) || !isObject(item["range"]["start"])) return [];
    const { line, character } = item["range"]["start"];
    const { message, code, source, severity } = item;
    if (typeof message !== "string" || typeof line !== "number" || typeof character !== "number") return [];
    return [
      {
        line,
        character,
        severity: SEVERITIES[(severity as number) - 1] ?? "error",
        message: message.slice(0, MAX_MESSAGE),
        ...(typeof code === "string" || typeof code === "number" ? { code: String(code).slice(0, 100) } : {}),
        ...(typeof source === "string" ? { source: source.slice(0, 100) } : {}),
      },
    ];
  });
}

/**
 * The problems of `now` that were not there before. An edit moves lines, so a problem is the same wherever it is; of
 * several equal ones, those on lines that had one before count as old.
 */
export function newProblems(before: readonly CodeProblem[], now: readonly CodeProblem[]): readonly CodeProblem[] {
  const left = new Map<string, number>();
  const places = new Set<string>();
  for (const problem of before) {
    const key = keyOf(problem);
    left.set(key, (left.get(key) ?? 0) + 1);
    places.add(`${problem.line} ${key}`);
  }
  const fresh = new Set(now);
  const takeOld = (problem: CodeProblem) => {
    const key = keyOf(problem);
    const count = left.get(key) ?? 0;
    if (count === 0) return;
    left.set(key, count - 1);
    fresh.delete(problem);
  };
  for (const problem of now) if (places.has(`${problem.line} ${keyOf(problem)}`)) takeOld(problem);
  for (const problem of now) if (fresh.has(problem)) takeOld(problem);
  return [...fresh];
}

const keyOf = ({ severity, source, code, message }: CodeProblem) => `${severity} ${source} ${code} ${message}`;
