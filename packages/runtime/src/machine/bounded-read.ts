// A time limit on permission checks for tools that look at many files. With slow rules and thousands of files, the
// checks would block the event loop.

import { ToolError } from "@keelson/engine";

/** Ten times the cost of 100,000 files with ordinary rules. */
const LIMIT_MS = 10_000;

/** For one call. Past the limit, the call fails: it neither skips files nor shows denied ones. */
export function boundedRead(
  mayRead: (path: string) => boolean,
  now: () => number,
  limitMs: number = LIMIT_MS,
): (path: string) => boolean {
  let elapsed = 0;
  return (path) => {
    if (elapsed > limitMs)
      throw new ToolError(
        "Checking the permission rules for this many files takes too long. Narrow the path or pattern.",
      );
    const started = now();
    const answer = mayRead(path);
    elapsed += now() - started;
    return answer;
  };
}
