// The table as tests, one for each case. Cases of one scenario share its runs; scenarios run two at a time.

import { expect, test } from "bun:test";
import { inTurn } from "../hooks/drive.ts";
import type { Case, Scenario, Seen } from "./scenario.ts";
import { canAsk, shownThrough } from "./clients/sdk-methods.ts";

export interface Driver {
  readonly kind: "pipe" | "sdk";
  run(scenario: Scenario): Promise<Seen>;
}

export function checkAll({ kind, run }: Driver, scenarios: readonly Scenario[]): void {
  const turn = inTurn(2);
  for (const scenario of scenarios) {
    let seen: Promise<Seen> | undefined;
    for (const row of casesOn(kind, scenario)) {
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
}

export function casesOn(kind: Driver["kind"], { only, cases }: Scenario): readonly Case[] {
  if (only !== undefined && only !== kind) return [];
  return cases.filter((row) => {
    if (row.only !== undefined) return row.only === kind;
    return kind === "pipe" || row.about === undefined || canAsk(row.about);
  });
}
