// Every row for a client in the session's own process: no lines, no pipe, messages as they are.

import { checkAll, type Absence } from "./check.ts";
import { openAttached } from "./clients/attached-client.ts";
import { playRuns } from "./play.ts";
import { setStage } from "./stage.ts";
import type { Scenario } from "./scenario.ts";
import { SCENARIOS } from "./table.ts";

const stepsOf = ({ steps, then = [] }: Scenario) => [steps, ...then.map((run) => run.steps)].flat();

const ABSENT: readonly Absence[] = [
  { why: "there are no lines", is: (scenario) => stepsOf(scenario).some((step) => "line" in step) },
  {
    why: "the process is that of the test",
    is: (scenario) => stepsOf(scenario).some((step) => "signal" in step && step.signal === "SIGKILL"),
  },
  { why: "no session is opened", is: ({ name }) => name === "resume of a session nobody knows" },
  {
    why: "its answer is there before the second call is",
    is: ({ name }, row) => name === "can_use_tool denied with interrupt" && row.name === "answers every call",
  },
];

checkAll(
  {
    kind: "pipe",
    absent: ABSENT,
    async run(scenario) {
      await using stage = await setStage(scenario);
      return stage.observe(await playRuns(stage.runs, stage.place, openAttached()));
    },
  },
  SCENARIOS,
);
