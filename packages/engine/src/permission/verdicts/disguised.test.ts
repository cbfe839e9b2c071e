// Words that are not what they look like. See `disguised-data.ts`.

import { expect, test } from "bun:test";
import { MUST_ASK, MUST_DENY, MUST_RUN } from "./tables/disguised-data.ts";
import { commandRows, judgeCommand } from "./judge.test-support.ts";

const rows = commandRows({ allow: MUST_RUN, ask: MUST_ASK, deny: MUST_DENY });

test.each(rows)("$verdict, $kind: $name", ({ verdict, command, setup }) => {
  expect(judgeCommand(command, setup)).toBe(verdict);
});
