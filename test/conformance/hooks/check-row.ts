// One row as a test: run on a stage, and of all that was observed, what the row names must be so.

import { expect, test } from "bun:test";
import { inTurn, type Stage } from "./drive.ts";
import type { Row } from "./row.ts";

/** Rows run side by side, each with a program of its own, a few at a time. */
export function checkRows({ name: where, run, unseen = [], absent = [] }: Stage, all: readonly Row[]): void {
  const turn = inTurn(4);
  const rows = all.filter((row) => !absent.some(({ is }) => is(row)));
  for (const row of rows) {
    test.concurrent(
      `${where}: ${row.event}: ${row.name}`,
      async () => {
        const observed = await turn(() => run(row));
        const named = Object.keys(row.noticed) as (keyof typeof observed)[];
        const wanted = named.filter((what) => !unseen.includes(what));
        expect(Object.fromEntries(wanted.map((what) => [what, observed[what]]))).toEqual(
          Object.fromEntries(wanted.map((what) => [what, row.noticed[what]])) as any,
        );
        // Whole inputs also have their keys in order.
        expect(observed.told.map(keysOf)).toEqual(observed.told.map((told, at) => keysOf(wholeInput(row, at) ?? told)));
      },
      120_000,
    );
  }

  test.each(absent)(`${where}: rows are left out because $why`, ({ is }) => {
    expect(all.filter(is)).not.toEqual([]);
  });

  test(`${where}: no two rows have one name`, () => {
    const names = rows.map(({ event, name }) => `${event}: ${name}`);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });
}

const keysOf = (input: object) => Object.keys(input).join(" ");

function wholeInput({ noticed: { told } }: Row, at: number): object | undefined {
  const input = Array.isArray(told) ? told[at] : undefined;
  return input && "session_id" in input ? input : undefined;
}
