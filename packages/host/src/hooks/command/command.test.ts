import { expect, test } from "bun:test";
import { createGroups } from "../../shell/process/groups.ts";
import { createPrograms } from "../../programs/registry/programs.ts";
import { randomHex } from "../../random.ts";
import { runCommandHook } from "./command.ts";

test("works with Bun's pipes if we cannot open our own", async () => {
  const started: number[] = [];
  const ended: number[] = [];
  const groups = createGroups(randomHex(16), { added: (pid) => started.push(pid), removed: (pid) => ended.push(pid) });
  const { signal } = new AbortController();
  const options = { cwd: "/", env: { PATH: "/usr/bin:/bin" }, timeoutMs: 10_000, signal, closing: signal };
  const command = "cat; echo $$; echo no >&2; exit 2";
  const run = await runCommandHook({ type: "command", command }, "{}", {
    ...options,
    groups,
    openPipe: null,
    programs: createPrograms(undefined),
  });

  expect(run).toEqual({
    outcome: "error",
    exitCode: 2,
    stdout: `{}\n${started[0]}\n`,
    stderr: "no\n",
    durationMs: expect.any(Number),
  });
  expect(ended).toEqual(started);
});
