// The table, on every stage there is.

import { expect, test } from "bun:test";
import { CASES } from "./cases.ts";
import type { Row } from "./row.ts";
import { inTurn, mainAgent, type Stage } from "./drive.ts";

const STAGES: readonly Stage[] = [mainAgent];
const turn = inTurn(4);

for (const { name: where, run } of STAGES) {
  for (const row of CASES) {
    test.concurrent(
      `${where}: ${row.event}: ${row.name}`,
      async () => {
        const observed = await turn(() => run(row));
        const wanted = Object.keys(row.noticed) as (keyof typeof observed)[];
        expect(Object.fromEntries(wanted.map((what) => [what, observed[what]]))).toEqual(row.noticed as object);
        // Whole inputs also have their keys in order.
        expect(observed.told.map(keysOf)).toEqual(observed.told.map((told, at) => keysOf(wholeInput(row, at) ?? told)));
      },
      120_000,
    );
  }
}

test("no two rows have one name", () => {
  const names = CASES.map(({ event, name }) => `${event}: ${name}`);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

const keysOf = (input: object) => Object.keys(input).join(" ");

function wholeInput({ noticed: { told } }: Row, at: number): object | undefined {
  const input = Array.isArray(told) ? told[at] : undefined;
  return input && "session_id" in input ? input : undefined;
}
