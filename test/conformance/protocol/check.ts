// The table as tests, one for each case. Cases of one scenario share its runs; scenarios run two at a time.

import { expect, test } from "bun:test";
import { inTurn } from "../hooks/drive.ts";
import type { Case, Scenario, Seen } from "./scenario.ts";
import { canAsk, shownThrough } from "./clients/sdk-methods.ts";

export interface Driver {
  readonly kind: "pipe" | "sdk";
  /** What this way to drive the program cannot show, with the reason. */
  readonly absent?: readonly Absence[];
  run(scenario: Scenario): Promise<Seen>;
}

export interface Absence {
  readonly why: string;
  is(scenario: Scenario, row: Case): boolean;
}

export function checkAll({ kind, run, absent = [] }: Driver, scenarios: readonly Scenario[]): void {
  const turn = inTurn(2);
  for (const scenario of scenarios) {
    let seen: Promise<Seen> | undefined;
    for (const row of casesOn(kind, scenario)) {
      if (absent.some((absence) => absence.is(scenario, row))) continue;
      test.concurrent(
        `${scenario.name}: ${row.name}`,
        async () => {
          seen ??= turn(() => run(scenario));
          const is = kind === "sdk" && row.about ? shownThrough(row.about, row.is) : row.is;
          expect(row.see(await seen)).toEqual(is as any);
        },
        60_000,
      );
    }
  }

  test.each([...absent])("cases are left out because $why", ({ is }) => {
    const left = scenarios.filter((scenario) => casesOn(kind, scenario).some((row) => is(scenario, row)));
    expect(left).not.toEqual([]);
  });
}

export function casesOn(kind: Driver["kind"], { only, cases }: Scenario): readonly Case[] {
  if (only !== undefined && only !== kind) return [];
  return cases.filter((row) => {
    if (row.only !== undefined) return row.only === kind;
    return kind === "pipe" || row.about === undefined || canAsk(row.about);
  });
}
