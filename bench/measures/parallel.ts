// Twenty independent calls in one reply: the time until all their results are sent back.

import { join } from "node:path";
import { repeat } from "../repeat.ts";
import { read, shell, type Call } from "../model/script.ts";
import type { Play, Stage } from "../stage.ts";
import type { Row } from "../table.ts";

const CALLS = 20;

export async function parallel(stage: Stage): Promise<Row[]> {
  const paths = Array.from({ length: CALLS }, (_, i) => join(stage.project, `parallel-${i}.txt`));
  await Promise.all(paths.map((path, i) => Bun.write(path, `parallel-${i}-end\n`)));
  const expected = paths.map((_, i) => `parallel-${i}-end`);
  const reads = paths.map(read);
  const sleeps = paths.map((_, i) => shell(`sleep 0.2; echo parallel-${i}-end`));
  const read20 = await rounds(stage, reads, expected);
  return [
    { what: `${CALLS} reads at once`, unit: "ms", samples: gapsOf(read20) },
    { what: `${CALLS} reads at once, CPU`, unit: "ms", samples: read20.map(({ cpuMs }) => cpuMs) },
    {
      what: `${CALLS} × sleep 0.2 at once`,
      unit: "ms",
      samples: gapsOf(await rounds(stage, sleeps, expected)),
      floor: [200],
      against: "all at once; one by one is 4000 ms",
    },
  ];
}

const rounds = (stage: Stage, calls: readonly Call[], expected: readonly string[]) =>
  repeat(stage.quick ? 2 : 5, () => stage.play([{ calls }, { text: "ok" }], { expected }));

const gapsOf = (plays: readonly Play[]) => plays.map(({ gapsMs }) => gapsMs[0]!);
