// The long runs. `run.ts --cases 100000 --seed 1` compares our reading of generated commands with other parsers;
// `run.ts --cases 200000 --really` runs what the gate allows, in a sandbox. Prints what was found and fails when
// anything was found that must not be.

import { parseArgs } from "node:util";
import { confinementMissing } from "../sessions/needs-bubblewrap.ts";
import { fuzzForReal, type RealFindings } from "./really/really.fuzz.ts";
import { reportOnRuns, shellNamed } from "./really/report.ts";
import { fuzz, type Findings } from "./shell.fuzz.ts";

/** What a person wants to know after comparing parsers. */
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
  const { values } = parseArgs({
    options: {
      cases: { type: "string" },
      seed: { type: "string" },
      really: { type: "boolean" },
      shell: { type: "string" },
    },
  });
  const size = { cases: Number(values.cases ?? 100_000), seed: Number(values.seed ?? 1) };
  const started = performance.now();
  const failures = values.really ? await runThem(size, values.shell ?? "bash") : await compareThem(size);
  console.log(`${((performance.now() - started) / 1000).toFixed(1)} s`);
  process.exit(failures > 0 ? 1 : 0);
}

async function compareThem(size: { cases: number; seed: number }): Promise<number> {
  const findings = await fuzz(size);
  console.log(report(findings));
  return findings.failures.length;
}

async function runThem(size: { cases: number; seed: number }, name: string): Promise<number> {
  const missing = confinementMissing(["bwrap", name]);
  if (missing !== null) throw new Error(`Nothing can be run: ${missing}`);
  const findings: RealFindings = await fuzzForReal({ ...size, shell: shellNamed(name), progress: console.error });
  console.log(reportOnRuns(findings));
  return findings.failures.length;
}
