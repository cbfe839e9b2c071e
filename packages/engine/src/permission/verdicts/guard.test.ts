// What governs a session is written only on approval. See `guard-data.ts`.

import { expect, test } from "bun:test";
import { CALLS_ASK, CALLS_RUN, MUST_ASK, MUST_RUN } from "./guard-data.ts";
import { judgeCall, judgeCommand, type TableVerdict } from "./gate-setup.ts";

const COLUMNS = [
  ["allow", MUST_RUN, CALLS_RUN],
  ["ask", MUST_ASK, CALLS_ASK],
] as const;

const commands = COLUMNS.flatMap(([verdict, groups]) =>
  groups.flatMap(([kind, setup, texts]) =>
    texts.map((text): [TableVerdict, string, string, typeof setup] => [verdict, kind, text, setup]),
  ),
);
const calls = COLUMNS.flatMap(([verdict, , rows]) => rows.map((row) => [verdict, ...row] as const));

test.each(commands)("%s, %s: %s", (verdict, _kind, text, setup) => {
  expect(judgeCommand(text, setup)).toBe(verdict);
});

test.each(calls)("%s, %s: %s %j", (verdict, _kind, tool, access, setup) => {
  expect(judgeCall(tool, access, setup)).toBe(verdict);
});
