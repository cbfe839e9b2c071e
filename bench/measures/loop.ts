// A long agent loop: every turn reads one more small file. Shows what a turn costs early and late. The floor sends the
// same number of requests, each of the mean size, and runs no tools.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { repeat } from "../repeat.ts";
import { read } from "../model/script.ts";
import type { Stage } from "../stage.ts";
import { median, type Row } from "../table.ts";

export const loop = (stage: Stage) => measure(stage, 200, stage.quick ? 1 : 3);
export const longLoop = (stage: Stage) => measure(stage, 1000, 1);

async function measure(stage: Stage, turns: number, times: number): Promise<Row[]> {
  const folder = join(stage.project, "data");
  await mkdir(folder, { recursive: true });
  const paths = Array.from({ length: turns }, (_, i) => join(folder, `file-${i}.txt`));
  await Promise.all(paths.map((path, i) => Bun.write(path, `content-${i}-end\n`)));
  const script = [...paths.map((path) => ({ calls: [read(path)] })), { text: "finished" }];
  const expected = ["content-0-end", `content-${turns - 1}-end`];

  const rounds = await repeat(times, async () => {
    const own = await stage.play(script, { expected, limitMs: 600_000 });
    const bytes = sum(own.requestBytes);
    return { own, bytes, floor: await stage.playFloor(script, bytes / script.length) };
  });
  const name = `${turns} turns`;
  return [
    {
      what: `${name}, gap at the 10th`,
      unit: "ms",
      samples: rounds.map(({ own }) => median(own.gapsMs.slice(5, 15))),
      floor: rounds.map(({ floor }) => median(floor.gapsMs.slice(5, 15))),
    },
    {
      what: `${name}, gap at the end`,
      unit: "ms",
      samples: rounds.map(({ own }) => median(own.gapsMs.slice(-10))),
      floor: rounds.map(({ floor }) => median(floor.gapsMs.slice(-10))),
    },
    {
      what: `${name}, wall`,
      unit: "s",
      samples: rounds.map(({ own }) => own.wallMs / 1000),
      floor: rounds.map(({ floor }) => floor.wallMs / 1000),
    },
    {
      what: `${name}, CPU`,
      unit: "s",
      samples: rounds.map(({ own }) => own.cpuMs / 1000),
      floor: rounds.map(({ floor }) => floor.cpuMs / 1000),
    },
    {
      what: `${name}, peak memory`,
      unit: "MB",
      samples: rounds.map(({ own }) => own.peakMb),
      floor: rounds.map(({ floor }) => floor.peakMb),
    },
    { what: `${name}, sent`, unit: "MB", samples: rounds.map(({ bytes }) => bytes / 1e6) },
    { what: `${name}, last request`, unit: "KB", samples: rounds.map(({ own }) => own.requestBytes.at(-1)! / 1024) },
  ];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
