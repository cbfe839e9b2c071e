// A long answer: 200 KB of text in 10,000 deltas, each sent to the client.

import { repeat } from "../repeat.ts";
import { prose } from "../model/script.ts";
import type { Stage } from "../stage.ts";
import type { Row } from "../table.ts";

export async function stream(stage: Stage): Promise<Row[]> {
  const script = [{ text: prose(200 * 1024, 1), deltas: 10_000 }];
  const rounds = await repeat(stage.quick ? 2 : 5, async () => {
    const own = await stage.play(script, { args: ["--include-partial-messages"] });
    return { own, floor: await stage.playFloor(script, own.requestBytes[0]!) };
  });
  return [
    {
      what: "200 KB in 10,000 deltas",
      unit: "ms",
      samples: rounds.map(({ own }) => own.wallMs - own.firstRequestMs),
      floor: rounds.map(({ floor }) => floor.wallMs - floor.firstRequestMs),
      against: "the stream copied to stdout as it is",
    },
    {
      what: "200 KB, CPU of the whole run",
      unit: "ms",
      samples: rounds.map(({ own }) => own.cpuMs),
      floor: rounds.map(({ floor }) => floor.cpuMs),
    },
    {
      what: "200 KB, peak memory",
      unit: "MB",
      samples: rounds.map(({ own }) => own.peakMb),
      floor: rounds.map(({ floor }) => floor.peakMb),
    },
    { what: "200 KB, written to stdout", unit: "MB", samples: rounds.map(({ own }) => own.stdoutBytes / 1e6) },
  ];
}
