// What governs a session is written only on approval. See `guard-data.ts`.

import { expect, test } from "bun:test";
import { CALLS_ASK, CALLS_RUN, MUST_ASK, MUST_RUN } from "./guard-data.ts";
import { judgeCall, judgeCommand, type TableVerdict } from "./verdicts-world.ts";

const COLUMNS = [
  ["allow", MUST_RUN, CALLS_RUN],
  ["ask", MUST_ASK, CALLS_ASK],
] as const;

const commands = COLUMNS.flatMap(([verdict, groups]) =>
  groups.flatMap(([kind, world, texts]) =>
    texts.map((text): [TableVerdict, string, string, typeof world] => [verdict, kind, text, world]),
  ),
);
const calls = COLUMNS.flatMap(([verdict, , rows]) => rows.map((row) => [verdict, ...row] as const));

test.each(commands)("%s, %s: %s", (verdict, _kind, text, world) => {
  expect(judgeCommand(text, world)).toBe(verdict);
});

test.each(calls)("%s, %s: %s %j", (verdict, _kind, tool, access, world) => {
  expect(judgeCall(tool, access, world)).toBe(verdict);
});
