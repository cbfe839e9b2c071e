// Generated commands that once got past the gate. See `fuzz-data.ts`.

import { expect, test } from "bun:test";
import { MUST_ASK, MUST_RUN } from "./tables/fuzz-data.ts";
import { judgeCommand } from "./judge.test-support.ts";

test.each([["ask", MUST_ASK] as const, ["allow", MUST_RUN] as const])(
  "%s, each command that the fuzzer found",
  (verdict, groups) => {
    const rows = groups.flatMap(([, setup, commands]) => commands.map((command) => ({ command, setup })));
    const judged = rows.map(({ command, setup }) => [command, judgeCommand(command, setup)]);
    expect(judged).toEqual(rows.map(({ command }) => [command, verdict]));
  },
);
