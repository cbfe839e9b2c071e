// Every row for a client that attaches second, to a session that somebody else opened and holds without a word: it gets
// the same messages and verdicts as one that is alone.

import { ABSENT_FOR_SECOND, ABSENT_IN_PROCESS } from "./absent.ts";
import { checkAll } from "./check.ts";
import { openAttached } from "./clients/attached-client.ts";
import { playRuns } from "./play.ts";
import { setStage } from "./stage.ts";
import { SCENARIOS } from "./table.ts";

checkAll(
  {
    kind: "pipe",
    absent: [...ABSENT_IN_PROCESS, ...ABSENT_FOR_SECOND],
    async run(scenario) {
      await using stage = await setStage(scenario);
      return stage.observe(await playRuns(stage.runs, stage.place, openAttached("second")));
    },
  },
  SCENARIOS,
);
