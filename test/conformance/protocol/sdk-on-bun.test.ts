// Every row that the SDK can express, on Bun.

import { checkAll } from "./check.ts";
import { playRuns } from "./play.ts";
import { openSdk } from "./clients/sdk-client.ts";
import { setStage } from "./stage.ts";
import { SCENARIOS } from "./table.ts";

checkAll(
  {
    kind: "sdk",
    async run(scenario) {
      await using stage = await setStage(scenario);
      return stage.observe(await playRuns(stage.runs, stage.place, openSdk));
    },
  },
  SCENARIOS,
);
