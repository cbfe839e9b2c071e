// A small part of the long run, on every test: see `run.ts` for the rest.

import { expect, test } from "bun:test";
import { report } from "./run.ts";
import { fuzz } from "./shell.fuzz.ts";

test("no generated command runs that bash or another parser reads differently", async () => {
  const findings = await fuzz({ cases: 3_000, seed: 2026 });
  expect(findings.failures, report(findings)).toEqual([]);
  // A gate that asks about everything would pass too.
  expect(findings.allowed).toBeGreaterThan(300);
});
