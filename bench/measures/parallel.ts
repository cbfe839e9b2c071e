// Twenty independent calls in one reply: the time until all their results are sent back.

import { join } from "node:path";
import { repeat } from "../repeat.ts";
import { read, shell, type Call } from "../model/script.ts";
import type { Stage } from "../stage.ts";
import type { Row } from "../table.ts";

const CALLS = 20;

export async function parallel(stage: Stage): Promise<Row[]> {
  const paths = Array.from({ length: CALLS }, (_, i) => join(stage.project, `parallel-${i}.txt`));
  await Promise.all(paths.map((path, i) => Bun.write(path, `parallel-${i}-end\n`)));
  const expected = paths.map((_, i) => `parallel-${i}-end`);
  const reads = paths.map(read);
  const sleeps = paths.map((_, i) => shell(`sleep 0.2; echo parallel-${i}-end`));
  return [
    { what: `${CALLS} reads at once`, unit: "ms", samples: await gaps(stage, reads, expected) },
    {
      what: `${CALLS} × sleep 0.2 at once`,
      unit: "ms",
      samples: await gaps(stage, sleeps, expected),
      floor: [200],
      against: "all at once; one by one is 4000 ms",
    },
  ];
}

async function gaps(stage: Stage, calls: readonly Call[], expected: readonly string[]): Promise<number[]> {
  const rounds = await repeat(stage.quick ? 2 : 5, () => stage.play([{ calls }, { text: "ok" }], { expected }));
  return rounds.map((round) => round.gapsMs[0]!);
}
