// Commands and calls that must run, ask or be denied. See `verdicts-data.ts`.

import { expect, test } from "bun:test";
import {
  CALLS_ASK,
  CALLS_DENY,
  CALLS_RUN,
  MUST_ASK,
  MUST_DENY,
  MUST_RUN,
  type ToolRow,
  type CommandRow,
} from "./tables/verdicts-data.ts";
import { judgeCall, judgeCommand, type TableVerdict } from "./judge.test-support.ts";

const COLUMNS: readonly (readonly [TableVerdict, readonly CommandRow[], readonly ToolRow[]])[] = [
  ["allow", MUST_RUN, CALLS_RUN],
  ["ask", MUST_ASK, CALLS_ASK],
  ["deny", MUST_DENY, CALLS_DENY],
];

const commands = COLUMNS.flatMap(([verdict, groups]) =>
  groups.flatMap(([kind, setup, texts]) => texts.map((text) => ({ verdict, kind, text, setup, name: short(text) }))),
);
const calls = COLUMNS.flatMap(([verdict, , rows]) =>
  rows.map(([kind, tool, access, setup]) => ({ verdict, kind, tool, access, setup, name: nameOf(tool, access) })),
);

test.each(commands)("$verdict, $kind: $name", ({ verdict, text, setup }) => {
  expect(judgeCommand(text, setup)).toBe(verdict);
});

test.each(calls)("$verdict, $kind: $name", ({ verdict, tool, access, setup }) => {
  expect(judgeCall(tool, access, setup)).toBe(verdict);
});

test("the table has at least 400 rows and no duplicates", () => {
  expect(commands.length + calls.length).toBeGreaterThanOrEqual(400);
  const keys = commands.map(({ text, setup }) => JSON.stringify([text, setup]));
  expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
});

function short(text: string): string {
  const shown = JSON.stringify(text).slice(1, -1);
  return shown.length > 60 ? `${shown.slice(0, 40)}… (${text.length})` : shown;
}

function nameOf(tool: string, access: ToolRow[2]): string {
  return "path" in access ? `${tool} ${access.path}` : tool;
}
