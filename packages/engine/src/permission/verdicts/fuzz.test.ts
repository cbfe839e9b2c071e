// What generated commands once got past the gate. See `fuzz-data.ts`.

import { expect, test } from "bun:test";
import { MUST_ASK, MUST_RUN } from "./fuzz-data.ts";
import { judgeCommand } from "./verdicts-world.ts";

test.each([["ask", MUST_ASK] as const, ["allow", MUST_RUN] as const])(
  "%s, each command that the fuzz found",
  (verdict, groups) => {
    const rows = groups.flatMap(([, world, commands]) => commands.map((command) => ({ command, world })));
    const judged = rows.map(({ command, world }) => [command, judgeCommand(command, world)]);
    expect(judged).toEqual(rows.map(({ command }) => [command, verdict]));
  },
);
