// `--version`: the cost of starting the program.

import { runProgram } from "../program.ts";
import { repeat } from "../repeat.ts";
import type { Stage } from "../stage.ts";
import type { Row } from "../table.ts";

export async function start(stage: Stage): Promise<Row[]> {
  const options = { cwd: stage.project, env: stage.env };
  const rounds = await repeat(stage.quick ? 5 : 20, async () => ({
    floor: await runProgram([stage.floor], options),
    own: await runProgram([...stage.program, "--version"], options),
  }));
  const pick = (figure: "wallMs" | "cpuMs") => ({
    samples: rounds.map(({ own }) => own[figure]),
    floor: rounds.map(({ floor }) => floor[figure]),
  });
  return [
    { what: "start (--version)", unit: "ms", ...pick("wallMs") },
    { what: "start, CPU", unit: "ms", ...pick("cpuMs") },
  ];
}
