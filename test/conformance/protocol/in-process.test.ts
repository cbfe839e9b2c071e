// Every row for a client in the session's own process: no lines, no pipe, messages as they are.

import { ABSENT_IN_PROCESS } from "./absent.ts";
import { checkAll } from "./check.ts";
import { openAttached } from "./clients/attached-client.ts";
import { playRuns } from "./play.ts";
import { setStage } from "./stage.ts";
import { SCENARIOS } from "./table.ts";

checkAll(
  {
    kind: "pipe",
    absent: ABSENT_IN_PROCESS,
    async run(scenario) {
      await using stage = await setStage(scenario);
      return stage.observe(await playRuns(stage.runs, stage.place, openAttached("alone")));
    },
  },
  SCENARIOS,
);
