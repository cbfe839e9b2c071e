// What hooks can do for an agent, on every stage there is.

import { CASES } from "./cases.ts";
import { checkRows } from "./check-row.ts";
import { mainAgent, type Stage } from "./drive.ts";

const STAGES: readonly Stage[] = [mainAgent];

for (const stage of STAGES) checkRows(stage, CASES);
