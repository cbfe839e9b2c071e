// From a complete Agent call to the first request of the subagent, next to what a call of Read takes to its next request.

import { join } from "node:path";
import { repeat } from "../../repeat.ts";
import { agent, read, type Reply } from "../../model/script.ts";
import type { Stage } from "../../stage.ts";
import { median, type Row } from "../../table.ts";

const CALLS = 10;
/** As fast models do. One that answers at once would measure how modules load, which happens while the model thinks. */
const THINKING_MS = 250;

export async function agents(stage: Stage): Promise<Row[]> {
  const file = join(stage.project, "README.md");
  const started = (): Reply[] => [{ calls: [agent("Say so.")] }, { text: "said-by-the-agent" }];
  const spawns: Reply[] = [...Array.from({ length: CALLS }, started).flat(), { text: "ok" }];
  const reads: Reply[] = [...Array.from({ length: CALLS }, () => ({ calls: [read(file)] })), { text: "ok" }];
  const thinking = ([first, ...rest]: Reply[]) => [{ ...first, afterMs: THINKING_MS }, ...rest];
  const rounds = await repeat(stage.quick ? 5 : 15, async () => ({
    own: (await stage.play(thinking(spawns), { expected: ["said-by-the-agent"] })).gapsMs.filter((_, i) => i % 2 === 0),
    floor: (await stage.play(thinking(reads), { expected: ["A project to measure in"] })).gapsMs,
  }));
  const against = "a call of Read to its next request";
  return [
    {
      what: "Agent call to the subagent's first request",
      unit: "ms",
      samples: rounds.map(({ own }) => median(own.slice(1))),
      floor: rounds.map(({ floor }) => median(floor.slice(1))),
      against,
    },
    {
      what: "… the first in a session",
      unit: "ms",
      samples: rounds.map(({ own }) => own[0]!),
      floor: rounds.map(({ floor }) => floor[0]!),
      against,
    },
  ];
}
