// Every row over a bare pipe.

import { checkAll } from "./check.ts";
import { openPipe } from "./clients/pipe-client.ts";
import { playRuns } from "./play.ts";
import { setStage } from "./stage.ts";
import { SCENARIOS } from "./table.ts";

checkAll(
  {
    kind: "pipe",
    async run(scenario) {
      await using stage = await setStage(scenario);
      return stage.observe(await playRuns(stage.runs, stage.place, openPipe));
    },
  },
  SCENARIOS,
);
