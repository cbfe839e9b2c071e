// Every row for the terminal's link to its session: the same messages and verdicts, without what only its view asks for.

import { ABSENT_IN_PROCESS } from "./absent.ts";
import { checkAll, type Absence } from "./check.ts";
import { openAttached } from "./clients/attached-client.ts";
import { playRuns } from "./play.ts";
import { setStage } from "./stage.ts";
import { SCENARIOS } from "./table.ts";

const ABSENT: readonly Absence[] = [
  ...ABSENT_IN_PROCESS,
  {
    why: "of a reply it has what was asked for; open questions came to it before",
    is: (_, { name }) => name === "is accepted, and the reply is whole" || name === "repeats the question",
  },
];

checkAll(
  {
    kind: "pipe",
    absent: ABSENT,
    async run(scenario) {
      await using stage = await setStage(scenario);
      return stage.observe(await playRuns(stage.runs, stage.place, openAttached("terminal")));
    },
  },
  SCENARIOS,
);
