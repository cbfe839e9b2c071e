// The files that govern a session are written only with approval. See `guard-data.ts`.

import { expect, test } from "bun:test";
import { CALLS_ASK, CALLS_RUN, MUST_ASK, MUST_RUN } from "./tables/guard-data.ts";
import { commandRows, judgeCall, judgeCommand } from "./judge.test-support.ts";

const CALLS = [
  ...CALLS_RUN.map((row) => ["allow", ...row] as const),
  ...CALLS_ASK.map((row) => ["ask", ...row] as const),
];

test.each(commandRows({ allow: MUST_RUN, ask: MUST_ASK }))(
  "$verdict, $kind: $command",
  ({ verdict, command, setup }) => {
    expect(judgeCommand(command, setup)).toBe(verdict);
  },
);

test.each(CALLS)("%s, %s: %s %j", (verdict, _kind, tool, access, setup) => {
  expect(judgeCall(tool, access, setup)).toBe(verdict);
});
