// Every row for a client in another process, over the socket of the program that owns the session.

import { ABSENT_ELSEWHERE, ABSENT_FOR_SECOND } from "./absent.ts";
import { checkAll } from "./check.ts";
import { openRemote } from "./clients/remote-client.ts";
import { playRuns } from "./play.ts";
import { setStage } from "./stage.ts";
import { SCENARIOS } from "./table.ts";

checkAll(
  {
    kind: "pipe",
    absent: [...ABSENT_ELSEWHERE, ...ABSENT_FOR_SECOND],
    async run(scenario) {
      await using stage = await setStage(scenario);
      return stage.observe(await playRuns(stage.runs, stage.place, openRemote));
    },
  },
  SCENARIOS,
);
