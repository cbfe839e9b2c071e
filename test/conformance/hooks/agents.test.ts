// What hooks can do for an agent, on every stage there is.

import { CASES } from "./rows/cases.ts";
import { checkRows } from "./check-row.ts";
import { mainAgent } from "./drive.ts";
import {
  mainAgentBeside,
  mainAgentElsewhere,
  mainAgentHere,
  mainAgentInEditor,
  mainAgentLinked,
  STAGES,
} from "./stages.ts";

// What a process of its own shows; everything else is the same in this one.
const OWN_PROCESS = CASES.filter(({ noticed }) => "code" in noticed || "stderr" in noticed);
// Each has a process of its own, too: one of every event, and what a person is asked.
const SAMPLE = CASES.filter(
  ({ event, person }, at) => person !== undefined || CASES.findIndex((row) => row.event === event) === at,
);

checkRows({ ...mainAgent, name: "main agent in a process of its own" }, OWN_PROCESS);
checkRows(mainAgentElsewhere, SAMPLE);
for (const stage of [mainAgentHere, mainAgentBeside, mainAgentLinked, mainAgentInEditor, ...STAGES])
  checkRows(stage, CASES);
