// One headless turn: a prompt, a request, a one-word answer. The floor sends a request of the same size.

import { repeat } from "../repeat.ts";
import type { Play, Stage } from "../stage.ts";
import type { Row } from "../table.ts";

export async function turn(stage: Stage): Promise<Row[]> {
  const script = [{ text: "ok" }];
  const rounds = await repeat(stage.quick ? 3 : 10, async () => {
    const own = await stage.play(script);
    return { own, floor: await stage.playFloor(script, own.requestBytes[0]!) };
  });
  const pick = (figure: (play: Play) => number) => ({
    samples: rounds.map(({ own }) => figure(own)),
    floor: rounds.map(({ floor }) => figure(floor)),
  });
  return [
    { what: "first request", unit: "ms", ...pick((play) => play.firstRequestMs) },
    { what: "one turn", unit: "ms", ...pick((play) => play.wallMs) },
    { what: "one turn, after the last byte", unit: "ms", ...pick((play) => play.tailMs) },
    { what: "one turn, CPU", unit: "ms", ...pick((play) => play.cpuMs) },
    { what: "one turn, peak memory", unit: "MB", ...pick((play) => play.peakMb) },
    { what: "one turn, request", unit: "KB", samples: rounds.map(({ own }) => own.requestBytes[0]! / 1024) },
  ];
}
