// Whether tools that look at many files may see each, for no longer than somebody would wait. With rules that are slow to
// match and thousands of files, answering one by one would keep the program from hearing anything else.

import { ToolError } from "@keelson/engine";

/** Ten times what a hundred thousand files take with everyday rules. */
const LIMIT_MS = 10_000;

/** For one call. Past the limit the call fails instead of leaving files out or showing what may be denied. */
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
