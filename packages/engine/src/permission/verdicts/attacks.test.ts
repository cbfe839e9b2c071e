// Ways round the gate, and what looks like one. See `attacks-data.ts`.

import { expect, test } from "bun:test";
import { MUST_ASK, MUST_DENY, MUST_RUN } from "./attacks-data.ts";
import type { CommandRow } from "./verdicts-data.ts";
import { judgeCommand, type TableVerdict } from "./gate-setup.ts";

const COLUMNS: readonly (readonly [TableVerdict, readonly CommandRow[]])[] = [
  ["allow", MUST_RUN],
  ["ask", MUST_ASK],
  ["deny", MUST_DENY],
];

const rows = COLUMNS.flatMap(([verdict, groups]) =>
  groups.flatMap(([kind, setup, texts]) =>
    texts.map((text) => ({ verdict, kind, text, setup, name: JSON.stringify(text) })),
  ),
);

test.each(rows)("$verdict, $kind: $name", ({ verdict, text, setup }) => {
  expect(judgeCommand(text, setup)).toBe(verdict);
});
