// A query whose program is played by the test.

import { fakeProgram } from "./fake-program.test-support.ts";
import type { Options } from "./options/options.ts";
import { query } from "./query/query.ts";

export function played(prompt: Parameters<typeof query>[0]["prompt"], options: Options = {}, program = fakeProgram()) {
  const { spawn } = program;
  return {
    program,
    running: query({
      prompt,
      options: { pathToKeelsonExecutable: "keelson", spawnClaudeCodeProcess: spawn, ...options },
    }),
  };
}

/** The error it was rejected with; undefined if it was not. */
export const failure = (promise: Promise<unknown>): Promise<any> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );
