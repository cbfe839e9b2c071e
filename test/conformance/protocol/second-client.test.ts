// Every row for a client that attaches second, to a session that somebody else opened and holds without a word: it gets
// the same messages and verdicts as one that is alone.

import { ABSENT_IN_PROCESS } from "./absent.ts";
import { checkAll, type Absence } from "./check.ts";
import { openAttached } from "./clients/attached-client.ts";
import { playRuns } from "./play.ts";
import { setStage } from "./stage.ts";
import { SCENARIOS } from "./table.ts";

const ABSENT: readonly Absence[] = [
  ...ABSENT_IN_PROCESS,
  {
    why: "what the session itself is like is up to whoever has been there longest",
    is: ({ name }) => ABOUT_THE_SESSION.has(name),
  },
];

const ABOUT_THE_SESSION = new Set([
  "a prompt of the client as one text",
  "a prompt of the client with something appended",
  "an empty prompt of the client",
  "prompt, schema and title of the client",
  "tools that the client calls by other names",
]);

checkAll(
  {
    kind: "pipe",
    absent: ABSENT,
    async run(scenario) {
      await using stage = await setStage(scenario);
      return stage.observe(await playRuns(stage.runs, stage.place, openAttached("second")));
    },
  },
  SCENARIOS,
);
