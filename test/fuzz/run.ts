// The long run: `node scripts/bun.mjs test/fuzz/run.ts --cases 100000 --seed 1`. Prints what was found, fails when anything must not be.

import { parseArgs } from "node:util";
import { fuzz, type Findings } from "./shell.fuzz.ts";

/** What a person wants to know after a run. */
export function report({ cases, allowed, asked, excused, failures }: Findings): string {
  const lines = (title: string, counts: Readonly<Record<string, number>>) =>
    Object.entries(counts).map(([kind, times]) => `${title}: ${kind}: ${times}`);
  return [
    `${cases} commands, ${allowed} would run`,
    ...lines("disagreement, asked", asked),
    ...lines("disagreement, not ours", excused),
    ...failures.slice(0, 40).map(({ kind, text }) => `FAILED: ${kind}: ${JSON.stringify(text)}`),
    `${failures.length} failures`,
  ].join("\n");
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { cases: { type: "string" }, seed: { type: "string" } } });
  const started = performance.now();
  const findings = await fuzz({ cases: Number(values.cases ?? 100_000), seed: Number(values.seed ?? 1) });
  console.log(report(findings));
  console.log(`${((performance.now() - started) / 1000).toFixed(1)} s`);
  process.exit(findings.failures.length > 0 ? 1 : 0);
}
